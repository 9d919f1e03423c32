-- name: sentence_ngram
-- version: 1
-- grain: selection, side, n-gram
-- params: tokenizer VARCHAR, order INTEGER, trained_captions BIGINT
-- reads: train_test_half, caption_tokens
-- returns: selection_no, side, gram, occurrences
-- cites: Chen & Goodman 1999, section 1: n - 1 times <s> before a sentence; </s> after it, which is predicted
--
-- The frequency of each n-gram of the highest order that ends in a predicted token: a token of a caption, or </s>. The
-- training side uses the first $trained_captions captions of its random order (0: all), the test side all. Five token
-- numbers of 25 bits each fit in one integer, the predicted token lowest: shorter n-grams are its lower bits. <s> is 0
-- and </s> is 33554431; neither is the number of a token.
with padded as (
    select
        h.selection_no, h.side,
        list_concat([0, 0, 0, 0]::uinteger[], t.tokens, [sentence_end()]::uinteger[]) as tokens
    from train_test_half as h
    join caption_tokens as t on t.caption_id = h.caption_id and t.tokenizer = $tokenizer::varchar
    where h.side = 'test' or $trained_captions::bigint = 0 or h.place <= $trained_captions::bigint
),
side_by_side as (
    select
        selection_no, side,
        unnest(tokens[5:])::uhugeint as e, unnest(tokens[4:])::uhugeint as d, unnest(tokens[3:])::uhugeint as c,
        unnest(tokens[2:])::uhugeint as b, unnest(tokens)::uhugeint as a
    from padded
),
packed as (
    select selection_no, side, last_tokens(pack_of_model(a, b, c, d, e), $order::integer) as gram
    from side_by_side
    where e is not null
)
select selection_no, side, gram, count(*) as occurrences
from packed
group by selection_no, side, gram
