-- name: caption_bits
-- version: 1
-- grain: caption of an item
-- params: order INTEGER
-- reads: asked_ngram, kneser_ney
-- returns: caption_id, predicted, bits
-- order: a.caption_id
-- cites: Chen & Goodman 1999
--
-- The bits of a caption by a smoothed model, and its tokens, with </s>. Sums are of integers, in units of 2^-58.
select
    a.caption_id,
    count(*)::uinteger as predicted,
    sum((-log2(k.probability) * bit_scale())::hugeint)::double / bit_scale() as bits
from asked_ngram as a
join kneser_ney as k on k.gram = a.gram and k.n = $order::integer
group by a.caption_id
order by a.caption_id
