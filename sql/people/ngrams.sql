-- name: ngrams
-- version: 1
-- grain: n-gram of a caption
-- params: ref VARCHAR, n INTEGER, tokenizer VARCHAR = 'bare'
-- reads: tokens
-- returns: dataset, split, image, slot, position, gram
-- column dataset VARCHAR: The dataset.
-- column split VARCHAR: Split of the image; null without a split.
-- column image VARCHAR: The image.
-- column slot UINTEGER: The caption's position among the captions of its image, from 0.
-- column position UINTEGER: Position of the n-gram's first token in the caption, from 1.
-- column gram VARCHAR: Its n tokens, joined by spaces.
-- example: select gram, count(*) as occurrences from ngrams('sample-narrow', 2) group by gram order by all desc limit 3
--
-- The n-grams of a dataset, version or split: n tokens in a row, with a row for each position.
with spoken as (
    select
        dataset, split, image, slot, position,
        string_agg(token, ' ') over words as gram,
        count(*) over words as tokens
    from tokens($ref, $tokenizer)
    window words as (partition by dataset, image, slot order by position rows between current row and $n::integer - 1 following)
)
select dataset, split, image, slot, position, gram
from spoken
where tokens = $n::integer
