-- name: choice_gram
-- version: 1
-- grain: caption of a forced-choice item, part of it that may give the answer away
-- params: tokenizer VARCHAR, folds INTEGER, seed BIGINT
-- reads: choice_item, choice_caption, caption_tokens
-- returns: item_no, side, fold, cue, a, b
--
-- What a blind scorer may learn: the text of an option, its place, its words and bigrams, and words and bigrams of the
-- question beside the text. `a` and `b` identify it within its cue. All items of an image are in one fold, by md5.
with padded as (
    select caption_id, list_concat([0]::uinteger[], tokens, [sentence_end()]::uinteger[]) as tokens
    from caption_tokens
    where tokenizer = $tokenizer::varchar
),
word as (select caption_id, unnest(tokens)::ubigint as token, unnest(tokens[2:])::ubigint as next_token from padded),
gram as (
    select caption_id, token as gram from word
    union all
    select caption_id, pack(token + 1, next_token) from word where next_token is not null
),
found as (
    select item_no, side, 'answer' as cue, caption_id::ubigint as a, 0::ubigint as b from choice_caption
    union all
    select item_no, side, 'position', place::ubigint, 0 from choice_caption where place is not null
    union all
    select c.item_no, c.side, 'option', g.gram, 0 from choice_caption as c join gram as g using (caption_id)
    union all
    select c.item_no, c.side, 'question', g.gram, c.caption_id
    from choice_caption as c
    join choice_item as i using (item_no)
    join gram as g on g.caption_id = i.asked_id
)
select
    f.item_no, f.side,
    remainder_of(md5_number(concat_ws(chr(31), 'fold', $seed::bigint, i.image)), $folds::integer)::integer as fold,
    f.cue, f.a, f.b
from found as f
join choice_item as i using (item_no)
