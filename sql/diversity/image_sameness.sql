-- name: image_sameness
-- version: 1
-- grain: image, list
-- params: tokenizer VARCHAR
-- reads: list_caption, list_word, caption_tokens
-- returns: image_no, list_no, captions, words, pairs
-- order: i.image_no, i.list_no
--
-- The part of each image in the whole numbers of sameness. `pairs` are those with a caption of the image: df (df - 1)
-- of all captions less that of the others. Subtracted, these numbers give sameness without the image.
with described as (select image_no, list_no, count(*) as captions from list_caption group by image_no, list_no),
spoken as (
    select l.image_no, l.list_no, unnest(list_distinct(t.tokens)) as token_id
    from list_caption as l
    join caption_tokens as t on t.caption_id = l.caption_id and t.tokenizer = $tokenizer::varchar
),
word as (select image_no, list_no, token_id, count(*)::bigint as own from spoken group by image_no, list_no, token_id),
shared as (
    select
        w.image_no, w.list_no,
        sum(w.own)::bigint as words,
        sum(w.own * (2 * d.captions::bigint - w.own - 1))::bigint as pairs
    from word as w
    join list_word as d on d.list_no = w.list_no and d.token_id = w.token_id
    group by w.image_no, w.list_no
)
select i.image_no, i.list_no, i.captions, coalesce(s.words, 0) as words, coalesce(s.pairs, 0) as pairs
from described as i
left join shared as s on s.image_no = i.image_no and s.list_no = i.list_no
order by i.image_no, i.list_no
