-- name: script
-- version: 2
-- grain: split
-- params: dataset VARCHAR, seq INTEGER
-- reads: membership, caption
-- returns: split, captions, latin, unspaced
--
-- In which letters the captions of each split are written: those of which half the letters or more are Latin, and
-- those of which half or more are of scripts without blanks between words. A caption without letters counts as neither,
-- one in ASCII with them as Latin. `captions` counts those that have letters.
with at_hand as (
    select m.split, c.text, strlen(c.text) = length(c.text) as plain
    from membership as m
    join caption as c using (caption_id)
    where m.dataset = $dataset::varchar
        and m.from_seq <= $seq::integer
        and (m.to_seq is null or m.to_seq > $seq::integer)
),
letter as (
    select
        split,
        case when plain then '' else regexp_replace(text, '\P{L}+', '', 'g') end as letters,
        plain and regexp_matches(text, '[A-Za-z]') as ascii
    from at_hand
),
counted as (
    select
        split,
        ascii,
        length(letters) as letters,
        length(regexp_replace(letters, '\P{Latin}+', '', 'g')) as latin,
        length(
            regexp_replace(
                letters, '[^\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+', '', 'g'
            )
        ) as unspaced
    from letter
)
select
    split,
    count_if(ascii or letters > 0)::ubigint as captions,
    count_if(ascii or (letters > 0 and 2 * latin >= letters))::ubigint as latin,
    count_if(letters > 0 and 2 * unspaced >= letters)::ubigint as unspaced
from counted
group by split
