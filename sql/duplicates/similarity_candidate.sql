-- name: similarity_candidate
-- version: 2
-- grain: pair of texts
-- params: near INTEGER
-- reads: prefix_pair
-- returns: text_no, other_no
--
-- Texts that share a pair of rare words and that sizes, the places of the pair and masks do not exclude: two masks have
-- at most as many different bits as the bags have different words. `text_no` is the smaller bag. About one in a hundred
-- pairs remains.
with met as materialized (
    select key from prefix_pair group by key having count(*) > 1 and count_if(leads) > 0
),
shared as materialized (select p.* from prefix_pair as p semi join met as m on m.key = p.key)
select distinct a.text_no, b.text_no as other_no
from shared as a
join shared as b on b.key = a.key
where a.leads
    and (b.size > a.size or b.size = a.size and b.text_no > a.text_no)
    and 1000 * a.size >= $near::integer * b.size
    and least(a.most_shared, b.most_shared)::bigint * (1000 + $near::integer) >= $near::integer * (a.size + b.size)
    and bit_count(xor(a.mask, b.mask)) * (1000 + $near::integer) <= (a.size + b.size) * (1000 - $near::integer)
