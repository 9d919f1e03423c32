-- name: foremost_text
-- version: 1
-- grain: text
-- params: least_captions INTEGER, least_share DOUBLE, times_as_frequent DOUBLE
-- reads: text_of_several
-- returns: tokens, captions, of_captions, first_image, first_slot
--
-- Texts that stand out: at least `least_captions` images and `least_share` of the captions have one, and it is
-- `times_as_frequent` as frequent as the eleventh most frequent text. So frequent short captions of a dataset with few
-- scenes (“open drawer”) are none.
with every as (
    select
        sum(t.captions)::bigint as captions,
        coalesce((max(t.captions, 11) filter (where len(t.tokens) > 0))[11], 1) as usual
    from text_of_several as t
)
select t.tokens, t.captions, e.captions as of_captions, t.first_image, t.first_slot
from text_of_several as t
cross join every as e
where len(t.tokens) > 0 and t.images >= $least_captions::integer and t.captions >= $least_share::double * e.captions
    and t.captions >= $times_as_frequent::double * e.usual
