-- name: asked_ngram
-- version: 2
-- grain: predicted token of a caption of an item
-- params: tokenizer VARCHAR, order INTEGER
-- reads: choice_caption, caption_tokens
-- returns: caption_id, gram
--
-- The n-grams of the captions of items, one for each token and for </s>, packed as in `sentence_ngram`.
with padded as (
    select a.caption_id, list_concat([0, 0, 0, 0]::uinteger[], t.tokens, [sentence_end()]::uinteger[]) as tokens
    from (select distinct caption_id from choice_caption) as a
    join caption_tokens as t on t.caption_id = a.caption_id and t.tokenizer = $tokenizer::varchar
),
side_by_side as (
    select
        caption_id,
        unnest(tokens[5:])::uhugeint as e, unnest(tokens[4:])::uhugeint as d, unnest(tokens[3:])::uhugeint as c,
        unnest(tokens[2:])::uhugeint as b, unnest(tokens)::uhugeint as a
    from padded
)
select caption_id, last_tokens(pack_of_model(a, b, c, d, e), $order::integer) as gram
from side_by_side
where e is not null
