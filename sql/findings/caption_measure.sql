-- name: caption_measure
-- version: 1
-- grain: caption
-- reads: reference, caption, text_tokens, vocabulary
-- returns: image, slot, word, characters, words, tokens, is_open, is_lettered, stops, is_broken
-- merges: rows
--
-- The last word of each caption, its length in characters, words, and tokens and punctuation marks, and how it ends:
-- open (without a final punctuation mark), in a letter, within a later sentence, or with a word that ends no sentence.
select
    r.image, r.slot, v.token as word, length(rtrim(c.text)) as characters,
    len(if(regexp_matches(c.text, '[\t\n\f\r]|  '), string_split_regex(trim(c.text), '\s+'), string_split(trim(c.text), ' '))) as words,
    len(t.tokens) + length(regexp_replace(c.text, '[\p{L}\p{N}\s]+', '', 'g')) as tokens,
    not regexp_matches(c.text, '[^\p{L}\p{N}\s,;:&-]\s*$') as is_open, regexp_matches(c.text, '\p{L}\s*$') as is_lettered,
    case when is_open then regexp_matches(c.text, '\p{Ll}[.!?]["”]?\s+\S.*[\p{L}\p{N}\s,;:&-]$') end as stops,
    is_open and v.token in ('a', 'an', 'the', 'and', 'or', 'of', 'with', 'his', 'her', 'their', 'its') as is_broken
from reference as r
join caption as c using (caption_id)
join text_tokens as t using (caption_id)
join vocabulary as v on v.token_id = t.tokens[-1]
