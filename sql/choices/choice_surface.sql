-- name: choice_surface
-- version: 1
-- grain: forced-choice item
-- params: profile VARCHAR
-- reads: choice_text, choice_item, caption_tokens, trained_caption
-- returns: item_no, right_length, wrong_length, right_words, wrong_words, right_stop, wrong_stop, right_copied, wrong_copied, same_words
-- order: i.item_no
--
-- What of the two captions of an item is seen without reading them: characters (blanks at the ends aside), tokens, a final
-- full stop, whether a training caption is the same, letter for letter; and whether both are made of the same tokens, each as
-- often, which no score that is blind to order can tell apart.
with bag as (
    select caption_id, list_sort(tokens) as tokens from caption_tokens where profile = $profile::varchar
),
trained as (select distinct caption_id from trained_caption)
select
    i.item_no,
    length(trim(t.right_text))::uinteger as right_length,
    length(trim(t.wrong_text))::uinteger as wrong_length,
    len(r.tokens)::uinteger as right_words,
    len(w.tokens)::uinteger as wrong_words,
    ends_with(trim(t.right_text), '.') as right_stop,
    ends_with(trim(t.wrong_text), '.') as wrong_stop,
    i.right_id in (select caption_id from trained) as right_copied,
    i.wrong_id in (select caption_id from trained) as wrong_copied,
    r.tokens = w.tokens as same_words
from choice_item as i
join choice_text as t using (item_no)
join bag as r on r.caption_id = i.right_id
join bag as w on w.caption_id = i.wrong_id
order by i.item_no
