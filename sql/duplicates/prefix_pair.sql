-- name: prefix_pair
-- version: 4
-- grain: text, pair of its rarest words, or one of them
-- params: near INTEGER, most_paired INTEGER
-- reads: text_bag, bag_size
-- returns: text_no, size, key, most_shared, leads
-- merges: rows
-- cites: Chaudhuri, Ganti & Kaushik 2006 (prefix filter); Wang, Li & Feng 2012 (prefixes that share two words); Xiao,
--        Wang, Lin & Yu 2008 (place of the shared words)
--
-- If two bags are similar enough (`near`, in thousandths, above 500), each shares at least `near` of its words with the
-- other, and more if the smallest bag that can be similar is not that small. Take as many of its rarest words as may be
-- missing from the other, plus two. At least two of these are also among those of the other bag. Bags without such a
-- common pair are never compared. A single word has no pair and no near-duplicate. If the first common word is rare, it
-- needs no second one. The number of pairs grows with the square of the text length. Bags of more than `most_paired`
-- words, and those long enough to be near one, are compared by single words: as many as may be missing, plus one.
--
-- If the pair is the first that two bags share, they share at most `most_shared` words. It `leads` if that is enough for
-- a bag of the same size: no smaller bag needs a longer prefix to be compared with a larger one.
with reach as (
    select a.size, min(b.size) as smallest
    from bag_size as a
    join bag_size as b on b.size <= a.size and 1000 * b.size >= $near::integer::bigint * a.size
    group by a.size
),
prefix as (
    select
        text_no, size, rare,
        size <= $most_paired::integer as by_pair,
        1000 * size >= $near::integer::bigint * $most_paired::integer as by_word,
        (size - ($near::bigint * (size + smallest) + 999 + $near::bigint) // (1000 + $near::bigint))::integer as spare,
        words
    from text_bag
    join reach using (size)
),
placed as (
    select
        text_no, size, spare, rare, by_pair, by_word,
        unnest(words[:spare + 2]) as word, unnest(range(1, spare + 3)) as place
    from prefix
),
keyed as (
    select a.text_no, a.size, pack(a.word::ubigint, b.word) as key, b.size - b.place + 2 as most_shared
    from placed as a
    join placed as b on b.text_no = a.text_no and b.place > a.place
    where a.by_pair and a.place > a.rare
    union all
    select text_no, size, word::ubigint, size - place + 1
    from placed
    where place <= spare + 1 and (by_word or place <= rare)
)
select
    text_no, size, key, most_shared::uinteger as most_shared,
    most_shared * (1000 + $near::integer) >= 2 * $near::integer * size as leads
from keyed
