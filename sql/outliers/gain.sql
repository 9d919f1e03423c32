-- name: gain
-- version: 1
-- grain: caption, image
-- reads: image_log_likelihood, caption_lead, image_likeness, decoy_limit
-- returns: image, slot, is_decoy, other_image, evidence
--
-- The bits by which a caption fits another image better than its assigned one. Only captions that fit their assigned
-- image as badly as decoys count. In addition, the other captions of this image must fit the other image, on average,
-- as badly as those of a decoy's home.
select w.image, w.slot, w.is_decoy, w.candidate_image as other_image, w.bits - c.stands as evidence
from image_log_likelihood as w
join caption_lead as c on c.image = w.image and c.slot = w.slot and c.is_decoy = w.is_decoy
join image_likeness as k on k.image = c.stands_at and k.other_image = w.candidate_image
cross join decoy_limit as d
where w.place = 'other' and w.bits > c.stands and c.stands <= d.badly
    and if(c.is_decoy, k.bits / k.captions, (k.bits - w.bits) / nullif(k.captions - 1, 0)) <= d.apart
