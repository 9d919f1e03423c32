-- name: unmatched_split
-- version: 1
-- grain: ingest
-- reads: content, split_list
-- returns: listed_missing, unlisted
--
-- The number of images in split lists without a caption, and of images in no list.
with described as (select distinct image from content)
select
    (select count(*) from split_list as s anti join described as d using (image))::integer as listed_missing,
    (select count(*) from described as d anti join split_list as s using (image))::integer as unlisted
