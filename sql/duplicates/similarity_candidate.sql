-- name: similarity_candidate
-- version: 3
-- grain: pair of texts
-- params: near INTEGER
-- reads: prefix_pair, text_bag
-- returns: text_no, other_no
--
-- Texts that share a pair of rare words and that sizes, the places of the pair and masks do not exclude: two masks have
-- at most as many different bits as the bags have different words. `text_no` is the smaller bag. About one in a hundred
-- pairs remains. Each condition of `met` compares a value of one text with one of the other: the join checks these
-- where it looks the key up, so most pairs are never formed. The rows are read twice rather than copied.
with placed as not materialized (
    select
        text_no, key, leads, pack(size::ubigint, text_no) as by_size, $near::integer::bigint * size as needs,
        most_shared::bigint * (1000 + $near::integer) - $near::integer::bigint * size as offers
    from prefix_pair
),
met as (
    select a.text_no, b.text_no as other_no
    from placed as a
    join placed as b on b.key = a.key and b.by_size > a.by_size and a.offers >= b.needs and b.offers >= a.needs
    where a.leads
)
select distinct m.text_no, m.other_no
from met as m
join text_bag as a on a.text_no = m.text_no
join text_bag as b on b.text_no = m.other_no
where bit_count(xor(a.mask, b.mask)) * (1000 + $near::integer) <= (a.size + b.size) * (1000 - $near::integer)
