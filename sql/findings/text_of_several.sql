-- name: text_of_several
-- version: 1
-- grain: text of several captions; all others are one row without tokens
-- params: key VARCHAR
-- reads: reference, caption_tokens
-- returns: tokens, captions, images, first_image, first_slot
--
-- How many captions and images have each text, and its first caption. Texts are equal by the tokens of tokenizer `key`.
with counted as (
    select t.tokens, count(*) as captions, count(distinct r.image) as images, min((r.image, r.slot)) as first_place
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
    group by t.tokens
)
select tokens, captions, images, first_place[1] as first_image, first_place[2] as first_slot
from counted
where captions > 1 and len(tokens) > 0
union all
select [], coalesce(sum(captions), 0)::bigint, 0, null, null
from counted
where captions = 1 or len(tokens) = 0
