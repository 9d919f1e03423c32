-- name: parsed_word
-- version: 1
-- grain: word of a caption text
-- reads: parse, caption
-- returns: caption_id, position, word, tag, class, head, label
--
-- The words of the selected texts as split by a pipeline, in lower case and with straight apostrophes. class is the
-- part of speech of a Penn Treebank tag in plain words; tokens without a letter or digit are punctuation. Positions
-- and heads count from 1; the head of a root is 0, and null if the pipeline does not parse.
with placed as (
    select
        caption_id, generate_subscripts(tags, 1)::uinteger as position, unnest(starts) as start,
        unnest(lengths) as length, unnest(tags) as tag, unnest(heads) as head, unnest(labels) as label
    from parse
),
spelled as (
    select
        p.caption_id, p.position, p.tag, p.head, p.label,
        replace(lower(substring(c.text, p.start + 1, p.length)), '’', '''') as word
    from placed as p
    join caption as c using (caption_id)
)
select
    caption_id, position, word, tag,
    case
        when not regexp_matches(word, '[\p{L}\p{N}]') then 'punctuation'
        when starts_with(tag, 'NN') then 'noun'
        when starts_with(tag, 'VB') or tag = 'MD' then 'verb'
        when starts_with(tag, 'JJ') then 'adjective'
        when starts_with(tag, 'RB') or tag = 'WRB' then 'adverb'
        when tag in ('DT', 'PDT', 'WDT') then 'determiner'
        when tag in ('PRP', 'PRP$', 'WP', 'WP$', 'EX') then 'pronoun'
        when tag = 'IN' then 'preposition'
        when tag = 'CD' then 'numeral'
        when tag = 'CC' then 'conjunction'
        when tag in ('TO', 'RP', 'POS') then 'particle'
        else 'other'
    end as class,
    head, label
from spelled
