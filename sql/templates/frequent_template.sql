-- name: frequent_template
-- version: 1
-- grain: template
-- reads: template
-- returns: shape, pattern, captions, fillers, association
-- order: captions * association desc, pattern
--
-- The templates at work, those first that explain most: captions times association (in bits).
select shape, pattern, captions, fillers, association
from template
order by captions * association desc, pattern
