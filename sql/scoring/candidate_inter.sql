-- name: candidate_inter
-- version: 1
-- grain: held-out caption
-- params: dataset VARCHAR, seed BIGINT
-- reads: reference, substitute_pool
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
-- cites: Wang & Gaizauskas 2016, section 5, Random Inter-Dataset
--
-- Lower bound: instead of each caption, one of another dataset: first a dataset is drawn with equal probability, then
-- one of its captions. Both draws use one md5 of (seed, dataset, image, slot).
with shelf as (
    select dataset, count(*) as captions, row_number() over (order by dataset) - 1 as shelf_no, count(*) over () as shelves
    from substitute_pool
    group by dataset
),
drawn as (
    select
        image_no, image, slot,
        md5_number(concat_ws(chr(31), 'inter', $seed::bigint, $dataset::varchar, image, slot)) as draw
    from reference
),
chosen as (
    select
        d.image_no, d.image, d.slot, s.dataset,
        ((d.draw // s.shelves::uhugeint) % s.captions::uhugeint)::bigint as place
    from drawn as d
    join shelf as s on s.shelf_no = (d.draw % s.shelves::uhugeint)::bigint
)
select
    'inter' as candidate, true as is_substitute, c.image_no, c.image, c.slot, c.slot as held_out, p.caption_id, p.length,
    p.dataset as from_dataset, p.image as from_image, p.slot as from_slot
from chosen as c
join substitute_pool as p on p.dataset = c.dataset and p.place = c.place
