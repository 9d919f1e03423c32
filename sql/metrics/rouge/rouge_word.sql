-- name: rouge_word
-- version: 3
-- grain: text of an image, position of a token
-- reads: image_text
-- returns: text_no, place, is_last, word, place_bit, places, reference_places
--
-- The tokens that at least two texts of an image have, one of them a reference, with their positions: the number of the
-- text above 32 bits for the position in it. Other tokens, which no shared n-gram or skip-bigram contains, are left out
-- before pairing. Words are numbered again within each image, so units match only within an image. `places` are the
-- place_bits of the texts with a word, reference_places those of references.
with position as (
    select
        text_no, image_no, place_bit, len(tokens) as length,
        unnest(tokens)::ubigint as token_id,
        unnest(range(len(tokens)))::ubigint as place
    from image_text
),
placed as materialized (
    select
        text_no, place_bit, pack(text_no::ubigint, place) as place, place + 1 = length as is_last,
        pack(image_no::ubigint, token_id) as word_key
    from position
),
met as (
    select
        word_key, (row_number() over ())::ubigint as word, bit_or(place_bit) as places,
        bit_or(place_bit) filter (text_no & 2 = 2) as reference_places
    from placed
    group by word_key
    having min(text_no) < max(text_no) and bit_or(text_no & 2) = 2
)
select p.text_no, p.place, p.is_last, m.word, p.place_bit, m.places, m.reference_places
from placed as p
join met as m using (word_key)
