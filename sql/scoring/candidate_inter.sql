-- name: candidate_inter
-- version: 3
-- grain: held-out caption
-- params: seed BIGINT
-- reads: reference, substitute_pool, pool, version
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
-- cites: Wang & Gaizauskas 2016, section 5, Random Inter-Dataset
--
-- Lower bound: instead of each caption, one of another dataset: first a dataset is drawn with equal probability, then
-- one of its captions. Both draws use one md5 of (seed, image, slot): its remainder draws the dataset, and its
-- quotient by the number of datasets the caption. 128 bits are never divided, which takes the engine microseconds.
-- Datasets are in the order of their versions, so a draw does not depend on their names.
with shelf as (
    select
        s.dataset, count(*) as captions, row_number() over (order by v.version, p.split, s.dataset) - 1 as shelf_no,
        count(*) over () as shelves
    from substitute_pool as s
    join pool as p using (dataset)
    join version as v on v.dataset = p.dataset and v.seq = p.seq
    group by s.dataset, v.version, p.split
),
drawn as (
    select image_no, image, slot, md5_number(concat_ws(chr(31), 'inter', $seed::bigint, image, slot)) as draw
    from reference
),
shelved as (
    select image_no, image, slot, draw, remainder_of(draw, (select max(shelves) from shelf))::bigint as shelf_no
    from drawn
),
chosen as (
    select
        d.image_no, d.image, d.slot, s.dataset,
        ((remainder_of(d.draw, s.shelves * s.captions)::bigint - d.shelf_no) // s.shelves)::bigint as place
    from shelved as d
    join shelf as s using (shelf_no)
)
select
    'inter' as candidate, true as is_substitute, c.image_no, c.image, c.slot, c.slot as held_out, p.caption_id, p.length,
    p.dataset as from_dataset, p.image as from_image, p.slot as from_slot
from chosen as c
join substitute_pool as p on p.dataset = c.dataset and p.place = c.place
