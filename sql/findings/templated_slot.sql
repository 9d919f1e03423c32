-- name: templated_slot
-- version: 2
-- grain: caption
-- params: alone DOUBLE, evidence DOUBLE
-- reads: reference, text_tokens, vocabulary
-- returns: image, slot, why
-- order: r.image, r.slot
-- merges: not, it compares captions across shards
--
-- Captions of one slot with four words in a row that occur in this slot with at least the share `alone`, and not by
-- chance. The log-likelihood ratio of that share and the slot's share of all word sequences is at least `evidence`, in
-- nats: no sequence exceeds the ratio that it would have if it occurred in this slot only. Such phrases are the template
-- of an annotator or a program. Images with one caption have no slots.
with described as (select image_no from reference group by image_no having count(*) > 1),
side_by_side as (
    select
        caption_id, unnest(tokens)::uhugeint as a, unnest(tokens[2:]) as b, unnest(tokens[3:]) as c, unnest(tokens[4:]) as d
    from text_tokens
),
window_of as materialized (select distinct caption_id, pack(a, b, c, d) as words from side_by_side where d is not null),
by_slot as materialized (
    select w.words, r.slot, count(*) as captions
    from reference as r
    semi join described as d on d.image_no = r.image_no
    join window_of as w using (caption_id)
    group by w.words, r.slot
),
share_of as (select slot, sum(captions) / sum(sum(captions)) over () as expected from by_slot group by slot),
likely as (
    select b.words, b.slot, b.captions, s.expected
    from by_slot as b
    join share_of as s using (slot)
    where b.captions * ln(1 / s.expected) >= $evidence::double
),
template as (
    select l.words, l.slot, l.captions, sum(b.captions) as of_captions
    from likely as l
    join by_slot as b using (words)
    group by l.words, l.slot, l.captions, l.expected
    having l.captions >= $alone::double * of_captions
        and l.captions * ln(l.captions / of_captions / l.expected) + if(
            l.captions < of_captions,
            (of_captions - l.captions) * ln((1 - l.captions / of_captions) / (1 - l.expected)), 0
        ) >= $evidence::double
),
flagged as (
    select r.image, r.slot, t.words, t.captions, t.of_captions
    from template as t
    join window_of as w on w.words = t.words
    join reference as r on r.caption_id = w.caption_id and r.slot = t.slot
    semi join described as d on d.image_no = r.image_no
    qualify row_number() over (partition by r.image_no, r.slot order by t.captions desc, t.words) = 1
),
spelled as (
    select t.words, string_agg(v.token, ' ' order by t.nth) as template
    from (select distinct words, unnest(range(4)) as nth from flagged) as t
    join vocabulary as v on v.token_id = last_packed(t.words >> (96 - 32 * t.nth)::uhugeint)::uinteger
    group by t.words
)
select r.image, r.slot, format('“{}”, {} of {} times in this slot', s.template, r.captions, r.of_captions::bigint) as why
from flagged as r
join spelled as s on s.words = r.words
order by r.image, r.slot
