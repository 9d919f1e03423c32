-- name: word_rarity
-- version: 1
-- grain: word of a bag
-- reads: bag_word
-- returns: token_id, nth, texts, word
--
-- The words of bags, numbered by how many texts contain them, the rarest first.
select token_id, nth, texts, row_number() over (order by texts, token_id, nth)::uinteger as word from bag_word
