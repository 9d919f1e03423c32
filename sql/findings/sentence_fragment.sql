-- name: sentence_fragment
-- version: 2
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
-- merges: rows
--
-- Captions with a later sentence that lost its verb: “The intensity and focus of the game.” Only shapes that remain when
-- “The scene captures …” or “The image also includes …” is cut are searched for: a noun for an impression, with what it
-- is of, and no finite verb: no word of a closed list of them, and none that ends in s before the noun (“the scene
-- exudes a sense of joy”), except for whose it is.
with sentence as (
    select r.image, r.slot, trim(u.part) as said, u.nth
    from reference as r
    join caption as c using (caption_id),
        unnest(regexp_extract_all(c.text, '[^.!?\n]+[.!?]?')) with ordinality as u (part, nth)
    where regexp_matches(c.text, '[.!?]\s+(?i:the|a|an|his|her|their|its)\s')
)
select image, slot, 'no verb: “' || if(length(said) > 60, said[:60] || '…', said) || '”' as why
from sentence
where nth > 1 and ends_with(said, '.')
    and regexp_matches(said, '^(?:The|A|An|His|Her|Their|Its)\s(?:[\w-]*[^\Ws],? |[\w-]+[’'']s? ){0,3}(?:excitement|essence|intensity'
            || '|beauty|hustle and bustle|thrill|camaraderie|enthusiasm|athleticism|joy|atmosphere|mood|sense|feeling'
            || '|warmth|charm|tranquility|serenity|bond|interaction|simplicity|elegance|energy|passion|focus|skill'
            || '|determination|moment|spirit|impression)(?: and [\w’''-]+)? (?:of|between|and)\s')
    and not regexp_matches(said, '(?i)\b(is|are|was|were|be|been|am|has|have|had|does|do|did|can|could|will|would|may|might'
            || '|must|should|(seem|appear|add|make|give|create|show|suggest|indicate|highlight|fill|permeate|surround|reflect'
            || '|contribute|provide|capture|convey|bring|enhance|remain|come|set|draw|evoke|stand|continue|extend|dominate'
            || '|prevail|emanate|radiate|resonate|feature|include|showcase|encapsulate|exude|portray|depict|demonstrate|feel'
            || '|display|illustrate|emphasi[sz]e|complement|invite|lend|shine|unfold|linger|mirror|blend|contrast|offer|leave'
            || '|define|allow|help|keep|lead|look|sound|take|embody|flow|grow|tell|inspire|attract|reveal|deserve|ensure)s?'
            || '|lies|embodies|reaches|touches|echoes|matches|\w+ed by the)\b')
qualify row_number() over (partition by image, slot order by nth) = 1
order by image, slot
