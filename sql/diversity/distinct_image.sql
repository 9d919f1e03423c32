-- name: distinct_image
-- version: 1
-- grain: image
-- reads: reference
-- returns: image
--
-- The images at work.
select distinct image from reference
