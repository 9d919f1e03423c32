-- name: worded_text
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR, last_text UINTEGER
-- reads: reference, changed_word
-- returns: candidate, image, slot, caption_id, tokens, text
--
-- Each caption with other words, in order of their positions. A caption without such a word becomes an empty text.
with gathered as (
    select image, slot, list(token_id order by position) as tokens, string_agg(token, ' ' order by position) as text
    from changed_word
    group by image, slot
)
select
    $label::varchar as candidate, r.image, r.slot,
    ($last_text::uinteger + row_number() over (order by r.image, r.slot))::uinteger as caption_id,
    coalesce(g.tokens, []::uinteger[]) as tokens,
    coalesce(g.text, '') as text
from reference as r
left join gathered as g on g.image = r.image and g.slot = r.slot
