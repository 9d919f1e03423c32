-- name: script
-- version: 3
-- grain: caption text
-- params: dataset VARCHAR, seq INTEGER
-- reads: membership, caption
-- returns: caption_id, script, is_mixed
-- merges: rows
--
-- The script of most letters of each caption text of a version (in a tie, the first here), and whether it has several
-- scripts. A text without a letter has none. `Other` are all not named. Letters that several share do not count.
with written as (
    select c.caption_id, c.text, strlen(c.text) = length(c.text) as is_ascii
    from caption as c
    semi join (
        select caption_id
        from membership
        where dataset = $dataset::varchar and is_held(from_seq, to_seq, $seq::integer)
    ) as m on m.caption_id = c.caption_id
),
lettered as (
    select caption_id, regexp_replace(text, '[\P{L}\p{Common}]+', '', 'g') as letters
    from written
    where not is_ascii
),
counted as (
    select
        caption_id,
        [
            length(regexp_replace(letters, '\P{Latin}+', '', 'g')),
            length(regexp_replace(letters, '\P{Greek}+', '', 'g')),
            length(regexp_replace(letters, '\P{Cyrillic}+', '', 'g')),
            length(regexp_replace(letters, '\P{Hebrew}+', '', 'g')),
            length(regexp_replace(letters, '\P{Arabic}+', '', 'g')),
            length(regexp_replace(letters, '[^\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Gujarati}]+', '', 'g')),
            length(regexp_replace(letters, '[^\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}]+', '', 'g')),
            length(regexp_replace(letters, '\P{Hangul}+', '', 'g')),
            length(regexp_replace(letters, '[^\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}]+', '', 'g'))
        ] as named,
        named || [length(letters) - list_sum(named)] as numbers
    from lettered
)
select
    caption_id,
    case when list_max(numbers) > 0 then
        [
            'Latin', 'Greek', 'Cyrillic', 'Hebrew', 'Arabic', 'Indic', 'Southeast Asian', 'Korean', 'Chinese or Japanese',
            'Other'
        ][list_position(numbers, list_max(numbers))]
    end as script,
    len(list_filter(numbers, lambda number: number > 0)) > 1 as is_mixed
from counted
union all
select caption_id, if(regexp_matches(text, '[A-Za-z]'), 'Latin', null) as script, false as is_mixed
from written
where is_ascii
