-- name: text_bag
-- version: 2
-- grain: text
-- params: most_texts INTEGER
-- reads: bag_item, word_rarity
-- returns: text_no, size, words, mask, rare
-- merges: rows
-- cites: Sandes, Teodoro & Melo 2020, section 3: a bitmap bounds how many words two sets share
--
-- A text as a bag of numbered words (relation word_rarity). `mask` has one bit of 126 for each, set if their number is odd.
-- The first `rare` words are in at most `most_texts` texts each.
select
    t.text_no,
    count(*)::uinteger as size,
    list(n.word order by n.word) as words,
    bit_xor(1::hugeint << (n.word % 126)::hugeint) as mask,
    count_if(n.texts <= $most_texts::integer)::uinteger as rare
from bag_item as t
join word_rarity as n on n.token_id = t.token_id and n.nth = t.nth
group by t.text_no
