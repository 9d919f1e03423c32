-- name: choice_feature
-- version: 1
-- grain: forced-choice item, word or pair of words that one of its captions has more often
-- params: profile VARCHAR, folds INTEGER, seed BIGINT
-- reads: choice_item, caption_tokens
-- returns: item_no, fold, feature, difference
-- order: item_no, feature
--
-- What a learner may see of an item: of each word and pair of neighbours, how often the right caption has it less how often
-- the wrong one does. What one item alone has teaches nothing of others. All items of an image are in one fold, by md5.
with padded as (
    select caption_id, list_concat([0]::uinteger[], tokens, [sentence_end()]::uinteger[]) as tokens
    from caption_tokens
    where profile = $profile::varchar
),
side as (
    select item_no, image, right_id as caption_id, 1 as weight from choice_item
    union all
    select item_no, image, wrong_id, -1 from choice_item
),
word as (
    select s.item_no, s.image, s.weight, unnest(p.tokens)::ubigint as token, unnest(p.tokens[2:])::ubigint as next_token
    from side as s
    join padded as p using (caption_id)
),
counted as (
    select item_no, image, token as feature, weight from word
    union all
    select item_no, image, pack(token + 1, next_token), weight from word where next_token is not null
)
select
    item_no,
    (md5_number(concat_ws(chr(31), 'fold', $seed::bigint, any_value(image))) % $folds::integer::uhugeint)::integer as fold,
    feature,
    sum(weight)::integer as difference
from counted
group by item_no, feature
having sum(weight) <> 0
qualify count(*) over (partition by feature) > 1
order by item_no, feature
