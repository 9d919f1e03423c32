-- name: counted_choice
-- version: 1
-- grain: part of a benchmark
-- params: described VARCHAR, described_seq INTEGER
-- reads: choice_item, membership, caption
-- returns: part, items, captions, same_bags
-- order: i.part
-- cites: Hsieh et al. 2023, section 4; issue 10 of RAIVNLab/sugar-crepe
--
-- Count the items of each part, those whose right text is exactly a caption of its image in dataset $described, and those
-- whose two texts have the same words, each as often. Words consist of the letters a to z, digits and apostrophes, as in
-- issue 10.
with worded as (select caption_id, list_sort(regexp_extract_all(lower(text), '[a-z0-9'']+')) as bag from caption),
known as (
    select distinct image, caption_id
    from membership
    where dataset = $described::varchar and is_held(from_seq, to_seq, $described_seq::integer)
)
select i.part, count(*) as items, count(k.image) as captions, count(*) filter (where r.bag = w.bag) as same_bags
from choice_item as i
join worded as r on r.caption_id = i.right_id
join worded as w on w.caption_id = i.wrong_id
left join known as k on k.image = i.image and k.caption_id = i.right_id
group by i.part
order by i.part
