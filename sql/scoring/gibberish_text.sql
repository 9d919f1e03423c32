-- name: gibberish_text
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR, dataset VARCHAR, seed BIGINT, words INTEGER, last_text UINTEGER
-- reads: reference, unigram_distribution
-- returns: candidate, image, slot, caption_id, tokens, text
-- cites: Wang & Gaizauskas 2016, section 5, Gibberish Dataset and Gibberish Brown
--
-- A text of $words words for each caption, each word drawn independently from a unigram distribution. If $words is
-- null, the text has as many words as the selected captions have on average. The draw of the n-th word is a pure
-- function of (seed, dataset, image, slot, n), by md5: a longer text begins with the words of the shorter one. Texts
-- are numbered from $last_text + 1.
with wanted as (
    select
        image, slot,
        coalesce($words::integer, (select round(avg(length)) from reference)::integer) as words
    from reference
),
placed as (select image, slot, unnest(range(1, words + 1)) as position from wanted),
drawn as (
    select
        image, slot, position,
        remainder_of(
            md5_number(concat_ws(chr(31), 'gibberish', $seed::bigint, $dataset::varchar, image, slot, position)),
            (select max(places) from unigram_distribution)
        )::bigint as place
    from placed
),
spelled as (
    select d.image, d.slot, d.position, u.token_id, u.token
    from drawn as d
    asof join unigram_distribution as u on d.place >= u.first_place
)
select
    $label::varchar as candidate,
    image,
    slot,
    ($last_text::uinteger + row_number() over (order by image, slot))::uinteger as caption_id,
    list(token_id order by position) as tokens,
    string_agg(token, ' ' order by position) as text
from spelled
group by image, slot
