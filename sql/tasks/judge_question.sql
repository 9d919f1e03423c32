-- name: judge_question
-- version: 2
-- grain: question for raters
-- params: seed BIGINT, kind VARCHAR, asked_images INTEGER, asked_references INTEGER
-- reads: content, task_pair
-- returns: image, task, reference, a, b, c, category, origin_b, origin_c, swapped
-- order: image, place, reference
-- cites: Vedantam et al. 2015, section 3: triplets of a reference A and candidates B and C; appendix I: pairs B and C
--
-- Triplets: each pair of candidates with each reference that is not a candidate itself, or with the first $asked_references
-- of them in the order of --references. Pairs: B and C alone. Equal texts and empty texts make no question. Images are the
-- first $asked_images by md5. The order of B and C is random (swapped). Texts are trimmed, so spaces do not distinguish
-- them. `task` is a hash of what the question shows; a repeat gets a number.
with shown as (
    select image, place, category, origin_b, origin_c, held_out_b, held_out_c, trim(b) as b, trim(c) as c
    from task_pair
    where trim(b) <> trim(c) and regexp_matches(b, '[^\s\p{Z}\p{Cf}]') and regexp_matches(c, '[^\s\p{Z}\p{Cf}]')
),
compared as (
    select
        s.image, s.place, r.slot, r.text,
        row_number() over (
            partition by s.image, s.place
            order by md5_number(concat_ws(chr(31), 'reference', $seed::bigint, r.image, r.slot)), r.slot
        ) as rank,
        count(*) over (partition by s.image, s.place) as slots
    from shown as s
    join content as r on r.image = s.image
    where $kind::varchar = 'triplets'
        and (s.held_out_b is null or r.slot <> s.held_out_b)
        and (s.held_out_c is null or r.slot <> s.held_out_c)
        and regexp_matches(r.text, '[^\s\p{Z}\p{Cf}]')
),
asked as (
    select s.image, s.place, s.category, s.origin_b, s.origin_c, s.b, s.c, r.slot as reference, r.text as a
    from shown as s
    join compared as r on r.image = s.image and r.place = s.place
    where r.slots >= coalesce($asked_references::integer, 1) and r.rank <= coalesce($asked_references::integer, r.rank)
    union all
    select image, place, category, origin_b, origin_c, b, c, null::uinteger, null::varchar
    from shown
    where $kind::varchar = 'pairs'
),
turned as (
    select
        image, place, category, reference, a, b, c, origin_b, origin_c,
        md5_number(concat_ws(chr(31), 'turned', $seed::bigint, image, place, reference)) % 2 = 1 as swapped,
        dense_rank() over (order by md5_number(concat_ws(chr(31), 'image', $seed::bigint, image)), image) as image_rank
    from asked
),
laid_out as (
    select
        image, place, category, reference, a, swapped, image_rank,
        case when swapped then c else b end as b,
        case when swapped then b else c end as c,
        case when swapped then origin_c else origin_b end as origin_b,
        case when swapped then origin_b else origin_c end as origin_c
    from turned
),
named as (
    select
        image, place, category, reference, a, b, c, origin_b, origin_c, swapped, image_rank,
        concat('t', left(md5(concat_ws(chr(31), $kind::varchar, image, trim(a), b, c)), 16)) as name
    from laid_out
),
counted as (
    select
        image, place, category, reference, a, b, c, origin_b, origin_c, swapped, image_rank, name,
        row_number() over (partition by name order by place, reference) as copy
    from named
)
select
    image,
    case when copy = 1 then name else concat(name, '-', copy) end as task,
    reference, a, b, c, category, origin_b, origin_c, swapped
from counted
where image_rank <= coalesce($asked_images::integer, image_rank)
order by image, place, reference
