-- name: near_place
-- version: 1
-- grain: word, its neighbors
-- reads: reference, text_tokens, near_word
-- returns: token_id, before, behind, times
-- merges: sum times
--
-- How often a word that may be misspelled, or meant, occurs between two words; 0 at the ends of a caption.
with wanted as (select unnest([token_id, meant_id]) as token_id from near_word),
every as (
    select
        c.copies, unnest(t.tokens) as token_id, unnest(list_prepend(0, t.tokens[:-2])) as before,
        unnest(list_append(t.tokens[2:], 0)) as behind
    from text_tokens as t
    join (select caption_id, count(*) as copies from reference group by caption_id) as c using (caption_id)
)
select token_id, before, behind, sum(copies)::bigint as times
from every
semi join wanted using (token_id)
group by token_id, before, behind
