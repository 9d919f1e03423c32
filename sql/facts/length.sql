-- name: length
-- version: 1
-- grain: caption
-- params: key VARCHAR
-- reads: reference, caption_tokens
-- returns: image_no, slot, tokens, is_unusual
--
-- The number of tokens of each caption, by the one tokenizer of the version, `key`; 0 for a caption without a word. A
-- length is unusual if it is more than three interquartile ranges outside the quartiles.
with measured as (
    select r.image_no, r.slot, len(t.tokens)::uinteger as tokens
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
),
quartile as (
    select quantile_cont(tokens, 0.25) as lower_end, quantile_cont(tokens, 0.75) as upper_end from measured
)
select
    m.image_no, m.slot, m.tokens,
    m.tokens not between 4 * q.lower_end - 3 * q.upper_end and 4 * q.upper_end - 3 * q.lower_end as is_unusual
from measured as m
cross join quartile as q
