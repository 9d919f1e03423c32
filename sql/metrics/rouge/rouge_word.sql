-- name: rouge_word
-- version: 2
-- grain: text beside an image, place of a token
-- reads: image_text
-- returns: text_no, place, is_last, word
--
-- The tokens that two texts of an image hold, where they stand. The others, which no n-gram or skip-bigram can meet
-- with, are left out here, before anything is paired. Words are numbered anew, each image its own, so that what is made
-- of them meets within an image only.
with position as (
    select
        text_no,
        image_no,
        coalesce(slot::bigint, -1) as side,
        len(tokens) as length,
        unnest(tokens) as token_id,
        unnest(range(len(tokens)))::uinteger as place
    from image_text
),
met as (
    select image_no, token_id, row_number() over (order by image_no, token_id)::ubigint as word
    from position
    group by image_no, token_id
    having min(side) < max(side)
)
select p.text_no, p.place, p.place + 1 = p.length as is_last, m.word
from position as p
join met as m on m.image_no = p.image_no and m.token_id = p.token_id
