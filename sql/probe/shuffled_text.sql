-- name: shuffled_text
-- version: 2
-- grain: held-out caption
-- params: label VARCHAR, seed BIGINT, last_text UINTEGER
-- reads: reference, reference_word
-- returns: candidate, image, slot, caption_id, tokens, text
-- cites: Wang & Gaizauskas 2016, section 6: which components of descriptions matter to each metric
--
-- Each caption with its words in random order, by an md5 of (seed, image, slot, position).
with shuffled as (
    select
        image, slot, position, token_id, token,
        md5_number(concat_ws(chr(31), 'order', $seed::bigint, image, slot, position)) as place
    from reference_word
),
gathered as (
    select
        image, slot,
        list(token_id order by place, position) as tokens,
        string_agg(token, ' ' order by place, position) as text
    from shuffled
    group by image, slot
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
