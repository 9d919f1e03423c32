-- name: vector_integrity
-- version: 1
-- grain: check
-- reads: version, vector
-- returns: check, subject, checked, faults
-- order: position
--
-- Vectors compared with each other and the log: one vector of an image or text at a time, in a version that exists,
-- and all of one length in each version.
with stretch as (
    select
        dataset, image, text, from_seq, to_seq, lead(from_seq) over (
            partition by dataset, image, text order by from_seq
        ) as next_from
    from vector
),
bound as (
    select dataset, from_seq as seq from vector
    union all
    select dataset, to_seq from vector where to_seq is not null
),
lengths as (
    select w.dataset, w.seq, count(distinct len(v.vector)) as lengths
    from version as w
    join vector as v on v.dataset = w.dataset and v.from_seq <= w.seq and (v.to_seq is null or v.to_seq > w.seq)
    group by w.dataset, w.seq
),
checked (position, "check", subject, checked, faults) as (
    select 1, 'nothing has two vectors at once', 'vector', count(*),
        count(*) filter (where next_from is not null and (to_seq is null or to_seq > next_from))
    from stretch
    union all
    select 2, 'every vector is of an image or a text', 'vector', count(*), count(*) filter (where (image is null) = (text is null))
    from vector
    union all
    select 3, 'every vector is of a version', 'vector', (select count(*) from vector), count(*)
    from bound as b anti join version as w using (dataset, seq)
    union all
    select 4, 'vectors of a version are equally long', 'version', count(*), count(*) filter (where lengths > 1) from lengths
)
select "check", subject, checked, faults
from checked
order by position
