-- name: choice_item
-- version: 2
-- grain: forced-choice item
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR, confirmed INTEGER
-- reads: annotated, membership
-- returns: item_no, item, part, image, slot_right, slot_right2, slot_wrong, right_id, right2_id, wrong_id, votes_right, votes_wrong
-- order: item_no
--
-- Items in the order of the source: captions of an image, one of them wrong. A second right caption is null for items
-- that have only one. `right_id`, `right2_id` and `wrong_id` are caption numbers. Names identify items, since each
-- part of a source has separate numbers. With $confirmed, only items whose right caption has at least that many votes.
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
        and (a.pair).side in ('right', 'right2', 'wrong')
)
select
    row_number() over (order by r.number, r.item)::uinteger as item_no, r.item, r.part, r.image, r.slot as slot_right,
    s.slot as slot_right2, w.slot as slot_wrong, r.caption_id as right_id, s.caption_id as right2_id,
    w.caption_id as wrong_id, r.votes as votes_right, w.votes as votes_wrong
from side as r
join side as w on w.image = r.image and w.item = r.item and w.side = 'wrong'
left join side as s on s.image = r.image and s.item = r.item and s.side = 'right2'
where r.side = 'right' and ($confirmed::integer is null or r.votes >= $confirmed::integer)
order by item_no
