-- name: template_skeleton
-- version: 1
-- grain: template of one shape, caption text that holds it
-- params: shape VARCHAR, least INTEGER
-- reads: template_window
-- returns: shape, opening, ending, filler, caption_id, copies, association
-- cites: Church & Hanks 1990 (association: pointwise mutual information, base 2)
--
-- Templates of one shape (x is a fixed token, * an open one; without *, a long n-gram) in at least `least` captions,
-- with every text that contains them. A template has two parts: the tokens before and after the open position, or the
-- first four tokens and the rest. Each part is packed into one number (caption_gram). Association is log2 of how much
-- more often than by chance the two parts occur together.
with occurrence as materialized (
    select
        caption_id, copies,
        case $shape::varchar
            when 'x*xx' then a
            when 'xx*x' then pack(a::uhugeint, b)
            when 'xx*xx' then pack(a::uhugeint, b)
            when 'xxx*xxx' then pack(a::uhugeint, b, c)
            else pack(a::uhugeint, b, c, d)
        end as opening,
        case $shape::varchar
            when 'x*xx' then pack(c::uhugeint, d)
            when 'xx*x' then d
            when 'xx*xx' then pack(d::uhugeint, e)
            when 'xxx*xxx' then pack(e::uhugeint, f, g)
            when 'xxxxx' then e
            when 'xxxxxx' then pack(e::uhugeint, f)
            when 'xxxxxxx' then pack(e::uhugeint, f, g)
        end as ending,
        case $shape::varchar when 'x*xx' then b when 'xx*x' then c when 'xx*xx' then c when 'xxx*xxx' then d end as filler
    from template_window
),
met as (
    select opening, ending, sum(copies)::bigint as occurrences
    from occurrence
    where opening is not null and ending is not null
    group by opening, ending
),
frequent as materialized (
    select opening, ending, occurrences from met where occurrences >= $least::integer
),
opened as (
    select opening, sum(occurrences)::bigint as occurrences from met semi join frequent as f using (opening) group by opening
),
ended as (
    select ending, sum(occurrences)::bigint as occurrences from met semi join frequent as f using (ending) group by ending
),
size as (select sum(occurrences)::bigint as places from met),
associated as (
    select
        f.opening, f.ending,
        log2(f.occurrences::double * s.places / (o.occurrences::double * e.occurrences)) as association
    from frequent as f
    join opened as o using (opening)
    join ended as e using (ending)
    cross join size as s
)
select
    $shape::varchar as shape, o.opening, o.ending, o.filler, o.caption_id, any_value(o.copies) as copies,
    any_value(a.association) as association
from occurrence as o
join associated as a on a.opening = o.opening and a.ending = o.ending
group by o.opening, o.ending, o.filler, o.caption_id
