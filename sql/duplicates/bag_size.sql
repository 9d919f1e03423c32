-- name: bag_size
-- version: 1
-- grain: size
-- reads: text_bag
-- returns: size
-- merges: distinct
--
-- The sizes of bags with more than one word.
select distinct size from text_bag where size > 1
