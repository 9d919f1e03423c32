-- name: copied_caption
-- version: 1
-- grain: caption
-- params: key VARCHAR, least_captions INTEGER, least_share DOUBLE, times_as_frequent DOUBLE
-- reads: reference, caption, caption_tokens
-- returns: image, slot, why
-- order: captions desc, image, slot
-- merges: not, `captions-at-several-images` lists all copies
--
-- Copies of a caption that stands out: at least `least_captions` images and `least_share` of the captions have it, and it
-- is `times_as_frequent` as frequent as the eleventh most frequent text. So frequent short captions of a dataset with
-- few scenes (“open drawer”) are none. The first copy is not listed: it is the one to keep. Texts are equal by the tokens
-- of the one tokenizer of the version, `key`.
with texts as (
    select t.tokens, count(*) as captions, count(distinct r.image_no) as images, min((r.image_no, r.slot)) as first_place
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
    where len(t.tokens) > 0
    group by t.tokens
    having count(*) > 1
),
usual as (
    select coalesce((select captions from texts order by captions desc, tokens limit 1 offset 10), 1) as captions
),
foremost as (
    select t.tokens, t.captions, t.first_place
    from texts as t
    cross join usual as u
    where t.images >= $least_captions::integer
        and t.captions >= $least_share::double * (select count(*) from reference)
        and t.captions >= $times_as_frequent::double * u.captions
),
copied as (
    select r.image, r.slot, f.captions, f.first_place, r.image_no, c.text
    from foremost as f
    join caption_tokens as t on t.tokens = f.tokens and t.tokenizer = $key::varchar
    join reference as r on r.caption_id = t.caption_id
    join caption as c on c.caption_id = r.caption_id
)
select
    image, slot, format(
        '“{}” {:,} times, {:.1f}%', if(length(text) > 80, text[:80] || '…', text), captions,
        100 * captions / (select count(*) from reference)
    ) as why
from copied
where (image_no, slot) <> first_place
order by captions desc, image, slot
