-- name: same_path
-- version: 1
-- grain: image with the path of another
-- reads: reference
-- returns: image, slot, why, other_image, other_slot
-- order: h.image
-- merges: not, it compares captions across shards
--
-- Images whose names are one path: with “\” for “/”, a leading “./”, or capitals in the ending. An absolute path is also the
-- one relative path with a folder that it ends with, if it is the only absolute path that ends so.
with named as (
    select
        image_no, any_value(image) as image, min(slot) as slot,
        regexp_replace(replace(any_value(image), '\', '/'), '^(\./+)+', '') as written
    from reference
    group by image_no
),
spelled as (
    select
        image_no, image, slot, regexp_matches(written, '^(/|[A-Za-z]:/)') as is_absolute,
        regexp_replace(written, '\.\w{2,5}$', '') || lower(regexp_extract(written, '\.\w{2,5}$')) as path
    from named
),
ended as (
    select distinct a.image_no, r.path
    from spelled as a
    join spelled as r
        on parse_filename(r.path) = parse_filename(a.path) and not r.is_absolute and contains(r.path, '/')
        and ends_with(a.path, '/' || r.path)
    where a.is_absolute
    qualify count(distinct a.path) over (partition by r.path) = 1 and count(distinct r.path) over (partition by a.image_no) = 1
),
held as (
    select s.image_no, s.image, s.slot, coalesce(e.path, s.path) as path from spelled as s left join ended as e using (image_no)
)
select h.image, h.slot, 'the path of ' || o.image as why, o.image as other_image, o.slot as other_slot
from held as h
join (select path, min(image_no) as image_no from held group by path) as f using (path)
join held as o on o.image_no = f.image_no and h.image_no <> o.image_no
order by h.image
