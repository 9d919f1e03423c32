-- name: refused_vector
-- version: 1
-- grain: record
-- reads: staged_vector, accepted_vector
-- returns: source, unit, line, reason, raw
-- order: o.position
--
-- The rejected records, and why; a record that repeats a vector is not rejected.
with other as (
    select position, source, unit, line, image, text, vector, reason from staged_vector anti join accepted_vector using (position)
)
select
    o.source, o.unit, o.line,
    coalesce(o.reason, if(o.image is null, 'this text has a vector already', 'image ' || o.image || ' has a vector already')
        || ', with other numbers, in ' || f.source || ', ' || f.unit || ' ' || f.line) as reason,
    coalesce(o.image, o.text) as raw
from other as o
left join accepted_vector as a
    on a.image is not distinct from o.image and a.text is not distinct from o.text and o.reason is null
left join staged_vector as f on f.position = a.position
where o.reason is not null or f.vector is distinct from o.vector
order by o.position
