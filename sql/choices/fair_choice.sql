-- name: fair_choice
-- version: 2
-- grain: forced-choice item that is kept
-- params: seed BIGINT
-- reads: choice_item, choice_sign
-- returns: item_no
-- order: d.item_no
-- cites: Hsieh et al. 2023, section 3.2: items drawn so that the scores of blind models balance
--
-- Equally many items that each of some scorers gets right and wrong, by part: those with the signs `+-0` against those
-- with `-+0`, sampled by md5. Items on which all of them tie are kept. With two right captions, the wrong one has rank
-- 1, 2 or 3, and rank 1 is right: equally many items of each rank. If it ties with one of the two, it gets either rank
-- (4: 1 or 2, 5: 2 or 3), also by md5.
with placed as (
    select
        i.item_no, i.part, i.item, i.image,
        translate(
            s.signs, '45',
            case when md5_number(concat_ws(chr(31), 'tie', $seed::bigint, i.item, i.image)) & 1 = 0 then '12' else '23' end
        ) as signs
    from choice_item as i
    join choice_sign as s using (item_no)
),
drawn as (
    select
        item_no,
        part,
        signs,
        row_number() over (
            partition by part, signs order by md5_number(concat_ws(chr(31), 'fair', $seed::bigint, item, image)), item_no
        ) as place
    from placed
),
counted as (
    select part, signs, count(*) as items from drawn group by part, signs
)
select d.item_no
from drawn as d
left join counted as o on o.part is not distinct from d.part and o.signs = translate(d.signs, '+-123', '-+231')
left join counted as p on p.part is not distinct from d.part and p.signs = translate(d.signs, '+-123', '-+312')
where d.place <= o.items and d.place <= p.items
order by d.item_no
