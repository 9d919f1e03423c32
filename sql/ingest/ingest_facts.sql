-- name: ingest_facts
-- version: 1
-- grain: ingest
-- reads: checked_record
-- returns: read, normalised
--
-- How many records an ingest read, and how many of the accepted have outer blanks or line breaks: they are stored as
-- they stand, and every tokenizer reads them as single blanks.
select
    count(*) as read,
    count(*) filter (
        where reason is null
            and (
                text[1] in (' ', chr(9)) or text[-1] in (' ', chr(9)) or contains(text, chr(10)) or contains(text, chr(13))
            )
    ) as normalised
from checked_record
