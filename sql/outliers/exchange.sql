-- name: exchange
-- version: 1
-- grain: caption in doubt, caption in doubt of another image
-- reads: gain
-- returns: image, slot, other_image, other_slot, evidence, back
-- order: g.image, g.slot, g.other_image, other_slot
--
-- Captions of two images that each fit the other's image better than their own, with the bits; two rows per pair.
select g.image, g.slot, g.other_image, b.slot as other_slot, g.evidence, b.evidence as back
from gain as g
join gain as b on b.image = g.other_image and b.other_image = g.image
where not g.is_decoy and not b.is_decoy
order by g.image, g.slot, g.other_image, other_slot
