-- name: choice_surface
-- version: 3
-- grain: forced-choice item, caption of it
-- params: tokenizer VARCHAR
-- reads: choice_caption, caption, caption_tokens, trained_caption
-- returns: item_no, side, length, words, stop, precedes, copied, same_words
-- order: c.item_no, c.side
--
-- Surface features of the captions of an item: characters (without outer spaces), tokens, a final full stop, how many
-- of the others it precedes in the alphabet, whether a training caption is the same, letter for letter. `same_words`: a
-- right and a wrong caption have its tokens, each as often, so only word order distinguishes them.
with trained as (select distinct caption_id from trained_caption)
select
    c.item_no, c.side,
    length(trim(t.text))::uinteger as length,
    len(b.tokens)::uinteger as words,
    ends_with(trim(t.text), '.') as stop,
    (rank() over (partition by c.item_no order by t.text desc) - 1)::uinteger as precedes,
    c.caption_id in (select caption_id from trained) as copied,
    bool_or(starts_with(c.side, 'right')) over bag and bool_or(starts_with(c.side, 'wrong')) over bag as same_words
from choice_caption as c
join caption as t on t.caption_id = c.caption_id
join caption_tokens as b on b.caption_id = c.caption_id and b.tokenizer = $tokenizer::varchar
window bag as (partition by c.item_no, list_sort(b.tokens))
order by c.item_no, c.side
