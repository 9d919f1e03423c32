-- name: duplicate_count
-- version: 1
-- grain: question, kind of match
-- reads: question, side_caption, duplicate
-- returns: question_no, position, match, captions, images, texts, of_captions, of_images
-- order: q.question_no, k.position
--
-- The number of captions of a side that have a duplicate: exact, near (and not exact), or either. Also the number of
-- their images and of their different texts. Shares are of the captions with a word; within images, of those at an
-- image with several captions.
with described as (
    select side_no, image_no, count(text_no) as captions
    from side_caption
    group by side_no, image_no
    having count(text_no) > 0
),
base as (
    select
        q.question_no,
        sum(d.captions) filter (where q.scope <> 'within-image' or d.captions > 1) as captions,
        count(*) filter (where q.scope <> 'within-image' or d.captions > 1) as images
    from question as q
    join described as d on d.side_no = q.side_no
    group by q.question_no
),
matched as (
    select question_no, case when exact then 'exact' else 'near' end as match, image_no, text_no
    from duplicate
    union all
    select question_no, 'any', image_no, text_no
    from duplicate
),
counted as (
    select
        question_no, match,
        count(*) as captions, count(distinct image_no) as images, count(distinct text_no) as texts
    from matched
    group by question_no, match
),
kind (position, match) as (values (1, 'exact'), (2, 'near'), (3, 'any'))
select
    q.question_no, k.position, k.match,
    coalesce(c.captions, 0) as captions,
    coalesce(c.images, 0) as images,
    coalesce(c.texts, 0) as texts,
    coalesce(b.captions, 0)::bigint as of_captions,
    coalesce(b.images, 0) as of_images
from question as q
cross join kind as k
left join base as b on b.question_no = q.question_no
left join counted as c on c.question_no = q.question_no and c.match = k.match
order by q.question_no, k.position
