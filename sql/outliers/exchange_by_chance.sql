-- name: exchange_by_chance
-- version: 1
-- grain: bits
-- params: least_bits INTEGER
-- reads: reach, gain, exchange
-- returns: bits, pairs
-- order: i.bits
--
-- The pairs of captions expected to appear swapped by chance, by whole bits. Captions that gain at an image and
-- captions of this image that gain elsewhere are paired, whatever their other image. Without swaps, the expected
-- matches are these pairs divided by the possible images. Captions that do appear swapped at so many bits are excluded.
with met as (select image, slot, max(floor(least(evidence, back)))::integer as bits from exchange group by image, slot),
graded as (
    select
        g.image, g.other_image,
        unnest(range(greatest($least_bits::integer, coalesce(m.bits + 1, 0)), floor(g.evidence)::integer + 1)) as bits
    from gain as g
    left join met as m on m.image = g.image and m.slot = g.slot
    where not g.is_decoy
),
inward as (select other_image as image, bits, count(*) as captions from graded group by other_image, bits),
outward as (select image, bits, count(*) as captions from graded group by image, bits)
select
    i.bits::integer as bits,
    sum(i.captions * o.captions * log_scale()::bigint // r.images)::bigint / log_scale() / 2 as pairs
from inward as i
join outward as o on o.image = i.image and o.bits = i.bits
join reach as r on r.image = i.image
group by i.bits
order by i.bits
