-- name: ngram_holder
-- version: 1
-- grain: image, n-gram, level
-- reads: reference_ngram, reference_place
-- returns: image_no, gram, level, first_place, second_place
-- cites: Papineni et al. 2002, section 2.1
--
-- Which references hold an n-gram at least `level` times: the places of the first and of the second such, in the order
-- of the draw. A candidate that is the first itself finds the second.
with level as (
    select image_no, slot, gram, 1::uinteger as level from reference_ngram
    union all
    select image_no, slot, gram, unnest(range(2, tf + 1))::uinteger from reference_ngram where tf > 1
),
placed as (
    select l.image_no, l.gram, l.level, p.place
    from level as l
    join reference_place as p on p.image_no = l.image_no and p.slot = l.slot
),
held as (
    select image_no, gram, level, min(place) as first_place, min(place, 2) as places
    from placed
    group by image_no, gram, level
)
select image_no, gram, level, first_place, places[2] as second_place
from held
