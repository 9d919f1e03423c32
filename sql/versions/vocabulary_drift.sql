-- name: vocabulary_drift
-- version: 2
-- grain: word
-- reads: compared_word, vocabulary
-- returns: word, change, occurrences_a, occurrences_b, per_million_a, per_million_b, keyness
-- order: w.keyness desc, word
-- cites: Rayson & Garside 2000, log-likelihood of a word in two corpora; Dunning 1993 (G2)
--
-- Words that are new, gone, or a larger or smaller share of all tokens, from one side to the other, the most
-- significant first. The same frequency can be another share because the rest changed. It counts as changed only if its
-- keyness is above 3.84 (chi-square, one degree of freedom, p < 0.05): one edit does not change every word.
with weighed as (
    select
        token_id, occurrences_a, occurrences_b,
        coalesce(1000000.0 * occurrences_a / nullif(tokens_a, 0), 0.0) as per_million_a,
        coalesce(1000000.0 * occurrences_b / nullif(tokens_b, 0), 0.0) as per_million_b,
        sign(occurrences_b::hugeint * tokens_a - occurrences_a::hugeint * tokens_b) as direction,
        log_likelihood as keyness
    from compared_word
)
select
    v.token as word,
    case
        when w.occurrences_a = 0 then 'new'
        when w.occurrences_b = 0 then 'gone'
        when w.direction > 0 then 'more'
        else 'less'
    end as change,
    w.occurrences_a, w.occurrences_b, w.per_million_a, w.per_million_b, w.keyness
from weighed as w
join vocabulary as v using (token_id)
where w.occurrences_a = 0 or w.occurrences_b = 0
    or (w.direction <> 0 and (w.occurrences_a <> w.occurrences_b or w.keyness > 3.84))
order by w.keyness desc, word
