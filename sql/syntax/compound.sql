-- name: compound
-- version: 1
-- grain: compound of a caption text
-- reads: parsed_word
-- returns: caption_id, position, words, compound
-- cites: van Miltenburg et al. 2018, section 4
--
-- Compound nouns: the longest runs of two nouns or more (tags NN, NNS, NNP, NNPS); position is that of the first noun.
with noun as (
    select caption_id, position, word, position - row_number() over (partition by caption_id order by position) as run
    from parsed_word
    where starts_with(tag, 'NN')
)
select
    caption_id, min(position) as position, count(*)::uinteger as words,
    string_agg(word, ' ' order by position) as compound
from noun
group by caption_id, run
having count(*) > 1
