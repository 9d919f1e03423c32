-- name: changed_text
-- version: 2
-- grain: image
-- params: label VARCHAR, seed BIGINT, words INTEGER, last_text UINTEGER
-- reads: reference, reference_word, token_count, unigram_distribution
-- returns: candidate, image, slot, caption_id, tokens, text
-- cites: Wang & Gaizauskas 2016, section 4.1, CIDEr: a few words of one reference description
--
-- One caption of each image, among those with words, with $words of its words replaced by other words from the unigram
-- distribution (without the replaced word, whose positions are skipped). A shorter caption changes in all its words.
-- Every draw is an md5 of (seed, image, slot, position): with a larger $words, the words of a smaller one change too.
with ranked as (
    select
        image, slot,
        row_number() over (
            partition by image
            order by md5_number(concat_ws(chr(31), 'changed', $seed::bigint, image, slot)), slot
        ) as place
    from reference
    where length > 0
),
drawn as (
    select
        w.image, w.slot, w.position, w.token_id, w.token, u.first_place, s.occurrences,
        row_number() over (
            partition by w.image
            order by md5_number(concat_ws(chr(31), 'position', $seed::bigint, w.image, w.slot, w.position)), w.position
        ) as rank,
        -- null without another word
        remainder_of(
            md5_number(concat_ws(chr(31), 'word', $seed::bigint, w.image, w.slot, w.position)),
            nullif(u.places - s.occurrences, 0)
        )::bigint as draw
    from reference_word as w
    join ranked as r on r.image = w.image and r.slot = w.slot and r.place = 1
    join unigram_distribution as u on u.token_id = w.token_id
    join token_count as s on s.token_id = w.token_id
),
replaced as (
    select image, slot, position, draw + case when draw >= first_place then occurrences else 0 end as place
    from drawn
    where rank <= $words::integer and draw is not null
),
replacing as (
    select r.image, r.slot, r.position, u.token_id, u.token
    from replaced as r
    asof join unigram_distribution as u on r.place >= u.first_place
)
select
    $label::varchar as candidate, d.image, d.slot,
    ($last_text::uinteger + row_number() over (order by d.image, d.slot))::uinteger as caption_id,
    list(coalesce(n.token_id, d.token_id) order by d.position) as tokens,
    string_agg(coalesce(n.token, d.token), ' ' order by d.position) as text
from drawn as d
left join replacing as n on n.image = d.image and n.slot = d.slot and n.position = d.position
group by d.image, d.slot
