-- name: chunk_phrase
-- version: 1
-- grain: phrase
-- reads: typed_chunk
-- returns: image, slot, split, text, position, chain, types, start, ends, words, head, link
--
-- The noun chunks of captions in the form of annotated phrases. Coreference is guessed. If all captions of an image
-- mention persons once, and none a man if another has a woman, they are the same person, chain 1. "the man" is the
-- same as a man before it; the word names its chain. Other chains are 0.
with tagged as (
    select
        image, slot, split, text, position, type, start, ends, words, head, link,
        type = 'people' as is_people, count(*) filter (where type = 'people' and not is_of_last) over caption as mentions,
        bool_or(position > 1 and starts_with(lower(words), 'the ')) over same_head and count(*) over same_head > 1 as is_said_again,
        bool_or(is_people and regexp_matches(lower(words), '\b(wom[ae]n|girls?|females?|lad(y|ies))\b')) over (partition by image)
            and bool_or(is_people and regexp_matches(lower(words), '\b(m[ae]n|boys?|males?|guys?)\b')) over (partition by image)
            as is_of_both_genders
    from typed_chunk
    window caption as (partition by image, slot), same_head as (partition by image, slot, type, head)
)
select
    image, slot, split, text, position,
    case
        when not is_people then '0'
        when is_said_again then head
        when max(mentions) over (partition by image) = 1 and not is_of_both_genders then '1'
        else '0'
    end as chain,
    [type] as types, start, ends, words, head, link
from tagged
