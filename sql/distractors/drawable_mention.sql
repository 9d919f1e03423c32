-- name: drawable_mention
-- version: 3
-- grain: mention, or phrase
-- params: mentioned VARCHAR, draw VARCHAR
-- reads: trained_mention
-- returns: image, slot, start, head, gender, inside, role
--
-- The mentions of the training split that can replace others: with an article or in the plural, not pointing back,
-- with a head word that ten mentions have and that does not fit every person. If $draw is 'phrases', all can. Then
-- only the first mention of each phrase of a role and head counts, so each phrase is sampled equally often. A mention
-- can replace those with the same `role`: persons of one number, scenes after one preposition, or after none.
select
    image, slot, start, head, gender, inside,
    if($mentioned::varchar = 'person', number, coalesce(regexp_extract(
        lower(left(text, start)), '\b(in|on|at|down|near|through|into|by|along|across|up|to|outside|over|from|around|of|with)\s*$', 1
    ), '')) as role
from trained_mention
where kind = $mentioned::varchar and number <> 'unclear' and ($draw::varchar = 'phrases' or not points_back
    and (article or number = 'plural') and head not in (
        'person', 'persons', 'people', 'individual', 'individuals', 'adult', 'adults', 'human', 'humans', 'folks', 'friend', 'friends',
        'member', 'members', 'opponent', 'opponents', 'participant', 'participants', 'partner', 'partners', 'group', 'groups'
    ))
qualify if(
    $draw::varchar = 'phrases',
    row_number() over (partition by role, head, inside order by image, slot, start) = 1,
    count(*) over (partition by head) >= 10
)
