-- name: length
-- version: 1
-- grain: caption
-- params: key VARCHAR
-- reads: reference, caption_tokens, caption_size_count
-- returns: image_no, slot, tokens, is_unusual
-- merges: rows
--
-- The number of tokens of each caption, by the one tokenizer of the version, `key`; 0 for a caption without a word. A
-- length is unusual if it is more than three interquartile ranges outside the quartiles.
with counted as (
    select list(tokens order by tokens) as lengths, list(upto order by tokens) as upto
    from (select tokens, sum(captions) over (order by tokens) as upto from caption_size_count)
),
quartile as (
    select quantile_of(lengths, upto, 0.25) as lower_end, quantile_of(lengths, upto, 0.75) as upper_end from counted
)
select
    r.image_no, r.slot, len(t.tokens)::uinteger as tokens,
    len(t.tokens) not between 4 * q.lower_end - 3 * q.upper_end and 4 * q.upper_end - 3 * q.lower_end as is_unusual
from reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
cross join quartile as q
