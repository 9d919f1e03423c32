-- name: prefix_pair
-- version: 2
-- grain: text, pair of its rarest words, or one of them
-- params: near INTEGER, most_paired INTEGER
-- reads: text_bag
-- returns: text_no, size, mask, key
-- cites: Chaudhuri, Ganti & Kaushik 2006 (prefix filter); Wang, Li & Feng 2012 (prefixes that share two words)
--
-- If two bags are similar enough (`near`, in thousandths, above 500), each shares at least `near` of its words with the
-- other. Take as many of its rarest words as may be missing from the other, plus two. At least two of these are also
-- among those of the other bag. Bags without such a common pair are never compared. A single word has no pair and no
-- near-duplicate. The number of pairs grows with the square of the text length. Bags of more than `most_paired` words,
-- and those long enough to be near one, are therefore compared by single words: as many as may be missing, plus one.
with prefix as (
    select
        text_no, size, mask,
        size <= $most_paired::integer as by_pair,
        1000 * size >= $near::integer::bigint * $most_paired::integer as by_word,
        size - ($near::integer * size + 999) // 1000 as spare,
        words
    from text_bag
    where size > 1
),
rare as (
    select text_no, size, mask, unnest(words[:spare + 2]) as word
    from prefix
    where by_pair
)
select a.text_no, a.size, a.mask, pack(a.word::ubigint, b.word) as key
from rare as a
join rare as b on b.text_no = a.text_no and b.word > a.word
union all
select text_no, size, mask, unnest(words[:spare + 1])::ubigint as key
from prefix
where by_word
