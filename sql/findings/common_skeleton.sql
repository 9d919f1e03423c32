-- name: common_skeleton
-- version: 1
-- grain: caption
-- params: least_share DOUBLE, least_captions INTEGER
-- reads: reference, text_tokens, vocabulary, word_in_list
-- returns: image, slot, why
-- order: r.image, r.slot
--
-- Captions that begin with one of the ten most frequent skeletons, if these make up at least `least_share` of the
-- captions. A skeleton has eight parts: the function words as they are, and * for the words between them (“the * a *
-- with a * and”). So a caption can be long, and its objects can differ. A skeleton counts from `least_captions`
-- captions on. Ties are ranked by spelling.
with placed as (
    select caption_id, unnest(tokens[:32]) as token_id, unnest(range(len(tokens[:32]))) as place
    from text_tokens
    where len(tokens) >= 8
),
word_part as (
    select v.token_id, if(f.word is null, '*', v.token) as part
    from vocabulary as v
    left join word_in_list as f on f.word = lower(v.token)
),
parted as (
    select
        p.caption_id, p.place, w.part,
        w.part = '*' and lag(w.part, 1, '') over (partition by p.caption_id order by p.place) = '*' as goes_on
    from placed as p
    join word_part as w on w.token_id = p.token_id
),
formed as (
    select caption_id, list(part order by place)[:8] as parts
    from parted
    where not goes_on
    group by caption_id
    having count(*) >= 8
),
skeleton_of as (select caption_id, array_to_string(parts, ' ') as skeleton from formed),
frequent as (
    select s.skeleton, count(*) as captions
    from reference as r
    join skeleton_of as s using (caption_id)
    group by s.skeleton
    having count(*) >= $least_captions::integer
    qualify row_number() over (order by count(*) desc, s.skeleton) <= 10
),
whole as (
    select (select count(*) from reference) as captions, (select sum(captions) from frequent) as formed
)
select r.image, r.slot, format('“{}”, as {} of {} captions', s.skeleton, f.captions, w.captions) as why
from reference as r
join skeleton_of as s using (caption_id)
join frequent as f on f.skeleton = s.skeleton
cross join whole as w
where w.formed >= $least_share::double * w.captions
order by r.image, r.slot
