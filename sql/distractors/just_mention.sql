-- name: just_mention
-- version: 1
-- grain: mention
-- params: mentioned VARCHAR
-- reads: mention
-- returns: image, slot, split, place, right, wrong, drawn_image, drawn_slot, dropped
-- order: image, slot, mention
-- cites: Hodosh & Hockenmaier 2016, section 3.1, just person and just scene: a caption and a shorter noun phrase of it
--
-- Each caption with each of its mentions of persons or of a scene.
select
    image, slot, split, mention::varchar as place, text as right, words as wrong,
    null::varchar as drawn_image, null::uinteger as drawn_slot,
    if(regexp_replace(text, '[\s\p{P}]+$', '') = words, 'the mention is the whole caption', null) as dropped
from mention
where kind = $mentioned::varchar
order by image, slot, mention
