-- name: known_elsewhere
-- version: 2
-- grain: token
-- params: apart VARCHAR[], least INTEGER, tokenizer VARCHAR
-- reads: membership, caption_tokens
-- returns: token_id
-- order: t.token_id
--
-- The tokens in at least `least` captions of another dataset of the store, since one or two captions may have the same
-- error. The datasets in `apart` do not count: the dataset itself and related ones, which have the same captions.
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
