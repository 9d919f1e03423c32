-- name: duplicate_slot
-- version: 1
-- grain: question, slot
-- reads: question, side_caption, duplicate
-- returns: question_no, slot, exact, near, of_captions
-- order: d.question_no, d.slot
--
-- The number of captions of each slot with a duplicate, of those with a word. Slots without duplicates are not listed.
with base as (
    select q.question_no, s.slot, count(s.text_no) as captions
    from question as q
    join side_caption as s on s.side_no = q.side_no
    where q.scope in ('across-images', 'across-datasets', 'across-versions')
    group by q.question_no, s.slot
)
select
    d.question_no, d.slot,
    count(*) filter (where d.exact) as exact,
    count(*) filter (where not d.exact) as near,
    any_value(b.captions) as of_captions
from duplicate as d
join base as b on b.question_no = d.question_no and b.slot = d.slot
group by d.question_no, d.slot
order by d.question_no, d.slot
