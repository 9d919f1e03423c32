-- name: vote_text
-- version: 1
-- grain: caption with votes or counts
-- reads: annotated
-- returns: image, slot, votes
--
-- Judgements, pairs, triplets and word counts as one text each, part of the version: other votes make another. Phrases
-- are not, since they annotate the same captions. Fields follow their lengths, judges are sorted, and -0 is 0.
with judged_by as (
    select
        image, slot,
        list_sort(list_transform(judgements, lambda j: concat(strlen(j.judge), ':', j.judge, '=', j.score + 0, '*', j.votes))) as judges
    from annotated
    where judgements is not null
)
select
    a.image, a.slot,
    concat_ws(
        '|',
        'judgements:' || array_to_string(j.judges, ','),
        case when a.pair is not null then concat(
            'pair:', (a.pair).pair, (a.pair).side, coalesce((a.pair).votes::varchar, '-'), ',',
            strlen((a.pair).category), ':', (a.pair).category, ',', strlen((a.pair).origin), ':', (a.pair).origin
        ) end,
        case when a.triplet is not null then concat(
            'triplet:', (a.triplet).triplet, (a.triplet).side, coalesce((a.triplet).votes::varchar, '-'), ',',
            strlen((a.triplet).category), ':', (a.triplet).category
        ) end,
        'occurrences:' || a.occurrences
    ) as votes
from annotated as a
left join judged_by as j using (image, slot)
where a.judgements is not null or a.pair is not null or a.triplet is not null or a.occurrences is not null
