-- name: judged_pair
-- version: 1
-- grain: pair, or triplet
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR
-- reads: annotated, membership
-- returns: form, number, image, kind, slot_a, slot_b, slot_c, text_b, text_c, origin_b, origin_c, votes_b, votes_c
--
-- The compared captions B and C of an image, alone or with a third, A. `text_b` and `text_c` are equal for equal texts.
with placed as (
    select a.image, a.slot, a.pair, a.triplet, m.caption_id
    from annotated as a
    join membership as m on m.image = a.image and m.slot = a.slot
    where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
        and ($split::varchar is null or m.split = $split::varchar)
),
side as (
    select
        'pair' as form, image, slot, caption_id, (pair).pair as number, (pair).side as side,
        (pair).category as kind, (pair).origin as origin, (pair).votes as votes
    from placed
    where pair is not null
    union all
    select
        'triplet', image, slot, caption_id, (triplet).triplet, (triplet).side,
        (triplet).category, null::varchar, (triplet).votes
    from placed
    where triplet is not null
)
select
    b.form, b.number, b.image, coalesce(b.kind, c.kind) as kind, a.slot as slot_a, b.slot as slot_b, c.slot as slot_c,
    b.caption_id as text_b, c.caption_id as text_c, b.origin as origin_b, c.origin as origin_c,
    b.votes as votes_b, c.votes as votes_c
from side as b
join side as c on c.form = b.form and c.image = b.image and c.number = b.number and c.side = 'C'
left join side as a on a.form = b.form and a.image = b.image and a.number = b.number and a.side = 'A'
where b.side = 'B'
