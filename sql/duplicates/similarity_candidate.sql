-- name: similarity_candidate
-- version: 1
-- grain: pair of texts
-- params: near INTEGER
-- reads: prefix_pair
-- returns: text_no, other_no
--
-- Texts that share a pair of rare words and that sizes and masks do not exclude: two masks have at most as many
-- different bits as the bags have different words. About one in a hundred pairs remains.
select distinct a.text_no, b.text_no as other_no
from prefix_pair as a
join prefix_pair as b on b.key = a.key and b.text_no > a.text_no
where 1000 * b.size >= $near::integer * a.size
    and 1000 * a.size >= $near::integer * b.size
    and bit_count(xor(a.mask, b.mask)) * (1000 + $near::integer) <= (a.size + b.size) * (1000 - $near::integer)
