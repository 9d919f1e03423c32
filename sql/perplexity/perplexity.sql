-- name: perplexity
-- version: 1
-- grain: selection tested on
-- params: order INTEGER
-- reads: sentence_ngram, kneser_ney, adjusted_count
-- returns: selection_no, tokens, words, unknown, bits, known_bits
-- order: a.selection_no
-- cites: Jelinek et al. 1977; Ferraro et al. 2015
--
-- The bits that a model needs for the test side of each selection, and for its known tokens. `tokens` counts the </s>,
-- `words` does not. Bits are summed as integers, in units of 2^-58, so the order of threads changes no digit.
with known as (select gram as token from adjusted_count where n = 1),
asked as (
    select
        t.selection_no,
        last_tokens(t.gram, 1) as token,
        t.occurrences,
        (-log2(k.probability) * bit_scale())::hugeint * t.occurrences as units
    from sentence_ngram as t
    join kneser_ney as k on k.gram = t.gram and k.n = $order::integer
    where t.side = 'test'
)
select
    a.selection_no,
    sum(a.occurrences)::bigint as tokens,
    coalesce(sum(a.occurrences) filter (where a.token <> sentence_end()), 0)::bigint as words,
    coalesce(sum(a.occurrences) filter (where k.token is null), 0)::bigint as unknown,
    sum(a.units)::double / bit_scale() as bits,
    coalesce(sum(a.units) filter (where k.token is not null), 0)::double / bit_scale() as known_bits
from asked as a
left join known as k on k.token = a.token
group by a.selection_no
order by a.selection_no
