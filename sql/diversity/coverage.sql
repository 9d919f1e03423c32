-- name: coverage
-- version: 3
-- grain: list, decile of the evaluation words
-- params: tokenizer VARCHAR, all_images BOOLEAN
-- reads: list_caption, evaluated_image, caption_tokens, trained_word, word_to_cover, vocabulary
-- returns: list_no, decile, types, learnable, recalled
-- order: l.list_no, c.decile
-- cites: van Miltenburg et al. 2018, equations 1-4, figure 4
--
-- How many of the words of human captions can be learned from the training data, and how many of those a list has.
-- Images are those in both datasets, or all. A decile has a tenth of all words of human captions, rounded up, the most
-- frequent first, ties by the word. This is as in the paper's code; its text describes deciles of the learnable words.
with ranked as (
    select e.token_id, row_number() over (order by e.occurrences desc, v.token) as number, count(*) over () as types
    from word_to_cover as e
    join vocabulary as v on v.token_id = e.token_id
),
cut as (select token_id, (number - 1) // ((types + 9) // 10) + 1 as decile from ranked),
list as (select distinct list_no from list_caption),
covering_word as (
    select distinct l.list_no, unnest(t.tokens) as token_id
    from list_caption as l
    join caption_tokens as t on t.caption_id = l.caption_id and t.tokenizer = $tokenizer::varchar
    where $all_images::boolean or l.image in (select image from evaluated_image)
)
select
    l.list_no, c.decile,
    count(*) as types,
    count(t.token_id) as learnable,
    count(g.token_id) filter (where t.token_id is not null) as recalled
from list as l
cross join cut as c
left join trained_word as t on t.token_id = c.token_id
left join covering_word as g on g.list_no = l.list_no and g.token_id = c.token_id
group by l.list_no, c.decile
order by l.list_no, c.decile
