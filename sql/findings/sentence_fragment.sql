-- name: sentence_fragment
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions with a later sentence that lost its verb: “The intensity and focus of the game.” Only shapes that remain when
-- “The scene captures …” or “The image also includes …” is cut are searched for: a noun for an impression, with what it
-- is of, and no finite verb.
with sentence as (
    select
        r.image, r.slot, trim(u.part) as said, u.nth
    from reference as r
    join caption as c using (caption_id),
        unnest(regexp_extract_all(c.text, '[^.!?\n]+[.!?]?')) with ordinality as u (part, nth)
    where regexp_matches(c.text, '[.!?]\s+(?i:the|a|an|his|her|their|its)\s')
)
select image, slot, 'no verb: “' || if(length(said) > 60, said[:60] || '…', said) || '”' as why
from sentence
where nth > 1 and ends_with(said, '.')
    and regexp_matches(said, '^(?:The|A|An|His|Her|Their|Its)\s(?:[\w’''-]+,? ){0,3}(?:excitement|essence|intensity'
            || '|beauty|hustle and bustle|thrill|camaraderie|enthusiasm|athleticism|joy|atmosphere|mood|sense|feeling'
            || '|warmth|charm|tranquility|serenity|bond|interaction|simplicity|elegance|energy|passion|focus|skill'
            || '|determination|moment|spirit|impression)(?: and [\w’''-]+)? (?:of|between|and)\s')
    and not regexp_matches(said, '(?i)\b(is|are|was|were|be|been|am|has|have|had|does|do|did|can|could|will|would|may'
            || '|might|must|should|seems?|appears?|adds?|makes?|gives?|creates?|shows?|suggests?|indicates?'
            || '|highlights?|fills?|permeates?|surrounds?|reflects?|contributes?|provides?|captures?|conveys?|brings?'
            || '|enhances?|remains?|comes?|sets?|draws?|evokes?|lies|stands?|continues?|extends?|dominates?|prevails?'
            || '|emanates?|radiates?|resonates?|\w+ed by the|features?|includes?)\b')
qualify row_number() over (partition by image, slot order by nth) = 1
order by image, slot
