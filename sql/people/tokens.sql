-- name: tokens
-- version: 1
-- grain: token of a caption
-- params: ref VARCHAR, tokenizer VARCHAR = 'bare'
-- reads: resolved, membership, caption_tokens, vocabulary
-- returns: dataset, split, image, slot, position, token
-- column dataset VARCHAR: The dataset.
-- column split VARCHAR: Split of the image; null where it is in none.
-- column image VARCHAR: The image.
-- column slot UINTEGER: The caption's position among the captions of its image, from 0.
-- column position UINTEGER: Position of the token in the caption, from 1.
-- column token VARCHAR: The token.
-- example: select token, count(*) as occurrences from tokens('sample-narrow') group by token order by all desc limit 3
--
-- The tokens of a dataset, version or split, a row each. Captions that have none by this tokenizer yet are an error.
with said as (
    select r.dataset, m.split, m.image, m.slot, m.caption_id
    from resolved($ref) as r
    join main.membership as m
        on m.dataset = r.dataset and m.from_seq <= r.seq and (m.to_seq is null or m.to_seq > r.seq)
            and (r.split is null or m.split = r.split)
),
lacking as (
    select count(*) as captions
    from said
    where caption_id not in (select caption_id from main.caption_tokens where profile = $tokenizer::varchar)
),
placed as (
    select caption_id, generate_subscripts(tokens, 1)::uinteger as position, unnest(tokens) as token_id
    from main.caption_tokens
    where profile = $tokenizer::varchar and caption_id in (select caption_id from said)
    union all
    select
        error(
            'no tokens by ' || $tokenizer::varchar || ' are stored of ' || captions || ' captions of ' || $ref::varchar
            || '; `auditor profile ' || $ref::varchar || ' --tokenizer ' || $tokenizer::varchar || '` stores them'
        )::uinteger, null, null
    from lacking
    where captions > 0
)
select s.dataset, s.split, s.image, s.slot, p.position, v.token
from said as s
join placed as p using (caption_id)
join main.vocabulary as v using (token_id)
