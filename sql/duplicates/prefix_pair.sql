-- name: prefix_pair
-- version: 2
-- grain: text, pair of its rarest words, or one of them
-- params: near INTEGER, most_paired INTEGER
-- reads: text_bag
-- returns: text_no, size, mask, key
-- cites: Chaudhuri, Ganti & Kaushik 2006 (prefix filter); Wang, Li & Feng 2012 (prefixes that share two words)
--
-- Where two bags are alike enough (`near`, in thousandths, above 500), each shares at least `near` of its own words with
-- the other: of its rarest words, as many as need not be shared and two more, at least two occur among those of the
-- other. Bags that have no such pair in common are never compared. One word alone has none: it is near nothing. Pairs
-- grow with the square of a text, and so bags of more than `most_paired` words, and those that are
-- large enough to be near one, meet in single words: of as many as need not be shared and one more.
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
