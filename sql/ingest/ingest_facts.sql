-- name: ingest_facts
-- version: 2
-- grain: ingest
-- reads: checked_record
-- returns: read, normalized
--
-- How many records an ingest read, of which a forced-choice item is one, and how many of the accepted captions have outer
-- blanks or line breaks: they are stored as they stand, and every tokenizer reads them as single blanks.
select
    count(*) filter (where leads) as read,
    count(*) filter (
        where reason is null
            and (
                text[1] in (' ', chr(9)) or text[-1] in (' ', chr(9)) or contains(text, chr(10)) or contains(text, chr(13))
            )
    ) as normalized
from checked_record
