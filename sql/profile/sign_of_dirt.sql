-- name: sign_of_dirt
-- version: 2
-- grain: statistic, image, slot
-- reads: sign, sign_in_caption, sign_among_captions
-- returns: statistic, image_no, image, slot, split, text, folded
--
-- The captions at work that show signs of dirt, once for each of them, by themselves or beside others; and their text
-- without what does not make it another.
with listed as (
    select statistic, image_no, image, slot, split, text from sign where statistic is not null
    union all
    select unnest(signs) as statistic, image_no, image, slot, split, text from sign_in_caption
    union all
    select unnest(signs) as statistic, image_no, image, slot, split, text from sign_among_captions
)
select statistic, image_no, image, slot, split, text, lower(trim(text, e' \t\r\n')) as folded
from listed
