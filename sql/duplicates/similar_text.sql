-- name: similar_text
-- version: 1
-- grain: ordered pair of wordings
-- params: near INTEGER
-- reads: similarity_candidate, text_bag
-- returns: wording_no, other_no, shared, total
--
-- Wordings whose bags of words are alike: `shared` words of `total`, those of either, are at least `near` thousandths
-- (Jaccard). Lists that are equal behind their first, rarest word need not be searched, which is what a flood of one
-- template is made of. Each pair is here in both orders; a wording and itself are no pair.
with compared as (
    select
        l.wording_no, l.other_no, a.size + b.size as words,
        case
            when a.words[2:] = b.words[2:] then a.size - 1 + (a.words[1] = b.words[1])::integer
            else len(list_intersect(a.words, b.words))
        end::integer as shared
    from similarity_candidate as l
    join text_bag as a on a.wording_no = l.wording_no
    join text_bag as b on b.wording_no = l.other_no
),
near as (
    select wording_no, other_no, shared::uinteger as shared, (words - shared)::uinteger as total
    from compared
    where 1000 * shared >= $near::integer * (words - shared)
)
select wording_no, other_no, shared, total from near
union all
select other_no, wording_no, shared, total from near
