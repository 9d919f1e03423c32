-- name: text_idf_square
-- version: 2
-- grain: caption text
-- reads: text_position, document_frequency, collection
-- returns: caption_id, square_1, square_2, square_3, square_4
-- cites: Vedantam et al. 2015, section 4, eq. 1-2; cider/pyciderevalcap: raw counts, natural logarithm, df at least 1
--
-- The sum of idf² over all n-grams of each text, counting repeated ones each time. All texts are summed at once,
-- because most of the time is spent in the hash table of n-grams; each order has a separate, smaller one. Squares are
-- summed as integers (in units of 2^-70), so the sum does not depend on the order in which threads add. Grams are
-- packed as in caption_gram. N-grams in a single document, which most are, have the same idf and need no lookup.
with idf_square as materialized (
    select f.gram, (power(i.log_documents - ln(f.images), 2) * square_scale())::hugeint as square
    from document_frequency as f
    cross join collection as i
    where f.images > 1
),
packed as (
    select
        caption_id, a::uhugeint as a,
        pack(a::uhugeint, b) as ab, pack(a::uhugeint, b, c) as abc, pack(a::uhugeint, b, c, d) as abcd
    from text_position
),
unigram as (select gram, square from idf_square where gram < first_bigram()),
bigram as (select gram, square from idf_square where gram >= first_bigram() and gram < first_trigram()),
trigram as (select gram, square from idf_square where gram >= first_trigram() and gram < first_four_gram()),
four_gram as (select gram, square from idf_square where gram >= first_four_gram()),
unknown as (select (power(log_documents, 2) * square_scale())::hugeint as square from collection)
select
    p.caption_id,
    sum(coalesce(k1.square, u.square)) as square_1,
    sum(case when p.ab is not null then coalesce(k2.square, u.square) end) as square_2,
    sum(case when p.abc is not null then coalesce(k3.square, u.square) end) as square_3,
    sum(case when p.abcd is not null then coalesce(k4.square, u.square) end) as square_4
from packed as p
cross join unknown as u
left join unigram as k1 on k1.gram = p.a
left join bigram as k2 on k2.gram = p.ab
left join trigram as k3 on k3.gram = p.abc
left join four_gram as k4 on k4.gram = p.abcd
group by p.caption_id
