-- name: sign_among_captions
-- version: 3
-- grain: image, slot
-- reads: reference, caption, image_captions
-- returns: image_no, image, slot, split, text, signs
--
-- The captions at work, and the signs of dirt that they show beside others; case and outer blanks do not count. A
-- sign of an image counts for all its captions. Captions count as sorted where none is longer than the one before it, and
-- one is shorter: their slots are no annotators.
with placed as (
    select r.image_no, r.image, r.slot, r.split, c.text, lower(trim(c.text, e' \t\r\n')) as folded
    from reference as r
    join caption as c using (caption_id)
),
per_image as (
    select
        image_no,
        list(length(text) order by slot) as sizes,
        list_reverse_sort(sizes) = sizes and sizes[1] > sizes[-1] as is_sorted
    from placed
    group by image_no
),
on_several as (
    select folded
    from placed
    where folded <> ''
    group by folded
    having count(distinct image_no) > 1
),
leaked as (
    select text
    from placed
    group by text
    having count(distinct split) > 1
)
select
    p.image_no, p.image, p.slot, p.split, p.text,
    list_filter([
        case when l.text is not null then 'captions-in-several-splits' end,
        case when o.folded is not null then 'texts-on-several-images-but-for-case' end,
        case when o.folded is not null then 'captions-with-such-texts' end,
        case when n.captions <> n.usual then 'images-with-another-number-of-captions' end,
        case when i.is_sorted then 'images-with-captions-sorted-by-length' end,
        case when n.splits > 1 then 'images-in-several-splits' end
    ], lambda sign: sign is not null) as signs
from placed as p
join per_image as i using (image_no)
join image_captions as n using (image_no)
left join on_several as o on p.folded = o.folded
left join leaked as l on p.text = l.text
