-- name: refused_vector
-- version: 1
-- grain: record
-- reads: staged_vector, accepted_vector
-- returns: source, unit, line, reason, raw
--
-- The records that are not kept, and why; one that repeats a vector is none of them.
select
    s.source, s.unit, s.line,
    coalesce(s.reason, if(s.image is null, 'this text has a vector already', 'image ' || s.image || ' has a vector already')
        || ', with other numbers, in ' || f.source || ', ' || f.unit || ' ' || f.line) as reason,
    coalesce(s.image, s.text) as raw
from staged_vector as s
left join accepted_vector as a
    on a.image is not distinct from s.image and a.text is not distinct from s.text and s.reason is null
left join staged_vector as f on f.position = a.position
where s.reason is not null or (a.position <> s.position and a.vector is distinct from s.vector)
order by s.position
