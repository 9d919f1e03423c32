-- name: image_evidence
-- version: 1
-- grain: caption that may be of another image, image
-- reads: placed_suspect, suspect_caption, suspect_word, image_word, word_share, reference
-- returns: image, slot, candidate_image, is_own, bits
-- cites: McCallum & Nigam 1998, section 2.1 (multi-variate Bernoulli model of a text)
--
-- By how many bits (log2 of a likelihood ratio) the words of a caption speak for an image, against a caption of the
-- dataset at large. A caption of an image holds a word as often as the image's captions do, and one more that holds it as
-- often as captions of the dataset do; words that the image's captions share and the caption lacks speak against it. The
-- caption itself is left out of its own image. Sums are of integers, in units of 2^-40 nats.
with described as (
    select image_no, any_value(image) as image, count(*) as captions from reference group by image_no
),
placed as (
    select p.suspect_no, p.image_no, p.is_own, d.image, d.captions - p.is_own::integer as captions
    from placed_suspect as p
    join described as d using (image_no)
),
met as (
    select
        p.suspect_no, p.image_no, p.captions, w.word, s.word is not null as is_said,
        w.holding - (p.is_own and s.word is not null)::integer as holding
    from placed as p
    join image_word as w using (image_no)
    left join suspect_word as s on s.suspect_no = p.suspect_no and s.word = w.word
    union all
    select p.suspect_no, p.image_no, p.captions, s.word, true, 0
    from placed as p
    join suspect_word as s using (suspect_no)
    anti join image_word as w on w.image_no = p.image_no and w.word = s.word
),
weighed as (
    select
        m.suspect_no, m.image_no,
        case
            when m.is_said then ln((m.holding + w.share) / ((m.captions + 1) * w.share))
            else ln((m.captions - m.holding + 1 - w.share) / ((m.captions + 1) * (1 - w.share)))
        end - ln((m.captions + 1 - w.share) / ((m.captions + 1) * (1 - w.share))) as nats
    from met as m
    join word_share as w using (word)
),
summed as (
    select suspect_no, image_no, sum((nats * 1099511627776)::bigint)::bigint as nats from weighed group by suspect_no, image_no
),
size as (select distinct captions from placed),
silence as (
    select z.captions, sum((ln((z.captions + 1 - w.share) / ((z.captions + 1) * (1 - w.share))) * 1099511627776)::bigint)::bigint as nats
    from size as z
    cross join word_share as w
    group by z.captions
)
select
    own.image, c.slot, p.image as candidate_image, p.is_own,
    (coalesce(s.nats, 0) + coalesce(q.nats, 0)) / 1099511627776 / ln(2) as bits
from placed as p
join suspect_caption as c using (suspect_no)
join described as own on own.image_no = c.image_no
left join summed as s on s.suspect_no = p.suspect_no and s.image_no = p.image_no
left join silence as q on q.captions = p.captions
order by own.image, c.slot, p.is_own desc, candidate_image
