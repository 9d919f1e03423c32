-- name: image_likeness
-- version: 1
-- grain: image, other image
-- reads: image_log_likelihood, caption_lead, image_word, word_silence, unsaid_word, image_silence
-- returns: image, other_image, captions, bits
-- cites: McCallum & Nigam 1998, section 2.1 (multi-variate Bernoulli model of a text)
--
-- The bits by which all captions of an image together fit another image, compared with captions in general. Two images
-- with the same words give no evidence. Computed for the assigned image of a caption (a decoy's home) and those that it
-- fits better. One caption of the other image is excluded, word by word. Sums are of integers, in units of 2^-40 nats.
with pair as (
    select distinct here.image_no, there.image_no as other_no
    from image_log_likelihood as w
    join caption_lead as c on c.image = w.image and c.slot = w.slot and c.is_decoy = w.is_decoy
    join image_silence as here on here.image = c.stands_at
    join image_silence as there on there.image = w.candidate_image
    where w.place = 'other' and w.bits > c.stands
),
spoken as (
    select
        p.image_no, p.other_no,
        sum(i.holding * (((
            ln((greatest(coalesce(h.holding, 0) - 1, 0) + a.share) / ((there.captions + 1) * a.share)) - a.nats
        ) * log_scale())::bigint - coalesce(h.nats, 0)))::bigint as nats
    from pair as p
    join image_silence as there on there.image_no = p.other_no
    join image_word as i on i.image_no = p.image_no
    join word_silence as a on a.captions = there.captions and a.word = i.word
    left join unsaid_word as h on h.image_no = p.other_no and h.word = i.word
    group by p.image_no, p.other_no
)
select
    here.image, there.image as other_image, here.captions + 1 as captions,
    (coalesce(s.nats, 0) + (here.captions + 1) * there.nats) / log_scale() / ln(2) as bits
from pair as p
join image_silence as here on here.image_no = p.image_no
join image_silence as there on there.image_no = p.other_no
left join spoken as s on s.image_no = p.image_no and s.other_no = p.other_no
