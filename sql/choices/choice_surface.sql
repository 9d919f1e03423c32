-- name: choice_surface
-- version: 2
-- grain: forced-choice item, caption of it
-- params: tokenizer VARCHAR
-- reads: choice_caption, choice_item, caption, caption_tokens, trained_caption
-- returns: item_no, side, length, words, stop, precedes, copied, same_words
-- order: i.item_no, c.side
--
-- Surface features of the captions of an item: characters (without outer spaces), tokens, a final full stop, how many
-- of the others it precedes in the alphabet, whether a training caption is the same, letter for letter. `same_words`:
-- it has the same tokens as the wrong caption, each as often, so a scorer that ignores word order cannot distinguish
-- them.
with bag as (
    select caption_id, list_sort(tokens) as tokens from caption_tokens where tokenizer = $tokenizer::varchar
),
trained as (select distinct caption_id from trained_caption)
select
    i.item_no,
    c.side,
    length(trim(t.text))::uinteger as length,
    len(b.tokens)::uinteger as words,
    ends_with(trim(t.text), '.') as stop,
    (rank() over (partition by i.item_no order by t.text desc) - 1)::uinteger as precedes,
    c.caption_id in (select caption_id from trained) as copied,
    b.tokens = w.tokens as same_words
from choice_caption as c
join choice_item as i using (item_no)
join caption as t on t.caption_id = c.caption_id
join bag as b on b.caption_id = c.caption_id
join bag as w on w.caption_id = i.wrong_id
order by i.item_no, c.side
