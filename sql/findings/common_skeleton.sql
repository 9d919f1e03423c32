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
    select
        caption_id, unnest(tokens[:32]) as token_id, unnest(list_prepend(null, tokens[:31])[:len(tokens)]) as before,
        unnest(range(len(tokens[:32]))) as place
    from text_tokens
    where len(tokens) >= 8
),
function as (
    select v.token_id, v.token from vocabulary as v semi join word_in_list as f on f.word = lower(v.token)
),
skeleton_of as (
    select p.caption_id, array_to_string(list(coalesce(f.token, '*') order by p.place)[:8], ' ') as skeleton
    from placed as p
    left join function as f using (token_id)
    left join function as b on b.token_id = p.before
    where f.token_id is not null or b.token_id is not null or p.before is null
    group by p.caption_id
    having count(*) >= 8
),
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
