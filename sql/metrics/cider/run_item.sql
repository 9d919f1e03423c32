-- name: run_item
-- version: 1
-- grain: image, slot left out
-- params: folded BOOLEAN
-- reads: candidate, reference
-- returns: image_no, held_out, fold, items
-- cites: cider/pyciderevalcap: a document is an item of the run, a candidate with its references
--
-- The items of a run of the official program. For held-out captions, folded: run j leaves out the j-th caption of every
-- image that has one; not folded: all items in one run. The captions of a system are always one run. A single caption
-- of an image has no references, and is not an item.
with placed as (
    select
        image_no, slot,
        (row_number() over (partition by image_no order by slot) - 1)::uinteger as place,
        count(*) over (partition by image_no) as captions
    from reference
),
described as (select image_no, held_out, count(*)::uinteger as items from candidate group by image_no, held_out)
select d.image_no, d.held_out, case when $folded::boolean then coalesce(p.place, 0) else 0 end::uinteger as fold, d.items
from described as d
left join placed as p on p.image_no = d.image_no and p.slot = d.held_out
where d.held_out is null or p.captions > 1
