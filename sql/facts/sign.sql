-- name: sign
-- version: 3
-- grain: caption that a pattern finds
-- params: place INT, kind TEXT, statistic TEXT, reading TEXT, says TEXT, pattern TEXT, part INT, needs TEXT, unless TEXT, removes TEXT
-- reads: reference, caption
-- returns: image_no, image, slot, place, kind, statistic, why
--
-- The captions that match one pattern of signs.toml, which explains the parameters. A pattern is applied to the text as
-- it is, in lower case, or as `words`: in lower case without outer punctuation, up to 80 bytes.
with placed as (
    select r.image_no, r.image, r.slot,
        case $reading::varchar when 'text' then c.text when 'lower' then lower(c.text)
            else lower(regexp_replace(c.text, '^[\s\p{P}]+|[\s\p{P}]+$', '', 'g'))
        end as shown,
        if($removes::varchar = '' or $reading::varchar = 'words', shown, regexp_replace(shown, $removes::varchar, '', 'g')) as looked_at
    from reference as r
    join caption as c using (caption_id)
)
select
    image_no, image, slot, $place::integer as place, $kind::varchar as kind, $statistic::varchar as statistic,
    $says::varchar || case
        when $reading::varchar = 'words' then looked_at
        when $part::integer < 0 then ''
        else regexp_extract(looked_at, $pattern::varchar, greatest($part::integer, 0))
    end as why
from placed
where regexp_matches(looked_at, $pattern::varchar)
    and ($reading::varchar <> 'words' or strlen(looked_at) <= 80)
    and ($needs::varchar = '' or regexp_matches(looked_at, $needs::varchar))
    and ($unless::varchar = '' or not regexp_matches(looked_at, $unless::varchar))
