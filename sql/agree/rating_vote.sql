-- name: rating_vote
-- version: 1
-- grain: vote of a rater
-- reads: annotated
-- returns: image, slot, judge, score
-- order: image, slot, place
--
-- The single votes behind a rating that is a share of votes, such as 2 of 3 raters: as many rows as raters, 1 for yes
-- and 0 for no. Other ratings have no row: of one rater, or not a share of whole votes.
with given as (select image, slot, unnest(judgements, recursive := true) from annotated),
share as (
    select image, slot, judge, votes, round(score * votes) as agreed
    from given
    where votes > 1 and score between 0 and 1 and abs(score * votes - round(score * votes)) < 1e-6
),
vote as (select image, slot, judge, agreed, unnest(range(1, votes::bigint + 1)) as number from share),
placed as (
    select
        image, slot, number <= agreed as is_yes,
        row_number() over (partition by image, slot order by judge, number) as place
    from vote
)
select image, slot, format('vote-{}', place) as judge, is_yes::double as score
from placed
order by image, slot, place
