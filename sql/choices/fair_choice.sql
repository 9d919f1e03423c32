-- name: fair_choice
-- version: 3
-- grain: forced-choice item that is kept
-- params: seed BIGINT
-- reads: choice_item, choice_rank
-- returns: item_no
-- order: d.item_no
-- cites: Hsieh et al. 2023, section 3.2: items drawn so that the scores of blind models balance
--
-- Equally many items for each rank of the right option by each of some scorers, by part and number of options: of two
-- options those with ranks (1, 2) against those with (2, 1), of k those with all k rotations, sampled by md5. Of two
-- right captions, it is the rank of the wrong one from below. If others tie with it, it gets one of their ranks, also
-- by md5. If all tie, it has rank 0, which does not rotate.
with ranked as (
    select
        i.item_no, i.part, i.options::integer as options, i.item, i.image, list_transform(r.ranks, lambda x: case
            when x.tied + 1 = i.options then 0
            else x.low + md5_number(concat_ws(chr(31), 'tie', $seed::bigint, i.item, i.image)) % (x.tied + 1)
        end::integer) as ranks
    from choice_item as i
    join choice_rank as r using (item_no)
),
rotated as (
    select item_no, part, options, item, image, ranks, list_transform(range(options), lambda step: list_transform(
        ranks, lambda rank: if(rank = 0, 0, (rank - 1 + step) % options + 1)
    )) as orbit
    from ranked
),
drawn as (
    select
        item_no, part, options, ranks, list_min(orbit) as first, len(list_distinct(orbit)) as rotations,
        row_number() over (
            partition by part, options, ranks
            order by md5_number(concat_ws(chr(31), 'fair', $seed::bigint, item, image)), item_no
        ) as place
    from rotated
),
counted as (select part, options, first, rotations, ranks, count(*) as items from drawn group by all),
complete as (
    select part, options, first, min(items) as items from counted group by part, options, first having count(*) = any_value(rotations)
)
select d.item_no
from drawn as d
join complete as c on c.part is not distinct from d.part and c.options = d.options and c.first = d.first
where d.place <= c.items
order by d.item_no
