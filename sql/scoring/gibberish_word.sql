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
-- texts are drawn at once. Words are sorted by rank and looked up in lists: a join would take a third more time.
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
ranked as (select token_id, token, first_place, row_number() over (order by first_place) as rank from unigram_distribution),
spelling as materialized (select list(token_id order by rank) as token_ids, list(token order by rank) as words from ranked),
chosen as (
    select d.text_no, list(r.rank order by d.position) as ranks
    from drawn as d
    asof join ranked as r on d.place >= r.first_place
    group by d.text_no
)
select
    w.image, w.slot, w.text_no, w.mean,
    list_select((select token_ids from spelling), c.ranks) as tokens,
    list_select((select words from spelling), c.ranks) as words
from wanted as w
join chosen as c using (text_no)
