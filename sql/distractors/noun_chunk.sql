-- name: noun_chunk
-- version: 1
-- grain: noun chunk
-- reads: content, caption, parse, word_class
-- returns: image, slot, split, text, position, start, ends, words, head, link
--
-- The noun chunks that a pipeline finds in the captions of a selection, in their order; `head` and `link` are as in
-- annotated_phrase. Parsers are not made for captions, so chunks are corrected. A chunk begins at a word of a noun
-- phrase, not at the "and" before it. It includes the article of its adjectives. It ends before a verb in -s after a
-- word for persons or clothes: "a man skis".
with ending_word as (
    select distinct word
    from word_class
    where class = 'person' or (class = 'clothing' and sort is null)
),
listed as (
    select c.image, c.slot, c.split, c.text, p.starts, p.lengths, p.tags, p.chunk_starts, p.chunk_ends
    from content as c
    join caption as t on t.text = c.text
    join parse as p using (caption_id)
),
chunk as (
    select
        image, slot, split, text, starts, lengths, tags,
        unnest(chunk_starts)::bigint as opening, unnest(chunk_ends)::bigint as closing
    from listed
),
begun as (
    select
        image, slot, split, text, starts, lengths, tags, closing, opening - 1 + list_position(
            list_transform(tags[opening:closing], lambda tag: regexp_matches(tag, '^(DT|PDT|PRP|CD|JJ|NN|VBN|VBG|RB|WP|EX)')), true
        ) as first,
        lower(substr(text, starts[closing] + 1, lengths[closing])) as last_word,
        lower(substr(text, starts[closing - 1] + 1, lengths[closing - 1])) as word_before
    from chunk
),
cut as (
    select
        b.image, b.slot, b.split, b.text, b.starts, b.lengths,
        b.first - if(
            regexp_matches(b.tags[b.first], '^(JJ|NN|VB)'),
            len(regexp_extract_all(regexp_extract(
                array_to_string(b.tags[:b.first - 1], ' '), '(?:^| )((?:DT|CD|PRP\$)(?: (?:RB|JJ|VBN|VBG|HYPH|,))+)$', 1
            ), '\S+')), 0
        ) as first,
        b.closing - (
            b.tags[b.first] = 'DT' and e.word is not null and coalesce(l.word, o.word) is null and ends_with(b.last_word, 's')
        )::bigint as last
    from begun as b
    left join ending_word as e on e.word = b.word_before
    left join ending_word as l on l.word = b.last_word
    left join ending_word as o on o.word = rtrim(b.last_word, 's')
    where b.first is not null
),
placed as (
    select
        image, slot, split, text, row_number() over caption as position, starts[first]::bigint as start,
        (starts[last] + lengths[last])::bigint as ends,
        coalesce(lag((starts[last] + lengths[last])::bigint) over caption, 0) as after
    from cut
    window caption as (partition by image, slot order by first)
)
select
    image, slot, split, text, position::uinteger as position, start, ends,
    substr(text, start + 1, ends - start) as words,
    lower(regexp_extract(substr(text, start + 1, ends - start), '(\S+)\s*$', 1)) as head,
    lower(trim(substr(text, after + 1, greatest(start - after, 0)))) as link
from placed
