-- name: keyness
-- version: 2
-- grain: word
-- params: minimum BIGINT
-- reads: compared_word, vocabulary
-- returns: word, occurrences, occurrences_b, tokens, tokens_b, expected, log_likelihood, log_ratio
-- order: abs(c.log_likelihood) desc, word
-- cites: Rayson & Garside 2000 (log-likelihood); Dunning 1993 (G2); Hardie 2014 (log ratio)
--
-- How much more or less often a word occurs in one text than expected from a second text. Log-likelihood has the sign of
-- observed - expected. The log ratio (base 2) of relative frequencies is the effect size: 1 is twice as often. A word
-- that one side lacks counts as half an occurrence.
select
    v.token as word, c.occurrences_a as occurrences, c.occurrences_b, c.tokens_a as tokens, c.tokens_b,
    c.expected_a as expected,
    sign(c.occurrences_a::hugeint * c.tokens_b - c.occurrences_b::hugeint * c.tokens_a) * c.log_likelihood
        as log_likelihood,
    log2((greatest(c.occurrences_a, 0.5) / c.tokens_a) / (greatest(c.occurrences_b, 0.5) / c.tokens_b)) as log_ratio
from compared_word as c
join vocabulary as v using (token_id)
where c.occurrences_a + c.occurrences_b >= $minimum::bigint and c.tokens_a > 0 and c.tokens_b > 0
order by abs(c.log_likelihood) desc, word
