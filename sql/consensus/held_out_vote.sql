-- name: held_out_vote
-- version: 1
-- grain: pair
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR
-- reads: pair_vote_count, membership, every_reference, reference
-- returns: pair, matched, votes_b, votes_c
-- order: a.pair
-- cites: Vedantam et al. 2015, section 7.4: the truth from 24 references, the prediction from the other 24
--
-- Votes of the triplets whose caption A is a reference that was not drawn: the truth for a metric that sees the drawn
-- ones. A is matched to the references by image and text: its k-th occurrence in the triplets of a pair is the k-th of
-- these references. `matched` counts the triplets with a matching reference.
with asked as (
    select
        v.pair, v.image, v.for_b, v.for_c, m.caption_id,
        row_number() over (partition by v.pair, m.caption_id order by v.number) as occurrence
    from pair_vote_count as v
    join membership as m on m.image = v.image and m.slot = v.slot_a
    where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
        and ($split::varchar is null or m.split = $split::varchar)
),
given as (
    select image, slot, caption_id, row_number() over (partition by image, caption_id order by slot) as occurrence
    from every_reference
)
select
    a.pair, count(*)::uinteger as matched,
    (sum(a.for_b) filter (where d.slot is null))::uinteger as votes_b,
    (sum(a.for_c) filter (where d.slot is null))::uinteger as votes_c
from asked as a
join given as g on g.image = a.image and g.caption_id = a.caption_id and g.occurrence = a.occurrence
left join reference as d on d.image = g.image and d.slot = g.slot
group by a.pair
order by a.pair
