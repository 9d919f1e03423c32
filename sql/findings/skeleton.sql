-- name: skeleton
-- version: 1
-- grain: caption text
-- reads: text_tokens, vocabulary, word_in_list
-- returns: caption_id, skeleton
-- merges: rows
--
-- The skeleton of each caption text. It has eight parts: the function words as they are, and * for the words between
-- them (“the * a * with a * and”). Shorter texts have none.
with placed as (
    select
        caption_id, unnest(tokens[:32]) as token_id, unnest(list_prepend(null, tokens[:31])[:len(tokens)]) as before,
        unnest(range(len(tokens[:32]))) as place
    from text_tokens
    where len(tokens) >= 8
),
function as (select v.token_id, v.token from vocabulary as v semi join word_in_list as f on f.word = lower(v.token))
select p.caption_id, array_to_string(list(coalesce(f.token, '*') order by p.place)[:8], ' ') as skeleton
from placed as p
left join function as f using (token_id)
left join function as b on b.token_id = p.before
where f.token_id is not null or b.token_id is not null or p.before is null
group by p.caption_id
having count(*) >= 8
