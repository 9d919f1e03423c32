-- name: shared_pair
-- version: 1
-- grain: pair that two sources have
-- reads: pairwise_preference, other_preference
-- returns: pair, other_pair, other_kind, origin_b, origin_c, other_votes_b, other_votes_c, other_winner
-- order: a.pair
--
-- Pairs of the same two captions of an image in another source, identified by their tokens: the k-th such pair of the
-- first source is the k-th of the second. Winner and origins are swapped so that B and C are those of the first source.
with one as (
    select
        pair, image, tokens_b, tokens_c, least(tokens_b, tokens_c) as low, greatest(tokens_b, tokens_c) as high,
        row_number() over (partition by image, least(tokens_b, tokens_c), greatest(tokens_b, tokens_c) order by pair) as place
    from pairwise_preference
),
other as (
    select
        pair, image, kind, tokens_b, winner, origin_b, origin_c, votes_b, votes_c,
        least(tokens_b, tokens_c) as low, greatest(tokens_b, tokens_c) as high,
        row_number() over (partition by image, least(tokens_b, tokens_c), greatest(tokens_b, tokens_c) order by pair) as place
    from other_preference
)
select
    a.pair, b.pair as other_pair, b.kind as other_kind,
    if(a.tokens_b = b.tokens_b, b.origin_b, b.origin_c) as origin_b,
    if(a.tokens_b = b.tokens_b, b.origin_c, b.origin_b) as origin_c,
    if(a.tokens_b = b.tokens_b, b.votes_b, b.votes_c) as other_votes_b,
    if(a.tokens_b = b.tokens_b, b.votes_c, b.votes_b) as other_votes_c,
    if(a.tokens_b = b.tokens_b, b.winner, case b.winner when 'B' then 'C' when 'C' then 'B' end) as other_winner
from one as a
join other as b on b.image = a.image and b.low = a.low and b.high = a.high and b.place = a.place
order by a.pair
