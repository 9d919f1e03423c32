-- name: frequent_phrase
-- version: 1
-- grain: kind, phrase
-- params: most_phrases UINTEGER
-- reads: reference, phrase_said, caption
-- returns: kind, phrase, captions, occurrences, image, slot, text
-- order: r.kind, r.rank
--
-- The most frequent phrases of each kind, each with its first caption, by image and slot.
with counted as (
    select
        p.kind, p.phrase, count(*) as captions, sum(p.times)::bigint as occurrences,
        min({'image': r.image, 'slot': r.slot, 'caption_id': r.caption_id}) as first_said
    from reference as r
    join phrase_said as p using (caption_id)
    group by p.kind, p.phrase
),
ranked as (
    select
        kind, phrase, captions, occurrences, first_said,
        row_number() over (partition by kind order by captions desc, phrase) as rank
    from counted
)
select r.kind, r.phrase, r.captions, r.occurrences, (r.first_said).image as image, (r.first_said).slot as slot, c.text
from ranked as r
join caption as c on c.caption_id = (r.first_said).caption_id
where r.rank <= $most_phrases::uinteger
order by r.kind, r.rank
