-- name: caption_chance
-- version: 1
-- grain: caption of an item
-- reads: asked_ngram, sentence_ngram
-- returns: caption_id, predicted, unseen, bits, inverse
-- order: a.caption_id
-- cites: Hodosh & Hockenmaier 2016, section 4: a bigram model without smoothing, and the harmonic mean of its probabilities
--
-- The probability of a caption under a model without smoothing: the number of unseen bigrams, including those with
-- </s>, and over the others the bits and the sum of 1 / p. An unseen bigram makes the probability of the caption 0.
-- Sums are of integers, in units of 2^-58 and 2^-40.
with counted as (select gram, history_of(gram) as history, occurrences from sentence_ngram where side = 'train'),
history as (select history, sum(occurrences) as occurrences from counted group by history)
select
    a.caption_id,
    count(*)::uinteger as predicted,
    count(*) filter (where c.gram is null)::uinteger as unseen,
    coalesce(sum((-log2(c.occurrences / h.occurrences) * bit_scale())::hugeint), 0)::double / bit_scale() as bits,
    coalesce(sum((h.occurrences / c.occurrences * log_scale())::hugeint), 0)::double / log_scale() as inverse
from asked_ngram as a
left join counted as c on c.gram = a.gram
left join history as h on h.history = c.history
group by a.caption_id
order by a.caption_id
