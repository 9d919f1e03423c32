-- name: browsed_caption
-- version: 3
-- grain: caption, kind of finding
-- params: draw_seed BIGINT, at_random INTEGER, of_kind INTEGER
-- reads: reference, caption, listed_caption
-- returns: image, slot, split, text, at_random, kind, why
-- order: image, slot nulls first, kind nulls first
--
-- The captions of a page: some at random, with all others of their images, and some that findings list, of each kind,
-- with the first ten of their images. A listed image without a slot comes with all of its captions. The draw is a pure
-- function of (seed, image, slot), by md5, so it is the same on any machine with any number of threads.
with described as (
    select
        r.image, r.slot, r.split, c.text,
        row_number() over (
            order by md5_number(concat_ws(chr(31), 'browse', $draw_seed::bigint, r.image, r.slot)), r.image, r.slot
        ) <= $at_random::integer as at_random,
        row_number() over (partition by r.image order by r.slot) as place
    from reference as r
    join caption as c using (caption_id)
),
image_split as (select image, min(split) as split from described group by image),
listed as (
    select l.image, l.slot, s.split, l.kind, l.why
    from listed_caption as l
    join image_split as s using (image)
    qualify row_number() over (
        partition by l.kind
        order by md5_number(concat_ws(chr(31), 'browse', $draw_seed::bigint, l.image, l.slot)), l.image, l.slot
    ) <= $of_kind::integer
),
shown_image as (select image from described where at_random union select image from listed where slot is null)
select d.image, d.slot, d.split, d.text, d.at_random, l.kind, l.why
from described as d
left join listed as l on l.image = d.image and l.slot = d.slot
where l.kind is not null or d.image in (select image from shown_image)
    or (d.place <= 10 and d.image in (select image from listed))
union all
select image, slot, split, '' as text, false as at_random, kind, why
from listed
where slot is null
order by image, slot nulls first, kind nulls first
