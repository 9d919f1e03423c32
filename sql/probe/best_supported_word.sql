-- name: best_supported_word
-- version: 1
-- grain: held-out caption
-- reads: reference, reference_word
-- returns: image, slot, token_id, token, mean_length
-- cites: Vedantam et al. 2015, section 8: words of higher confidence; section 4, eq. 1: idf
--
-- The word of each caption with the strongest support from its references: the number of other captions with it, times
-- its idf (over images whose captions have it), ties by spelling. Null if no other caption shares a word, or only words
-- that every image has. `mean_length` is that of the other captions of the image, rounded; null without any.
with used_word as (select distinct image, slot, token_id, token from reference_word),
agreed as (select image, token_id, count(*) as captions from used_word group by image, token_id),
spread as (select token_id, count(*) as images from agreed group by token_id),
total as (select count(distinct image) as images from reference),
weighed as (
    select s.image, s.slot, s.token_id, s.token, (a.captions - 1) * ln(t.images / d.images) as weight
    from used_word as s
    join agreed as a on a.image = s.image and a.token_id = s.token_id
    join spread as d on d.token_id = s.token_id
    cross join total as t
),
ranked as (
    select image, slot, token_id, token, row_number() over (partition by image, slot order by weight desc, token) as place
    from weighed
    where weight > 0
),
described as (
    select
        image, slot, length, sum(length) over (partition by image) as words, count(*) over (partition by image) as captions
    from reference
)
select
    d.image, d.slot, w.token_id, w.token,
    case when d.captions > 1 then ((2 * (d.words - d.length) + d.captions - 1) // (2 * (d.captions - 1)))::uinteger end as mean_length
from described as d
left join ranked as w on w.image = d.image and w.slot = d.slot and w.place = 1
