-- name: version_integrity
-- version: 3
-- grain: check
-- reads: version, membership, annotation, vector, tag
-- returns: check, subject, checked, faults
-- order: position
--
-- Does every version match the log? Its counts, counted again; annotations of slots that are in each of their
-- versions; one annotation of a slot, and one vector of an image or text, at a time; vectors of one length in each
-- version; tags of existing versions. `checked` and `faults` count rows of the subject.
with standing as (
    select
        'annotation' as subject, to_seq,
        lead(from_seq) over (partition by dataset, image, slot order by from_seq) as next_from
    from annotation
    union all
    select 'vector', to_seq, lead(from_seq) over (partition by dataset, image, text order by from_seq) from vector
),
twice as (select subject, next_from is not null and (to_seq is null or to_seq > next_from) as is_faulty from standing),
bound as (
    select 'annotation' as subject, dataset, unnest([from_seq, to_seq]) as seq from annotation
    union all
    select 'vector', dataset, unnest([from_seq, to_seq]) from vector
),
unlogged as (select subject from bound as b anti join version as v using (dataset, seq) where seq is not null),
held as (
    select v.dataset, v.seq, count(distinct m.image) as images, count(m.image) as captions
    from version as v
    left join membership as m on m.dataset = v.dataset and is_held(m.from_seq, m.to_seq, v.seq)
    group by v.dataset, v.seq
),
held_vectors as (
    select v.dataset, v.seq, count(x.image) as images, count(x.text) as texts, count(distinct len(x.vector)) as lengths
    from version as v
    join vector as x on x.dataset = v.dataset and is_held(x.from_seq, x.to_seq, v.seq)
    group by v.dataset, v.seq
),
homeless as (
    select distinct a.dataset, a.image, a.slot, a.from_seq
    from annotation as a
    join version as v on v.dataset = a.dataset and is_held(a.from_seq, a.to_seq, v.seq)
    anti join membership as m
        on m.dataset = a.dataset and m.image = a.image and m.slot = a.slot and is_held(m.from_seq, m.to_seq, v.seq)
),
checked (position, "check", subject, checked, faults) as (
    select 1, 'the counts are those of the log', 'version', count(*),
        count(*) filter (
            where h.images + coalesce(x.images, 0) <> v.images or h.captions + coalesce(x.texts, 0) <> v.captions
        )
    from version as v join held as h using (dataset, seq) left join held_vectors as x using (dataset, seq)
    union all
    select 2, 'every annotation is of a version', 'annotation', (select count(*) from annotation), count(*)
    from unlogged where subject = 'annotation'
    union all
    select 3, 'every annotation stands at a place', 'annotation', (select count(*) from annotation), count(*)
    from homeless
    union all
    select 4, 'no place holds two annotations at once', 'annotation', count(*), count(*) filter (is_faulty)
    from twice where subject = 'annotation'
    union all
    select 5, 'every tag names a version', 'tag', (select count(*) from tag), count(*)
    from tag as t anti join version as v using (dataset, seq)
    union all
    select 6, 'nothing has two vectors at once', 'vector', count(*), count(*) filter (is_faulty)
    from twice where subject = 'vector'
    union all
    select 7, 'every vector is of an image or a text', 'vector', count(*), count(*) filter ((image is null) = (text is null))
    from vector
    union all
    select 8, 'every vector is of a version', 'vector', (select count(*) from vector), count(*)
    from unlogged where subject = 'vector'
    union all
    select 9, 'vectors of a version are equally long', 'version', count(*), count(*) filter (lengths > 1) from held_vectors
)
select "check", subject, checked, faults
from checked
order by position
