-- name: repeated_text
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR, padded BOOLEAN, last_text UINTEGER
-- reads: reference, reference_word, best_supported_word
-- returns: candidate, image, slot, caption_id, tokens, text
-- cites: Vedantam et al. 2015, section 8, Gameability: repeating confident words, until the desired length is reached
--
-- Each caption with its most confident word repeated at the end: once, or ($padded) to the mean length of the others.
with gathered as (
    select image, slot, list(token_id order by position) as tokens, string_agg(token, ' ' order by position) as text
    from reference_word
    group by image, slot
),
counted as (
    select
        c.image, c.slot, c.token_id, c.token,
        case
            when c.token_id is null then 0
            when $padded::boolean then greatest(c.mean_length::bigint - r.length::bigint, 0)
            else 1
        end as copies
    from best_supported_word as c
    join reference as r on r.image = c.image and r.slot = c.slot
)
select
    $label::varchar as candidate, c.image, c.slot,
    ($last_text::uinteger + row_number() over (order by c.image, c.slot))::uinteger as caption_id,
    coalesce(g.tokens, []::uinteger[]) || list_transform(range(c.copies), lambda copy: c.token_id) as tokens,
    coalesce(g.text, '') || repeat(' ' || coalesce(c.token, ''), c.copies) as text
from counted as c
left join gathered as g on g.image = c.image and g.slot = c.slot
