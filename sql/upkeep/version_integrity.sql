-- name: version_integrity
-- version: 2
-- grain: check
-- reads: version, membership, annotation, vector, tag
-- returns: check, subject, checked, faults
-- order: position
--
-- Does every version match the log? Its counts, counted again; annotations of slots that are in each of their
-- versions; one annotation of a slot at a time; tags of existing versions. `checked` and `faults` count rows of the
-- subject.
with stretch as (
    select
        dataset, image, slot, from_seq, to_seq, lead(from_seq) over (
            partition by dataset, image, slot order by from_seq
        ) as next_from
    from annotation
),
bound as (
    select dataset, from_seq as seq from annotation
    union all
    select dataset, to_seq from annotation where to_seq is not null
),
held as (
    select v.dataset, v.seq, count(distinct m.image) as images, count(m.image) as captions
    from version as v
    left join membership as m
        on m.dataset = v.dataset and m.from_seq <= v.seq and (m.to_seq is null or m.to_seq > v.seq)
    group by v.dataset, v.seq
),
held_vectors as (
    select v.dataset, v.seq, count(x.image) as images, count(x.text) as texts
    from version as v
    join vector as x on x.dataset = v.dataset and x.from_seq <= v.seq and (x.to_seq is null or x.to_seq > v.seq)
    group by v.dataset, v.seq
),
homeless as (
    select distinct a.dataset, a.image, a.slot, a.from_seq
    from annotation as a
    join version as v on v.dataset = a.dataset and v.seq >= a.from_seq and (a.to_seq is null or v.seq < a.to_seq)
    anti join membership as m
        on m.dataset = a.dataset and m.image = a.image and m.slot = a.slot
        and m.from_seq <= v.seq and (m.to_seq is null or m.to_seq > v.seq)
),
checked (position, "check", subject, checked, faults) as (
    select 1, 'the counts are those of the log', 'version', count(*),
        count(*) filter (
            where h.images + coalesce(x.images, 0) <> v.images or h.captions + coalesce(x.texts, 0) <> v.captions
        )
    from version as v join held as h using (dataset, seq) left join held_vectors as x using (dataset, seq)
    union all
    select 2, 'every annotation is of a version', 'annotation', (select count(*) from annotation), count(*)
    from bound as b anti join version as v using (dataset, seq)
    union all
    select 3, 'every annotation stands at a place', 'annotation', (select count(*) from annotation), count(*)
    from homeless
    union all
    select 4, 'no place holds two annotations at once', 'annotation', count(*),
        count(*) filter (where next_from is not null and (to_seq is null or to_seq > next_from))
    from stretch
    union all
    select 5, 'every tag names a version', 'tag', (select count(*) from tag), count(*)
    from tag as t anti join version as v using (dataset, seq)
)
select "check", subject, checked, faults
from checked
order by position
