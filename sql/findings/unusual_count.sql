-- name: unusual_count
-- version: 1
-- grain: image
-- reads: reference
-- returns: image, captions, usual
--
-- Images with fewer captions than most have, or more.
with per_image as (select image, count(*)::uinteger as captions from reference group by image),
usual as (select mode(captions) as captions from per_image)
select p.image, p.captions, u.captions as usual
from per_image as p
cross join usual as u
where p.captions <> u.captions
order by p.image
