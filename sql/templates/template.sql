-- name: template
-- version: 1
-- grain: template
-- reads: template_skeleton, vocabulary
-- returns: shape, opening, ending, fixed, pattern, captions, fillers, association
--
-- Each template as text, with * for the open token, the captions that contain it, the different tokens in the open
-- position, and the number of its fixed tokens. Token numbers are unpacked as caption_gram packs them.
with holding as (
    select shape, opening, ending, caption_id, any_value(copies) as copies, any_value(association) as association
    from template_skeleton
    group by shape, opening, ending, caption_id
),
filled as (
    select shape, opening, ending, count(distinct filler)::bigint as fillers from template_skeleton group by shape, opening, ending
),
counted as (
    select shape, opening, ending, sum(copies)::bigint as captions, any_value(association) as association
    from holding
    group by shape, opening, ending
),
side as (
    select shape, opening, ending, 1 as part, opening as packed from counted
    union all
    select shape, opening, ending, 2, ending from counted
),
unpacked as (
    select
        shape, opening, ending, part,
        last_packed(unnest([
            packed // first_four_gram(), packed // first_trigram(), packed // first_bigram(), packed
        ])) as token_id,
        unnest([1, 2, 3, 4]) as place
    from side
),
spelled as (
    select
        u.shape, u.opening, u.ending,
        string_agg(v.token, ' ' order by u.place) filter (where u.part = 1) as before,
        string_agg(v.token, ' ' order by u.place) filter (where u.part = 2) as after
    from unpacked as u
    join vocabulary as v on v.token_id = u.token_id::uinteger
    group by u.shape, u.opening, u.ending
)
select
    c.shape, c.opening, c.ending, len(replace(c.shape, '*', ''))::integer as fixed,
    concat_ws(' ', s.before, case when contains(c.shape, '*') then '*' end, s.after) as pattern,
    c.captions, f.fillers, c.association
from counted as c
join spelled as s on s.shape = c.shape and s.opening = c.opening and s.ending = c.ending
join filled as f on f.shape = c.shape and f.opening = c.opening and f.ending = c.ending
