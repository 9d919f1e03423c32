-- name: caption_norm
-- version: 3
-- grain: caption text, n-gram order
-- reads: chosen, image_gram, known_square, collection
-- returns: caption_id, n, norm
-- cites: Vedantam et al. 2015, section 4, eq. 1-2; cider/pyciderevalcap: raw counts, natural logarithm, df at least 1
--
-- Length of each text's tf-idf vector: the sum of (tf idf)² is that of idf² over all occurrences, and, where an n-gram
-- occurs again, of tf (tf - 1) idf² besides. Squares are summed as integers (in units of 2^-70), so that the sum does
-- not depend on the order in which threads add. Grams are packed as in caption_gram.
with side_by_side as (
    select
        caption_id,
        unnest(tokens)::uhugeint as a,
        unnest(tokens[2:])::uhugeint as b,
        unnest(tokens[3:])::uhugeint as c,
        unnest(tokens[4:])::uhugeint as d
    from chosen
),
packed as materialized (
    select
        caption_id,
        a,
        a * 4294967296 + b as ab,
        (a * 4294967296 + b) * 4294967296 + c as abc,
        ((a * 4294967296 + b) * 4294967296 + c) * 4294967296 + d as abcd
    from side_by_side
),
occurrence as (
    select caption_id, 1::utinyint as n, a as gram, 1::bigint as times from packed where a is not null
    union all
    select caption_id, 2, ab, 1 from packed where ab is not null
    union all
    select caption_id, 3, abc, 1 from packed where abc is not null
    union all
    select caption_id, 4, abcd, 1 from packed where abcd is not null
    union all
    select distinct caption_id, n, gram, tf::bigint * (tf - 1) from image_gram where tf > 1
),
unknown as (select (power(log_documents, 2) * 1180591620717411303424.0)::hugeint as square from collection)
select
    o.caption_id,
    o.n,
    sqrt(sum(o.times * coalesce(k.square, u.square))::double / 1180591620717411303424.0) as norm
from occurrence as o
left join known_square as k using (gram)
cross join unknown as u
group by o.caption_id, o.n
