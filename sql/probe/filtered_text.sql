-- name: filtered_text
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR, function_words BOOLEAN, last_text UINTEGER
-- reads: reference, reference_word, word_in_list
-- returns: candidate, image, slot, caption_id, tokens, text
-- cites: Wang & Gaizauskas 2016, section 6: which components of descriptions matter to each metric
--
-- Each caption without its function words, or with only those ($function_words: whether they stay). Words are looked up
-- in lower case, because tokenizer whitespace keeps capitals.
with gathered as (
    select
        w.image, w.slot,
        list(w.token_id order by w.position) as tokens,
        string_agg(w.token, ' ' order by w.position) as text
    from reference_word as w
    left join word_in_list as f on f.word = lower(w.token)
    where (f.word is not null) = $function_words::boolean
    group by w.image, w.slot
)
select
    $label::varchar as candidate,
    r.image,
    r.slot,
    ($last_text::uinteger + row_number() over (order by r.image, r.slot))::uinteger as caption_id,
    coalesce(g.tokens, []::uinteger[]) as tokens,
    coalesce(g.text, '') as text
from reference as r
left join gathered as g on g.image = r.image and g.slot = r.slot
