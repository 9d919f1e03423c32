-- name: tokens
-- version: 1
-- grain: token of a caption
-- params: ref VARCHAR, tokenizer VARCHAR = 'bare'
-- reads: resolved, membership, caption_tokens, vocabulary
-- returns: dataset, split, image, slot, position, token
-- column dataset VARCHAR: The dataset.
-- column split VARCHAR: Split of the image; null without a split.
-- column image VARCHAR: The image.
-- column slot UINTEGER: The caption's position among the captions of its image, from 0.
-- column position UINTEGER: Position of the token in the caption, from 1.
-- column token VARCHAR: The token.
-- example: select token, count(*) as occurrences from tokens('sample-narrow') group by token order by all desc limit 3
--
-- The tokens of a dataset, version or split, one row each. Captions without tokens of this tokenizer are an error.
with asked as (
    -- separate, because a parameter may not have the name of a column next to it
    select $tokenizer::varchar as named
),
selected as (
    select r.dataset, m.split, m.image, m.slot, m.caption_id
    from resolved($ref) as r
    join main.membership as m
        on m.dataset = r.dataset and m.from_seq <= r.seq and (m.to_seq is null or m.to_seq > r.seq)
            and (r.split is null or m.split = r.split)
),
lacking as (
    select count(*) as captions
    from selected
    where caption_id not in (select k.caption_id from main.caption_tokens as k where k.tokenizer = (select named from asked))
),
placed as (
    select caption_id, generate_subscripts(tokens, 1)::uinteger as position, unnest(tokens) as token_id
    from main.caption_tokens as k
    where k.tokenizer = (select named from asked) and caption_id in (select caption_id from selected)
    union all
    select
        error(
            'tokens of ' || $tokenizer::varchar || ' are missing for ' || captions || ' captions of ' || $ref::varchar
            || '; `auditor profile ' || $ref::varchar || ' --tokenizer ' || $tokenizer::varchar || '` stores them'
        )::uinteger, null, null
    from lacking
    where captions > 0
)
select s.dataset, s.split, s.image, s.slot, p.position, v.token
from selected as s
join placed as p using (caption_id)
join main.vocabulary as v using (token_id)
