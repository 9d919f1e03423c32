-- name: word_caption_count
-- version: 1
-- grain: word
-- reads: reference, text_tokens, vocabulary
-- returns: token_id, token, captions
-- merges: sum captions
--
-- The number of captions with each word of at least three letters.
select v.token_id, v.token, h.captions
from (
    select token_id, sum(copies)::bigint as captions
    from (
        select c.copies, unnest(list_distinct(t.tokens)) as token_id
        from text_tokens as t
        join (select caption_id, count(*) as copies from reference group by caption_id) as c using (caption_id)
    )
    group by token_id
) as h
join vocabulary as v using (token_id)
where length(v.token) >= 3 and regexp_matches(v.token, '^\p{L}+$')
