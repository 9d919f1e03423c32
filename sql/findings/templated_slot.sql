-- name: templated_slot
-- version: 1
-- grain: caption
-- params: alone DOUBLE, evidence DOUBLE
-- reads: reference, text_tokens, vocabulary
-- returns: image, slot, why
-- order: t.image, t.slot
--
-- Captions of one slot with four words in a row that occur in this slot with at least the share `alone`, and not by
-- chance. The log-likelihood ratio of that share and the slot's share of all word sequences is at least `evidence`, in
-- nats. Such phrases are the template of an annotator or a program. Images with one caption have no slots.
with described as (
    select image_no from reference group by image_no having count(*) > 1
),
window_of as (
    select distinct r.image_no, r.image, r.slot, t.tokens[p.place:p.place + 3] as words
    from reference as r
    semi join described as d on d.image_no = r.image_no
    join text_tokens as t using (caption_id), unnest(range(1, len(t.tokens) - 2)) as p (place)
),
by_slot as (
    select
        words, slot, count(*) as captions, sum(count(*)) over (partition by words) as of_captions,
        sum(count(*)) over (partition by slot) / sum(count(*)) over () as expected
    from window_of
    group by words, slot
),
template as (
    select words, slot, captions, of_captions
    from by_slot
    where captions >= $alone::double * of_captions
        and captions * ln(captions / of_captions / expected)
            + if(captions < of_captions, (of_captions - captions) * ln((1 - captions / of_captions) / (1 - expected)), 0)
        >= $evidence::double
),
flagged as (
    select w.image, w.slot, t.words, t.captions, t.of_captions
    from window_of as w
    join template as t on t.words = w.words and t.slot = w.slot
    qualify row_number() over (partition by w.image, w.slot order by t.captions desc, t.words) = 1
),
spelled as (
    select t.words, string_agg(v.token, ' ' order by u.nth) as template
    from (select distinct words from flagged) as t, unnest(t.words) with ordinality as u (token_id, nth)
    join vocabulary as v on v.token_id = u.token_id
    group by t.words
)
select t.image, t.slot, format('“{}”, {} of {} times in this slot', s.template, t.captions, t.of_captions::bigint) as why
from flagged as t
join spelled as s on s.words = t.words
order by t.image, t.slot
