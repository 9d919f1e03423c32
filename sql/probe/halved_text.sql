-- name: halved_text
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR, last_text UINTEGER
-- reads: reference, reference_word
-- returns: candidate, image, slot, caption_id, tokens, text
-- cites: Wang & Gaizauskas 2016, section 6: which components of descriptions matter to each metric
--
-- The first half of each caption; with an odd number of words, the middle word stays.
with gathered as (
    select
        w.image, w.slot,
        list(w.token_id order by w.position) as tokens,
        string_agg(w.token, ' ' order by w.position) as text
    from reference_word as w
    join reference as r on r.image = w.image and r.slot = w.slot
    where 2 * w.position <= r.length + 1
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
