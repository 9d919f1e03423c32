-- name: slot_word_share
-- version: 1
-- grain: slot, word
-- params: slot_captions INTEGER
-- reads: reference, text_tokens, word_document_share
-- returns: slot, word, share
--
-- The share of a slot's captions with a word, with fifty additional captions that have it as often as all captions.
-- This discounts words that an annotator uses for every image, or that occur because captions are long. Slots with few
-- captions have no rows, and neither have datasets with more than ten slots, which are not annotators.
with slot_size as (select slot, count(*) as captions, count(*) over () as slots from reference group by slot),
manner as (select slot, captions from slot_size where slots <= 10 and captions >= $slot_captions::integer),
used_word as (
    select r.slot, unnest(list_distinct(t.tokens)) as word
    from reference as r
    join text_tokens as t using (caption_id)
),
held as (select slot, word, count(*) as holding from used_word group by slot, word)
select m.slot, w.word, (coalesce(h.holding, 0) + 50 * w.share) / (m.captions + 50) as share
from manner as m
cross join word_document_share as w
left join held as h on h.slot = m.slot and h.word = w.word
