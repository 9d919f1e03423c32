-- name: similar_image
-- version: 2
-- grain: caption that may be of another image, other image
-- params: rare INTEGER, nearest INTEGER, first_suspect INTEGER, last_suspect INTEGER
-- reads: suspect_caption, suspect_word, image_word, word_document_share, reference
-- returns: suspect_no, image_no
--
-- The images whose captions share most with a suspect caption: the sum of idf over common words. Only words of few
-- images count, since frequent words do not distinguish images and would match all of them. Ties are sorted by image
-- id. Sums are of integers, in units of 2^-40. Suspect captions are processed in ranges, since each has many rows.
with collection as (select ln(max(image_no)) as log_images from reference),
rare_word as (
    select s.word, ((c.log_images - ln(s.images)) * log_scale())::bigint as idf
    from word_document_share as s
    cross join collection as c
    where s.images <= $rare::integer
),
shared as (
    select w.suspect_no, i.image_no, sum(r.idf)::bigint as weight
    from suspect_word as w
    join rare_word as r using (word)
    join image_word as i using (word)
    where w.suspect_no between $first_suspect::integer and $last_suspect::integer
    group by w.suspect_no, i.image_no
),
elsewhere as materialized (
    select h.suspect_no, h.image_no, h.weight
    from shared as h
    join suspect_caption as c using (suspect_no)
    where c.image_no <> h.image_no
),
nearest as (select suspect_no, list_min(max(weight, $nearest::integer)) as least from elsewhere group by suspect_no)
select e.suspect_no, e.image_no
from elsewhere as e
join nearest as n on n.suspect_no = e.suspect_no and e.weight >= n.least
qualify row_number() over (partition by e.suspect_no order by e.weight desc, e.image_no) <= $nearest::integer
