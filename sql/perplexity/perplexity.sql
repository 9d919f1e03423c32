-- name: perplexity
-- version: 1
-- grain: selection tested on
-- params: order INTEGER
-- reads: sentence_ngram, kneser_ney, adjusted_count
-- returns: selection_no, tokens, words, unknown, bits, known_bits
-- cites: Jelinek et al. 1977; Ferraro et al. 2015
--
-- How many bits a model takes for the test side of every selection: in all, and for the tokens it knows. `tokens`
-- counts the </s>, `words` does not. Bits are summed as integers, in units of 2^-58, so that the sum does not depend on
-- the order in which threads add.
with known as (select gram as token from adjusted_count where n = 1),
asked as (
    select
        t.selection_no,
        t.gram & 33554431::uhugeint as token,
        t.occurrences,
        (-log2(k.probability) * 288230376151711744.0)::hugeint * t.occurrences as units
    from sentence_ngram as t
    join kneser_ney as k on k.gram = t.gram and k.n = $order::integer
    where t.side = 'test'
)
select
    a.selection_no,
    sum(a.occurrences)::bigint as tokens,
    coalesce(sum(a.occurrences) filter (where a.token <> 33554431), 0)::bigint as words,
    coalesce(sum(a.occurrences) filter (where k.token is null), 0)::bigint as unknown,
    sum(a.units)::double / 288230376151711744.0 as bits,
    coalesce(sum(a.units) filter (where k.token is not null), 0)::double / 288230376151711744.0 as known_bits
from asked as a
left join known as k on k.token = a.token
group by a.selection_no
order by a.selection_no
