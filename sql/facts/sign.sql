-- name: sign
-- version: 5
-- grain: caption that a pattern finds
-- params: place INT, kind TEXT, statistic TEXT, reading TEXT, says TEXT, pattern TEXT, part INT, needs TEXT, unless TEXT, removes TEXT
-- reads: reference, reference_wording
-- returns: image_no, image, slot, place, kind, statistic, why
-- merges: rows
--
-- The captions that match one pattern of signs.toml, which explains the parameters. A pattern is applied to the text as
-- it is, in lower case, or as `words`: in lower case without outer punctuation, up to 80 bytes. Each text is read once.
-- All patterns of some kinds need other characters than plain texts have, so plain texts are not searched for these.
with shown_text as (
    select caption_id,
        case $reading::varchar when 'text' then text when 'lower' then lower(text)
            else lower(regexp_replace(text, '^[\s\p{P}]+|[\s\p{P}]+$', '', 'g'))
        end as shown
    from reference_wording
    where not is_plain or coalesce($kind::varchar, '') not in (
        'broken-characters', 'dialogue', 'leading-numbers', 'markdown-or-json', 'markup', 'personal-data'
    )
),
searched as (
    select caption_id,
        case
            when $removes::varchar = '' or $reading::varchar = 'words' then shown
            when regexp_matches(shown, $removes::varchar) then regexp_replace(shown, $removes::varchar, '', 'g')
            else shown
        end as looked_at
    from shown_text
)
select
    r.image_no, r.image, r.slot, $place::integer as place, $kind::varchar as kind, $statistic::varchar as statistic,
    $says::varchar || case
        when $reading::varchar = 'words' then looked_at
        when $part::integer < 0 then ''
        else regexp_extract(looked_at, $pattern::varchar, greatest($part::integer, 0))
    end as why
from searched as s
join reference as r using (caption_id)
where regexp_matches(looked_at, $pattern::varchar) and ($reading::varchar <> 'words' or strlen(looked_at) <= 80)
    and ($needs::varchar = '' or regexp_matches(looked_at, $needs::varchar))
    and ($unless::varchar = '' or not regexp_matches(looked_at, $unless::varchar))
