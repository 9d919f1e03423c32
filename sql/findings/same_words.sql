-- name: same_words
-- version: 1
-- grain: caption that occurs elsewhere
-- params: key VARCHAR, leaking VARCHAR, into VARCHAR
-- reads: reference, caption_tokens
-- returns: image, slot, other_image, other_slot
-- order: t.image_no, t.slot
--
-- The captions with the same tokens as one of another image, by the one tokenizer of the version, `key`, each with the
-- first such caption. Or captions of split `leaking` with the tokens of a caption of split `into`.
with text as (
    select r.image_no, r.image, r.slot, r.split, t.tokens
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
    where len(t.tokens) > 0
),
placed as (
    select tokens, min((image_no, slot, image)) as first, max((image_no, slot, image)) as last
    from text
    where $into::varchar is null or split = $into::varchar
    group by tokens
)
select
    t.image, t.slot,
    case when p.first[1] = t.image_no then p.last[3] else p.first[3] end as other_image,
    case when p.first[1] = t.image_no then p.last[2] else p.first[2] end as other_slot
from text as t
join placed as p on p.tokens = t.tokens
where case when $leaking::varchar is null then p.first[1] <> p.last[1] else t.split = $leaking::varchar end
order by t.image_no, t.slot
