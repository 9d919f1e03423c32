-- name: choice_cue
-- version: 1
-- grain: caption of a forced-choice item, cue
-- reads: choice_gram, choice_item
-- returns: item_no, side, cue, score
-- order: s.item_no, s.side, s.cue
-- cites: Dawid 1984: each fold is scored by the folds before it
--
-- How much more often than by chance captions with the same parts were right in the folds before: the sum over parts of
-- ln((right + 1) / (expected + 1)). The first fold has no score. Counts expected by chance are in units of 1 / 2520,
-- which all numbers of options divide; sums are of integers, in units of 2^-40.
with seen as (
    select
        g.*, starts_with(g.side, 'right') as is_right,
        (if(i.right2_id is null, 1, 2) * (2520 // i.options)) as expected
    from choice_gram as g
    join choice_item as i using (item_no)
),
tallied as (
    select cue, a, b, fold, count(*) filter (is_right) as correct, sum(expected) as expected
    from seen
    group by cue, a, b, fold
),
before as (
    select
        cue, a, b, fold,
        coalesce(sum(correct) over earlier, 0) as correct, coalesce(sum(expected) over earlier, 0) / 2520 as expected
    from tallied
    window earlier as (partition by cue, a, b order by fold rows between unbounded preceding and 1 preceding)
)
select
    s.item_no, s.side, s.cue,
    sum((ln((t.correct + 1) / (t.expected + 1)) * log_scale())::hugeint)::double / log_scale() as score
from seen as s
join before as t using (cue, a, b, fold)
where s.fold > 0
group by s.item_no, s.side, s.cue
order by s.item_no, s.side, s.cue
