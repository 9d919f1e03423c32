-- name: ingest_facts
-- version: 3
-- grain: ingest
-- reads: checked_record
-- returns: read, normalized, plain
--
-- The number of records of an ingest (a forced-choice item is one), and of accepted captions with outer spaces or line
-- breaks. These are stored unchanged, and tokenizers read them as single spaces. `plain`: all accepted ones are ASCII.
select
    count(*) filter (where leads) as read,
    count(*) filter (
        where reason is null
            and (
                text[1] in (' ', chr(9)) or text[-1] in (' ', chr(9)) or contains(text, chr(10)) or contains(text, chr(13))
            )
    ) as normalized,
    coalesce(bool_and(strlen(text) = length(text)) filter (where reason is null), true) as plain
from checked_record
