-- name: choice_feature
-- version: 3
-- grain: right and wrong caption of a forced-choice item, feature that one of them has more often
-- reads: choice_caption, choice_gram
-- returns: item_no, side, fold, feature, difference
-- order: d.item_no, d.side, feature
--
-- The features of an item for the linear model: for each word and bigram of an option, and of the question beside an
-- option, its frequency in a right caption minus that in a wrong one. `side` is the right caption, or the wrong one if
-- there are several. Features of a single item are left out, since they do not generalize.
with pair as (
    select
        r.item_no, r.side as right_side, w.side as wrong_side,
        if(count(*) over (partition by r.item_no, r.side) > 1, w.side, r.side) as side
    from choice_caption as r
    join choice_caption as w on w.item_no = r.item_no and starts_with(w.side, 'wrong')
    where starts_with(r.side, 'right')
),
learned as (select item_no, side, fold, cue, a, b from choice_gram where cue in ('option', 'question')),
weighed as (
    select p.item_no, p.side, g.fold, g.cue, g.a, g.b, 1 as weight
    from pair as p
    join learned as g on g.item_no = p.item_no and g.side = p.right_side
    union all
    select p.item_no, p.side, g.fold, g.cue, g.a, g.b, -1
    from pair as p
    join learned as g on g.item_no = p.item_no and g.side = p.wrong_side
),
difference as (
    select item_no, side, any_value(fold) as fold, cue, a, b, sum(weight)::integer as difference
    from weighed
    group by item_no, side, cue, a, b
    having sum(weight) <> 0
    qualify min(item_no) over (partition by cue, a, b) < max(item_no) over (partition by cue, a, b)
)
select d.item_no, d.side, d.fold, dense_rank() over (order by d.cue, d.a, d.b)::uinteger as feature, d.difference
from difference as d
order by d.item_no, d.side, feature
