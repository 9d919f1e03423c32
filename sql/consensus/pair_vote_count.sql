-- name: pair_vote_count
-- version: 1
-- grain: pair of a source of pairs, triplet of a source of triplets
-- reads: judged_pair
-- returns: pair, form, number, image, kind, slot_a, text_b, text_c, origin_b, origin_c, for_b, for_c, without_votes
-- cites: Vedantam et al. 2015, section 3: triplets of one pair, each decided by its majority
--
-- Votes for either caption of a pair. Triplets of the same two captions of an image are one pair, with the sides of the
-- first of them. Each casts one vote, that of its majority, or none if it is tied. Pairs keep their numbers.
with sided as (
    select
        form, number, image, kind, slot_a, text_b, text_c, origin_b, origin_c, votes_b, votes_c,
        first_value(number) over same_pair as first_number, first_value(text_b) over same_pair as first_b
    from judged_pair
    window same_pair as (
        partition by form, image, least(text_b, text_c), greatest(text_b, text_c), if(form = 'pair', number, 0)
        order by number
    )
),
decided as (
    select
        form, number, image, kind, slot_a, first_number, text_b, text_c, origin_b, origin_c, text_b <> first_b as turned,
        if(form = 'pair', votes_b, (votes_b > votes_c)::uinteger) as votes_b,
        if(form = 'pair', votes_c, (votes_c > votes_b)::uinteger) as votes_c
    from sided
)
select
    if(form = 'pair', number, dense_rank() over (order by form, first_number, image))::uinteger as pair,
    form, number, image, kind, slot_a,
    if(turned, text_c, text_b) as text_b, if(turned, text_b, text_c) as text_c,
    if(turned, origin_c, origin_b) as origin_b, if(turned, origin_b, origin_c) as origin_c,
    coalesce(if(turned, votes_c, votes_b), 0)::uinteger as for_b,
    coalesce(if(turned, votes_b, votes_c), 0)::uinteger as for_c,
    votes_b is null or votes_c is null as without_votes
from decided
