-- name: sentence_ngram
-- version: 1
-- grain: selection, side, n-gram
-- params: tokenizer VARCHAR, order INTEGER, trained_captions BIGINT
-- reads: halved, caption_tokens
-- returns: selection_no, side, gram, occurrences
-- cites: Chen & Goodman 1999, section 1: n - 1 times <s> before a sentence; </s> after it, which is predicted
--
-- How often each n-gram of the highest order ends in a token that is predicted: a token of a caption, or </s>. Of the
-- training side the first captions of the draw count (0: all), of the test side all. Five token numbers of 25 bits
-- each fit in one integer, the predicted token lowest: the shorter n-grams that it ends are the integer's lower bits.
-- <s> is 0 and </s> 33554431, which are no numbers of tokens.
with padded as (
    select
        h.selection_no,
        h.side,
        list_concat([0, 0, 0, 0]::uinteger[], t.tokens, [sentence_end()]::uinteger[]) as tokens
    from halved as h
    join caption_tokens as t on t.caption_id = h.caption_id and t.tokenizer = $tokenizer::varchar
    where h.side = 'test' or $trained_captions::bigint = 0 or h.place <= $trained_captions::bigint
),
side_by_side as (
    select
        selection_no,
        side,
        unnest(tokens[5:])::uhugeint as e,
        unnest(tokens[4:])::uhugeint as d,
        unnest(tokens[3:])::uhugeint as c,
        unnest(tokens[2:])::uhugeint as b,
        unnest(tokens)::uhugeint as a
    from padded
),
packed as (
    select
        selection_no,
        side,
        last_tokens(pack_of_model(a, b, c, d, e), $order::integer) as gram
    from side_by_side
    where e is not null
)
select selection_no, side, gram, count(*) as occurrences
from packed
group by selection_no, side, gram
