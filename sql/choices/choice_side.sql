-- name: choice_side
-- version: 1
-- grain: text of a forced-choice item
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR
-- reads: annotated, membership
-- returns: image, item, number, part, side, slot, caption_id, votes
--
-- The texts of items: captions or options, and the question. `side` is right, right2, wrong or question. Of options with
-- an order, wrong ones are numbered by their place: of wrong1, right and wrong3 the right one is the second.
select
    a.image, (a.pair).origin as item, (a.pair).pair as number, (a.pair).category as part, (a.pair).side as side, a.slot,
    m.caption_id, (a.pair).votes as votes
from annotated as a
join membership as m on m.image = a.image and m.slot = a.slot
where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
    and ($split::varchar is null or m.split = $split::varchar) and (a.pair).side not in ('B', 'C')
