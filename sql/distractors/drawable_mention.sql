-- name: drawable_mention
-- version: 3
-- grain: mention, or phrase
-- params: mentioned VARCHAR, draw VARCHAR
-- reads: trained_mention
-- returns: image, slot, start, head, gender, inside, role
--
-- The mentions of the training split that may stand in the place of others: with an article or in the plural, pointing back
-- at nobody, with a head word that ten mentions have and that is not said of anybody. Where $draw is 'phrases', all may, and
-- the first mention of each phrase of a role and head stands for the others, so that a phrase is drawn as often as any other.
-- One may stand for those of its `role`: people of one number, scenes after one preposition, or after none.
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
