-- name: keyness
-- version: 1
-- grain: word
-- params: minimum BIGINT
-- reads: token_a, token_b, vocabulary
-- returns: word, occurrences, occurrences_b, tokens, tokens_b, expected, log_likelihood, log_ratio
-- order: abs(log_likelihood) desc, word
-- cites: Rayson & Garside 2000 (log-likelihood); Dunning 1993 (G2); Hardie 2014 (log ratio)
--
-- How much more or less often a word occurs in one text than expected from a second text. Log-likelihood has two cells,
-- as in Rayson & Garside: 2 sum(observed ln(observed / expected)), with the sign of observed - expected. The log ratio
-- (base 2) of relative frequencies is the effect size: 1 is twice as often. A word that one side lacks counts as half
-- an occurrence.
with size as (
    select
        (select coalesce(sum(occurrences), 0) from token_a)::bigint as tokens_a,
        (select coalesce(sum(occurrences), 0) from token_b)::bigint as tokens_b
),
counted as (
    select
        coalesce(a.token_id, b.token_id) as token_id,
        coalesce(a.occurrences, 0)::bigint as occurrences_a,
        coalesce(b.occurrences, 0)::bigint as occurrences_b
    from token_a as a
    full join token_b as b on b.token_id = a.token_id
),
expected as (
    select
        c.token_id, c.occurrences_a, c.occurrences_b, s.tokens_a, s.tokens_b,
        s.tokens_a::double * (c.occurrences_a + c.occurrences_b) / (s.tokens_a + s.tokens_b) as expected_a,
        s.tokens_b::double * (c.occurrences_a + c.occurrences_b) / (s.tokens_a + s.tokens_b) as expected_b
    from counted as c
    cross join size as s
    where c.occurrences_a + c.occurrences_b >= $minimum::bigint and s.tokens_a > 0 and s.tokens_b > 0
)
select
    v.token as word, e.occurrences_a as occurrences, e.occurrences_b, e.tokens_a as tokens, e.tokens_b,
    e.expected_a as expected,
    sign(e.occurrences_a::hugeint * e.tokens_b - e.occurrences_b::hugeint * e.tokens_a) * greatest(0.0, 2 * (
        case when e.occurrences_a > 0 then e.occurrences_a * ln(e.occurrences_a / e.expected_a) else 0 end
        + case when e.occurrences_b > 0 then e.occurrences_b * ln(e.occurrences_b / e.expected_b) else 0 end
    )) as log_likelihood,
    log2((greatest(e.occurrences_a, 0.5) / e.tokens_a) / (greatest(e.occurrences_b, 0.5) / e.tokens_b)) as log_ratio
from expected as e
join vocabulary as v using (token_id)
order by abs(log_likelihood) desc, word
