-- name: script
-- version: 3
-- grain: caption text
-- params: dataset VARCHAR, seq INTEGER
-- reads: membership, caption
-- returns: caption_id, script, is_mixed
--
-- The script of most letters of each caption text of a version, of equally many the first named here, and whether it has
-- letters of several. A text without a letter has none. `Other` are all scripts but those named; letters that scripts
-- share belong to none.
with placed as (
    select distinct m.caption_id
    from membership as m
    where m.dataset = $dataset::varchar
        and m.from_seq <= $seq::integer
        and (m.to_seq is null or m.to_seq > $seq::integer)
),
written as (
    select
        p.caption_id,
        case when strlen(c.text) > length(c.text) then regexp_replace(c.text, '[\P{L}\p{Common}]+', '', 'g') end as letters,
        letters is null and regexp_matches(c.text, '[A-Za-z]') as is_ascii
    from placed as p
    join caption as c using (caption_id)
),
counted as (
    select
        caption_id, is_ascii,
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
    from written
)
select
    caption_id,
    case
        when is_ascii then 'Latin'
        when list_max(numbers) > 0 then
            [
                'Latin', 'Greek', 'Cyrillic', 'Hebrew', 'Arabic', 'Indic', 'Southeast Asian', 'Korean',
                'Chinese or Japanese', 'Other'
            ][list_position(numbers, list_max(numbers))]
    end as script,
    coalesce(len(list_filter(numbers, lambda number: number > 0)), 0) > 1 as is_mixed
from counted
