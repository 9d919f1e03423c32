-- name: given_text
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR, last_text UINTEGER
-- reads: reference, given_words, vocabulary
-- returns: candidate, image, slot, caption_id, tokens, text
--
-- Texts that were made outside the engine, as lists of words, one per changed caption. The vocabulary must have every
-- word.
with position as (
    select image, slot, unnest(words) as token, unnest(range(1, len(words) + 1)) as position
    from given_words
),
gathered as (
    select
        p.image, p.slot,
        list(v.token_id order by p.position) as tokens,
        string_agg(p.token, ' ' order by p.position) as text
    from position as p
    join vocabulary as v using (token)
    group by p.image, p.slot
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
