-- name: repeated_captions
-- version: 1
-- grain: selection
-- reads: every_reference, distinct_reference
-- returns: captions, repeated, images
--
-- How many captions repeat an earlier one of their image, token for token, and on how many images.
with left_out as (
    select r.image
    from every_reference as r
    anti join distinct_reference as d using (image, slot)
)
select
    (select count(*) from every_reference) as captions,
    (select count(*) from left_out) as repeated,
    (select count(distinct image) from left_out) as images
