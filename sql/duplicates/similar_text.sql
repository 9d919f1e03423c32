-- name: similar_text
-- version: 1
-- grain: ordered pair of texts
-- params: near INTEGER
-- reads: similarity_candidate, text_bag
-- returns: text_no, other_no, shared, total
--
-- Texts with similar bags of words: `shared` words of `total`, the words of either, are at least `near` thousandths
-- (Jaccard). Lists that are equal after their first, rarest word need not be searched; this is typical of texts from
-- one template. Each pair is listed in both orders. A text is not paired with itself.
with compared as (
    select
        l.text_no, l.other_no, a.size + b.size as words,
        case
            when a.words[2:] = b.words[2:] then a.size - 1 + (a.words[1] = b.words[1])::integer
            else len(list_intersect(a.words, b.words))
        end::integer as shared
    from similarity_candidate as l
    join text_bag as a on a.text_no = l.text_no
    join text_bag as b on b.text_no = l.other_no
),
near as (
    select text_no, other_no, shared::uinteger as shared, (words - shared)::uinteger as total
    from compared
    where 1000 * shared >= $near::integer * (words - shared)
)
select text_no, other_no, shared, total from near
union all
select other_no, text_no, shared, total from near
