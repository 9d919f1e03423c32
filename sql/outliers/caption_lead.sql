-- name: caption_lead
-- version: 1
-- grain: caption that may be of another image, or that is put at another
-- reads: image_log_likelihood
-- returns: image, slot, is_decoy, stands_at, stands, own_bits, found_bits, other_image, other_bits, rival_bits
-- order: o.image, o.slot, o.is_decoy
--
-- The other image that a caption fits best, in bits, and the bits for the next best (of equal ones the first by id).
-- `stands` are the bits for its own image, or for the home of a decoy. `found_bits` are the bits of a decoy for its own
-- image, scored as if it were another image.
with ranked as (
    select
        image, slot, is_decoy, candidate_image, bits,
        row_number() over (partition by image, slot, is_decoy order by bits desc, candidate_image) as place_no
    from image_log_likelihood
    where place = 'other'
),
own as (
    select
        image, slot, is_decoy,
        coalesce(max(candidate_image) filter (place = 'home'), image) as stands_at,
        coalesce(max(bits) filter (place = 'home'), max(bits) filter (place = 'own')) as stands,
        max(bits) filter (place = 'own') as own_bits,
        max(bits) filter (place = 'found') as found_bits
    from image_log_likelihood
    where place <> 'other'
    group by image, slot, is_decoy
)
select
    o.image, o.slot, o.is_decoy, o.stands_at, o.stands, o.own_bits, o.found_bits,
    b.candidate_image as other_image, b.bits as other_bits, r.bits as rival_bits
from own as o
left join ranked as b on b.image = o.image and b.slot = o.slot and b.is_decoy = o.is_decoy and b.place_no = 1
left join ranked as r on r.image = o.image and r.slot = o.slot and r.is_decoy = o.is_decoy and r.place_no = 2
order by o.image, o.slot, o.is_decoy
