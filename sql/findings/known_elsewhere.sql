-- name: known_elsewhere
-- version: 2
-- grain: token
-- params: apart VARCHAR[], least INTEGER, tokenizer VARCHAR
-- reads: membership, caption_tokens
-- returns: token_id
-- order: t.token_id
--
-- The tokens of every other dataset of the store that at least `least` of its captions hold, since one or two may have the
-- same slip; but for the datasets of `apart`: the one in question and its relatives, which hold the same captions.
select t.token_id
from (
    select m.dataset, unnest(list_distinct(c.tokens)) as token_id
    from membership as m
    join caption_tokens as c using (caption_id)
    where c.tokenizer = $tokenizer::varchar and not list_contains($apart::varchar[], m.dataset)
) as t
group by t.token_id
having count(*) >= $least::integer
order by t.token_id
