-- name: image_log_likelihood
-- version: 3
-- grain: caption that may be of another image, image, place
-- params: first_suspect INTEGER, last_suspect INTEGER
-- reads: suspect_image, suspect_caption, suspect_word, word_silence, unsaid_word, image_silence, slot_word_share
-- returns: image, slot, is_decoy, candidate_image, place, bits
-- order: own.image, c.slot, is_decoy, candidate_image, p.place
-- cites: McCallum & Nigam 1998, section 2.1 (multi-variate Bernoulli model of a text)
--
-- By how many bits (log2 of a likelihood ratio) the words of a caption speak for an image, against a caption of the same
-- slot at large. A caption of an image holds a word as often as the image's captions do, and one more that holds it as
-- often as captions of the slot do; words that the image's captions share and the caption lacks speak against it. Of each
-- image one caption is set aside: of its own the caption itself; of another, word by word, the one most like the caption,
-- which may stand there in its place, or be by the same hand. Sums are of integers, in units of 2^-40 nats.
--
-- What a caption without words would get of an image is known; what is summed is what the words that are said change.
with placed as (
    select p.suspect_no, p.image_no, p.place, c.slot, d.captions
    from suspect_image as p
    join suspect_caption as c using (suspect_no)
    join image_silence as d on d.image_no = p.image_no
    where p.suspect_no between $first_suspect::integer and $last_suspect::integer
),
said as (
    select
        p.suspect_no, p.image_no, p.place,
        sum(((
            ln(
                (
                    greatest(least(coalesce(i.holding, 0) - aside.captions, p.captions), 0)
                    + coalesce(m.share, a.share)
                ) / ((p.captions + 1) * coalesce(m.share, a.share))
            ) - a.nats
        ) * log_scale())::bigint - coalesce(i.nats, 0))::bigint as nats
    from placed as p
    join (values ('home', 0), ('own', 1), ('other', 1), ('found', 2)) as aside (place, captions) using (place)
    join suspect_word as s using (suspect_no)
    join word_silence as a on a.captions = p.captions and a.word = s.word
    left join slot_word_share as m on m.slot = p.slot and m.word = s.word
    left join unsaid_word as i on i.image_no = p.image_no and i.word = s.word
    group by p.suspect_no, p.image_no, p.place
)
select
    own.image, c.slot, c.home_no is not null as is_decoy, there.image as candidate_image, p.place,
    (coalesce(s.nats, 0) + there.nats) / log_scale() / ln(2) as bits
from placed as p
join suspect_caption as c using (suspect_no)
join image_silence as own on own.image_no = c.image_no
join image_silence as there on there.image_no = p.image_no
left join said as s on s.suspect_no = p.suspect_no and s.image_no = p.image_no and s.place = p.place
order by own.image, c.slot, is_decoy, candidate_image, p.place
