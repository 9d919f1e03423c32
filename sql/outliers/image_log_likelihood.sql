-- name: image_log_likelihood
-- version: 3
-- grain: caption that may be of another image, image, place
-- params: first_suspect INTEGER, last_suspect INTEGER
-- reads: suspect_image, suspect_caption, suspect_word, word_silence, unsaid_word, image_silence, slot_word_share
-- returns: image, slot, is_decoy, candidate_image, place, bits
-- cites: McCallum & Nigam 1998, section 2.1 (multi-variate Bernoulli model of a text)
--
-- The bits (log2 of a likelihood ratio) by which the words of a caption fit an image, compared with captions of the
-- same slot in general. The probability of a word is its share in the image's captions, with one additional caption
-- that has it as often as the captions of the slot. Words that the image's captions share and the caption lacks count
-- against the image. One caption of each image is excluded. For its own image, this is the caption itself. For another
-- image, it is the most similar one, word by word: it may be swapped with the caption, or have the same annotator. Sums
-- are of integers, in units of 2^-40 nats.
--
-- The value of a caption without words is known for each image: the sum has only the changes by the caption's words.
with placed as (
    select p.suspect_no, p.image_no, p.place, c.slot, d.captions
    from suspect_image as p
    join suspect_caption as c using (suspect_no)
    join image_silence as d on d.image_no = p.image_no
    where p.suspect_no between $first_suspect::integer and $last_suspect::integer
),
used_word as (
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
left join used_word as s on s.suspect_no = p.suspect_no and s.image_no = p.image_no and s.place = p.place
