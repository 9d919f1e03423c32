-- name: choice_item
-- version: 1
-- grain: forced-choice item
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR
-- reads: annotated, membership
-- returns: item_no, item, part, image, slot_right, slot_wrong, right_id, wrong_id, votes_right, votes_wrong
-- order: r.number
--
-- Items as the source has them, in its order: two captions of an image, one of which is right. `right_id` and `wrong_id`
-- are caption numbers.
with side as (
    select
        a.image, a.slot, m.caption_id, (a.pair).pair as number, (a.pair).side as side, (a.pair).category as part,
        (a.pair).origin as item, (a.pair).votes as votes
    from annotated as a
    join membership as m on m.image = a.image and m.slot = a.slot
    where m.dataset = $dataset::varchar
        and m.from_seq <= $seq::integer
        and (m.to_seq is null or m.to_seq > $seq::integer)
        and ($split::varchar is null or m.split = $split::varchar)
        and (a.pair).side in ('right', 'wrong')
)
select
    r.number as item_no, r.item, r.part, r.image, r.slot as slot_right, w.slot as slot_wrong, r.caption_id as right_id,
    w.caption_id as wrong_id, r.votes as votes_right, w.votes as votes_wrong
from side as r
join side as w on w.image = r.image and w.number = r.number and w.side = 'wrong'
where r.side = 'right'
order by r.number
