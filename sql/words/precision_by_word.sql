-- name: precision_by_word
-- version: 1
-- grain: content word of the candidates
-- reads: local_precision_word, vocabulary
-- returns: word, generated, supported
-- order: word
-- cites: van Miltenburg et al. 2018, section 5.1: local precision, by word
--
-- The number of candidates with a content word, and of those for which a reference of the image has it too.
select v.token as word, count(*) as generated, count(*) filter (where c.supported) as supported
from local_precision_word as c
join vocabulary as v using (token_id)
where c.is_content
group by v.token
order by word
