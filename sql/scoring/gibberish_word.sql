-- name: gibberish_word
-- version: 2
-- grain: held-out caption
-- params: seed BIGINT, most_drawn INTEGER, draws_mean BOOLEAN
-- reads: reference, unigram_distribution
-- returns: image, slot, text_no, mean, tokens, words
--
-- Words for each caption, each drawn independently from a unigram distribution: $most_drawn of them, and at least `mean`
-- if $draws_mean, the number of words that the selected captions have on average. The draw of the n-th word is a pure
-- function of (seed, image, slot, n), by md5: a longer text begins with the words of the shorter one, so all
-- texts are drawn at once. Words are spelled after their numbers are in order: sorting words takes twice the time.
with wanted as materialized (
    select
        image, slot, row_number() over (order by image, slot) as text_no,
        (select round(avg(length)) from reference)::integer as mean
    from reference
),
placed as (
    select
        image, slot, text_no,
        unnest(range(1, greatest($most_drawn::integer, case when $draws_mean::boolean then mean end) + 1)) as position
    from wanted
),
drawn as (
    select
        text_no, position,
        remainder_of(
            md5_number(concat_ws(chr(31), 'gibberish', $seed::bigint, image, slot, position)),
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
    select w.text_no, list(u.token order by w.position) as words
    from word as w
    join unigram_distribution as u using (token_id)
    group by w.text_no
)
select w.image, w.slot, w.text_no, w.mean, n.tokens, s.words
from wanted as w
join numbered as n using (text_no)
join spelled as s using (text_no)
