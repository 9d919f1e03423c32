-- name: image_log_likelihood
-- version: 2
-- grain: caption that may be of another image, image
-- params: first_suspect INTEGER, last_suspect INTEGER
-- reads: suspect_image, suspect_caption, suspect_word, image_word, word_document_share, reference
-- returns: image, slot, candidate_image, is_own, bits
-- cites: McCallum & Nigam 1998, section 2.1 (multi-variate Bernoulli model of a text)
--
-- By how many bits (log2 of a likelihood ratio) the words of a caption speak for an image, against a caption of the
-- dataset at large. A caption of an image holds a word as often as the image's captions do, and one more that holds it as
-- often as captions of the dataset do; words that the image's captions share and the caption lacks speak against it. The
-- caption itself is left out of its own image. Sums are of integers, in units of 2^-40 nats.
--
-- Summed in three parts, so that few rows are made for each caption: what a caption without words would get of any image,
-- what it would get by the words of this image, and what the words that are said change of that.
with described as (
    select image_no, any_value(image) as image, count(*) as captions from reference group by image_no
),
placed as (
    select p.suspect_no, p.image_no, p.is_own, d.image, d.captions - p.is_own::integer as captions
    from suspect_image as p
    join described as d using (image_no)
    where p.suspect_no between $first_suspect::integer and $last_suspect::integer
),
size as (select distinct captions from placed),
absent as (
    select z.captions, w.word, w.share, ln((z.captions + 1 - w.share) / ((z.captions + 1) * (1 - w.share))) as nats
    from size as z
    cross join word_document_share as w
),
silence as (select captions, sum((nats * log_scale())::bigint)::bigint as nats from absent group by captions),
unsaid as (
    select
        p.image_no, p.captions, i.word,
        ((
            ln((p.captions - i.holding + 1 - a.share) / ((p.captions + 1) * (1 - a.share))) - a.nats
        ) * log_scale())::bigint as nats
    from (select distinct image_no, captions from placed) as p
    join image_word as i using (image_no)
    join absent as a on a.captions = p.captions and a.word = i.word
    where i.holding <= p.captions
),
speechless as (select image_no, captions, sum(nats)::bigint as nats from unsaid group by image_no, captions),
said as (
    select
        p.suspect_no, p.image_no,
        sum(((
            ln((coalesce(i.holding - p.is_own::integer, 0) + a.share) / ((p.captions + 1) * a.share)) - a.nats
        ) * log_scale())::bigint - coalesce(u.nats, 0))::bigint as nats
    from placed as p
    join suspect_word as s using (suspect_no)
    join absent as a on a.captions = p.captions and a.word = s.word
    left join image_word as i on i.image_no = p.image_no and i.word = s.word
    left join unsaid as u on u.image_no = p.image_no and u.captions = p.captions and u.word = s.word
    group by p.suspect_no, p.image_no
)
select
    own.image, c.slot, p.image as candidate_image, p.is_own,
    (coalesce(s.nats, 0) + coalesce(v.nats, 0) + coalesce(q.nats, 0)) / log_scale() / ln(2) as bits
from placed as p
join suspect_caption as c using (suspect_no)
join described as own on own.image_no = c.image_no
left join said as s on s.suspect_no = p.suspect_no and s.image_no = p.image_no
left join speechless as v on v.image_no = p.image_no and v.captions = p.captions
left join silence as q on q.captions = p.captions
order by own.image, c.slot, p.is_own desc, candidate_image
