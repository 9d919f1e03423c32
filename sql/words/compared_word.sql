-- name: compared_word
-- version: 1
-- grain: token
-- reads: token_of_side
-- returns: token_id, occurrences_a, occurrences_b, tokens_a, tokens_b, expected_a, expected_b, log_likelihood
-- cites: Rayson & Garside 2000 (log-likelihood); Dunning 1993 (G2)
--
-- The occurrences of each token on two sides, all tokens of each side, and the occurrences to expect if both sides had
-- the same shares. The log-likelihood has two cells, as in Rayson & Garside: 2 sum(observed ln(observed / expected)).
with counted as (
    select
        token_id,
        coalesce(sum(occurrences) filter (where side = 'a'), 0)::bigint as occurrences_a,
        coalesce(sum(occurrences) filter (where side = 'b'), 0)::bigint as occurrences_b
    from token_of_side
    group by token_id
),
size as (select sum(occurrences_a)::bigint as tokens_a, sum(occurrences_b)::bigint as tokens_b from counted),
expected as (
    select
        c.token_id, c.occurrences_a, c.occurrences_b, s.tokens_a, s.tokens_b,
        s.tokens_a::double * (c.occurrences_a + c.occurrences_b) / (s.tokens_a + s.tokens_b) as expected_a,
        s.tokens_b::double * (c.occurrences_a + c.occurrences_b) / (s.tokens_a + s.tokens_b) as expected_b
    from counted as c
    cross join size as s
)
select
    token_id, occurrences_a, occurrences_b, tokens_a, tokens_b, expected_a, expected_b,
    greatest(0.0, 2 * (
        case when occurrences_a > 0 then occurrences_a * ln(occurrences_a / expected_a) else 0 end
        + case when occurrences_b > 0 then occurrences_b * ln(occurrences_b / expected_b) else 0 end
    )) as log_likelihood
from expected
