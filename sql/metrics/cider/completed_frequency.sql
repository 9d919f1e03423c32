-- name: completed_frequency
-- version: 1
-- grain: n-gram
-- reads: given_frequency, word, selection_frequency
-- returns: gram, images
-- cites: cider/pyciderevalcap, mode coco-val-df: an n-gram that the table lacks has a document frequency of 1
--
-- Document frequencies from the user, by words joined by spaces, with n-grams packed as in caption_gram. Every n-gram
-- of the selected captions is included. N-grams with a word that no caption has are left out.
with spelled as (select string_split(gram, ' ') as words, images from given_frequency),
packed as (
    select
        case len(s.words)
            when 1 then a.word_id
            when 2 then pack(a.word_id::uhugeint, b.word_id)
            when 3 then pack(a.word_id::uhugeint, b.word_id, c.word_id)
            when 4 then pack(a.word_id::uhugeint, b.word_id, c.word_id, d.word_id)
        end as gram,
        s.images
    from spelled as s
    join word as a on a.word = s.words[1]
    left join word as b on b.word = s.words[2]
    left join word as c on c.word = s.words[3]
    left join word as d on d.word = s.words[4]
)
select gram, coalesce(p.images, 1)::uinteger as images
from selection_frequency as f
full join (select gram, images from packed where gram is not null) as p using (gram)
