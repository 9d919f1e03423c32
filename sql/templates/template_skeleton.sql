-- name: template_skeleton
-- version: 2
-- grain: template of one shape, caption text that holds it
-- params: shape VARCHAR, least INTEGER
-- reads: template_window
-- returns: shape, opening, ending, filler, caption_id, copies, association
-- cites: Church & Hanks 1990 (association: pointwise mutual information, base 2)
--
-- Templates of one shape (x is a fixed token, * an open one; without *, a long n-gram) in at least `least` captions,
-- with every text that contains them. A template has two parts: the tokens before and after the open position, or the
-- first four tokens and the rest. Each part is packed into one number (caption_gram). Association is log2 of how much
-- more often than by chance both occur. A part with two tokens that rarely follow each other is null.
with occurrence as (
    select
        caption_id, copies,
        case $shape::varchar
            when 'x*xx' then a
            when 'xx*x' then if(ab, pack(a::uhugeint, b), null)
            when 'xx*xx' then if(ab, pack(a::uhugeint, b), null)
            when 'xxx*xxx' then if(ab and bc, pack(a::uhugeint, b, c), null)
            else if(ab and bc and cd, pack(a::uhugeint, b, c, d), null)
        end as opening,
        case $shape::varchar
            when 'x*xx' then if(cd, pack(c::uhugeint, d), null)
            when 'xx*x' then d
            when 'xx*xx' then if(de, pack(d::uhugeint, e), null)
            when 'xxx*xxx' then if(ef and fg, pack(e::uhugeint, f, g), null)
            when 'xxxxx' then e
            when 'xxxxxx' then if(ef, pack(e::uhugeint, f), null)
            when 'xxxxxxx' then if(ef and fg, pack(e::uhugeint, f, g), null)
        end as ending,
        case $shape::varchar when 'x*xx' then b when 'xx*x' then c when 'xx*xx' then c when 'xxx*xxx' then d end as filler,
        contains($shape::varchar, '*') or de as joined
    from template_window
    where case len($shape::varchar) when 4 then d when 5 then e when 6 then f else g end is not null
),
frequent as materialized (
    select opening, ending, sum(copies)::bigint as occurrences
    from occurrence
    where joined and opening is not null and ending is not null
    group by opening, ending
    having sum(copies) >= $least::integer
),
opened as (
    select opening, sum(copies)::bigint as occurrences
    from occurrence
    semi join frequent as f using (opening)
    group by opening
),
ended as (
    select ending, sum(copies)::bigint as occurrences
    from occurrence
    semi join frequent as f using (ending)
    group by ending
),
size as (select sum(copies)::bigint as places from occurrence),
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
where o.joined
group by o.opening, o.ending, o.filler, o.caption_id
