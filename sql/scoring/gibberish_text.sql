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
-- are numbered from $last_text + 1. Words are spelled after their numbers are in order: sorting words takes twice the time.
with wanted as materialized (
    select
        image, slot, row_number() over (order by image, slot) as text_no,
        coalesce($words::integer, (select round(avg(length)) from reference)::integer) as words
    from reference
),
placed as (select image, slot, text_no, unnest(range(1, words + 1)) as position from wanted),
drawn as (
    select
        text_no, position,
        remainder_of(
            md5_number(concat_ws(chr(31), 'gibberish', $seed::bigint, $dataset::varchar, image, slot, position)),
            (select max(places) from unigram_distribution)
        )::bigint as place
    from placed
),
numbered as materialized (
    select d.text_no, list(u.token_id order by d.position) as tokens
    from drawn as d
    asof join unigram_distribution as u on d.place >= u.first_place
    group by d.text_no
),
word as (select text_no, unnest(tokens) as token_id, generate_subscripts(tokens, 1) as position from numbered),
spelled as (
    select w.text_no, string_agg(u.token, ' ' order by w.position) as text
    from word as w
    join unigram_distribution as u using (token_id)
    group by w.text_no
)
select
    $label::varchar as candidate,
    w.image,
    w.slot,
    ($last_text::uinteger + w.text_no)::uinteger as caption_id,
    n.tokens,
    s.text
from wanted as w
join numbered as n using (text_no)
join spelled as s using (text_no)
