-- name: caption_in_doubt
-- version: 1
-- grain: caption that may be of another image, or that is put at another
-- reads: caption_lead, gain
-- returns: image, slot, is_decoy, stands, own_bits, found_bits, other_image, other_bits, rival_bits, is_misfit
-- order: c.image, c.slot, c.is_decoy
--
-- Captions with the image that they fit best, and whether this is a gain.
select
    c.image, c.slot, c.is_decoy, c.stands, c.own_bits, c.found_bits, c.other_image, c.other_bits, c.rival_bits,
    g.evidence is not null as is_misfit
from caption_lead as c
left join gain as g
    on g.image = c.image and g.slot = c.slot and g.is_decoy = c.is_decoy and g.other_image = c.other_image
order by c.image, c.slot, c.is_decoy
