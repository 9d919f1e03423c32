-- name: split_size
-- version: 1
-- grain: split
-- reads: reference
-- returns: split, captions
-- merges: sum captions
--
-- The number of captions of each split.
select split, count(*) as captions from reference group by split
