-- name: near_key
-- version: 1
-- grain: wording, pair of its rarest words
-- params: near INTEGER
-- reads: word_bag
-- returns: wording_no, size, mask, key
-- cites: Chaudhuri, Ganti & Kaushik 2006 (prefix filter); Wang, Li & Feng 2012 (prefixes that share two words)
--
-- Where two bags are alike enough (`near`, in thousandths, above 500), each shares at least `near` of its own words with
-- the other: of its rarest words, as many as need not be shared and two more, at least two stand among those of the
-- other. Bags that have no such pair in common are never compared. One word alone has none: it is near nothing.
with rare as (
    select
        wording_no, size, mask,
        unnest(words[:size - ($near::integer * size + 999) // 1000 + 2]) as word
    from word_bag
    where size > 1
)
select a.wording_no, a.size, a.mask, a.word::ubigint * 4294967296 + b.word as key
from rare as a
join rare as b on b.wording_no = a.wording_no and b.word > a.word
