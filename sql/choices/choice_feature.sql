-- name: choice_feature
-- version: 2
-- grain: right caption of a forced-choice item, word or pair of words that it or the wrong one has more often
-- params: tokenizer VARCHAR, folds INTEGER, seed BIGINT
-- reads: choice_caption, caption_tokens
-- returns: item_no, side, fold, feature, difference
-- order: item_no, side, feature
--
-- The features of an item for the linear model: for each word and bigram, its frequency in a right caption minus that
-- in the wrong one. Features of a single item are left out, since they do not generalize. All items of an image are in
-- one fold, by md5.
with padded as (
    select caption_id, list_concat([0]::uinteger[], tokens, [sentence_end()]::uinteger[]) as tokens
    from caption_tokens
    where tokenizer = $tokenizer::varchar
),
side as (
    select item_no, side, image, caption_id, 1 as weight from choice_caption where side <> 'wrong'
    union all
    select r.item_no, r.side, r.image, w.caption_id, -1
    from choice_caption as r
    join choice_caption as w on w.item_no = r.item_no and w.side = 'wrong'
    where r.side <> 'wrong'
),
word as (
    select
        s.item_no, s.side, s.image, s.weight, unnest(p.tokens)::ubigint as token, unnest(p.tokens[2:])::ubigint as next_token
    from side as s
    join padded as p using (caption_id)
),
counted as (
    select item_no, side, image, token as feature, weight from word
    union all
    select item_no, side, image, pack(token + 1, next_token), weight from word where next_token is not null
)
select
    item_no,
    side,
    (md5_number(concat_ws(chr(31), 'fold', $seed::bigint, any_value(image))) % $folds::integer::uhugeint)::integer as fold,
    feature,
    sum(weight)::integer as difference
from counted
group by item_no, side, feature
having sum(weight) <> 0
qualify min(item_no) over (partition by feature) < max(item_no) over (partition by feature)
order by item_no, side, feature
