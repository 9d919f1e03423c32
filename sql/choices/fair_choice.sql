-- name: fair_choice
-- version: 1
-- grain: forced-choice item that is kept
-- params: seed BIGINT
-- reads: choice_item, choice_sign
-- returns: item_no
-- order: d.item_no
-- cites: Hsieh et al. 2023, section 3.2: items drawn so that the scores of blind models balance
--
-- As many items on which some scorers are right as items on which each of them errs, by part: those with the signs `+-0`
-- against those with `-+0`, drawn by md5. Items on which all of them tie are kept.
with drawn as (
    select
        i.item_no,
        i.part,
        s.signs,
        row_number() over (
            partition by i.part, s.signs
            order by md5_number(concat_ws(chr(31), 'fair', $seed::bigint, i.item, i.image)), i.item_no
        ) as place
    from choice_item as i
    join choice_sign as s using (item_no)
),
counted as (
    select part, signs, count(*) as items from drawn group by part, signs
)
select d.item_no
from drawn as d
left join counted as o on o.part is not distinct from d.part and o.signs = translate(d.signs, '+-', '-+')
where d.place <= o.items
order by d.item_no
