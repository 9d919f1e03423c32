-- name: rated_candidate
-- version: 1
-- grain: candidate
-- params: tokenizer VARCHAR
-- reads: candidate, reference, caption_tokens
-- returns: image, slot, length, reference_count, reference_lengths, is_reference
-- order: c.image, c.slot
--
-- The length of a candidate and of its references (no row without any), and whether it is one of them, token by token.
select
    c.image, c.slot, c.length,
    count(*) as reference_count,
    sum(r.length)::bigint as reference_lengths,
    bool_or(own.tokens = other.tokens) as is_reference
from candidate as c
join reference as r on r.image_no = c.image_no and r.slot is distinct from c.held_out
join caption_tokens as own on own.caption_id = c.caption_id and own.tokenizer = $tokenizer::varchar
join caption_tokens as other on other.caption_id = r.caption_id and other.tokenizer = $tokenizer::varchar
group by c.image, c.slot, c.length
order by c.image, c.slot
