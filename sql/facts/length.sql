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
with upto as (select tokens, sum(captions) over (order by tokens) as upto from caption_size_count),
place as (select share, share * (max(upto) - 1) as place from upto, unnest([0.25, 0.75]) as s (share) group by share),
quantile as (
    select
        p.share, min(u.tokens) filter (where u.upto > floor(p.place)) as low,
        min(u.tokens) filter (where u.upto > ceil(p.place)) as high, any_value(p.place - floor(p.place)) as beyond
    from place as p
    cross join upto as u
    group by p.share
),
quartile as (
    select
        max(low + (high - low) * beyond) filter (where share < 0.5) as lower_end,
        max(low + (high - low) * beyond) filter (where share > 0.5) as upper_end
    from quantile
)
select
    r.image_no, r.slot, len(t.tokens)::uinteger as tokens,
    len(t.tokens) not between 4 * q.lower_end - 3 * q.upper_end and 4 * q.upper_end - 3 * q.lower_end as is_unusual
from reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
cross join quartile as q
