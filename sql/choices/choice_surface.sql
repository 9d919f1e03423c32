-- name: choice_surface
-- version: 1
-- grain: forced-choice item
-- params: profile VARCHAR
-- reads: choice_item, caption, caption_tokens, trained_caption
-- returns: item_no, right_text, wrong_text, right_words, wrong_words, right_stop, wrong_stop, right_copied, wrong_copied, same_words
--
-- What of the two captions of an item is seen without reading them: tokens, a final full stop, whether a training caption is
-- the same, letter for letter; and whether both are made of the same tokens, each as often, which no score that is blind to
-- order can tell apart.
with worded as (
    select c.caption_id, c.text, t.tokens, list_sort(t.tokens) as bag, ends_with(rtrim(c.text), '.') as stop
    from caption as c
    join caption_tokens as t on t.caption_id = c.caption_id and t.profile = $profile::varchar
),
trained as (select distinct caption_id from trained_caption)
select
    i.item_no,
    r.text as right_text,
    w.text as wrong_text,
    len(r.tokens)::uinteger as right_words,
    len(w.tokens)::uinteger as wrong_words,
    r.stop as right_stop,
    w.stop as wrong_stop,
    i.right_id in (select caption_id from trained) as right_copied,
    i.wrong_id in (select caption_id from trained) as wrong_copied,
    r.bag = w.bag as same_words
from choice_item as i
join worded as r on r.caption_id = i.right_id
join worded as w on w.caption_id = i.wrong_id
order by i.item_no
