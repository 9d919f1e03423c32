-- name: replaced_mention
-- version: 1
-- grain: mention
-- params: dataset VARCHAR, seed BIGINT, mentioned VARCHAR
-- reads: mention, trained_mention, same_word
-- returns: image, slot, split, place, right, wrong, drawn_image, drawn_slot, dropped
-- cites: Hodosh & Hockenmaier 2016, section 3.1, replace person and replace scene
--
-- Each caption with one of its mentions replaced by a drawn one of the training split. Those of one number lie in an order by
-- md5; a mention takes the first that fits of 512, from a place of its own on: of another image, with a head word that may not
-- be said of the same, nor is in another caption of the image.
with pool as (
    select
        image, slot, head, number, inner_words, count(*) over (partition by number) as pooled,
        row_number() over (
            partition by number
            order by md5_number(concat_ws(chr(31), 'pooled', $seed::bigint, $dataset::varchar, image, slot, start)), image, slot, start
        ) - 1 as place
    from trained_mention
    where kind = $mentioned::varchar and drawable
),
replaced as (
    select
        image, slot, split, mention, text, start, ends, opens, head, number,
        md5_number(concat_ws(chr(31), 'replaced', $seed::bigint, $dataset::varchar, image, slot, mention)) as drawn
    from mention
    where kind = $mentioned::varchar
),
tried as (
    select r.image, r.slot, r.mention, r.head, r.number, ((r.drawn + t.try::uhugeint) % s.pooled::uhugeint)::bigint as place, t.try
    from replaced as r
    join (select distinct number, pooled from pool) as s on s.number = r.number
    join (select unnest(range(512)) as try) as t on t.try < s.pooled
),
fitting as (
    select t.image, t.slot, t.mention, t.try, p.image as drawn_image, p.slot as drawn_slot, p.inner_words
    from tried as t
    join pool as p on p.number = t.number and p.place = t.place
    left join same_word as s on s.kind = $mentioned::varchar and s.head = t.head and s.other_head = p.head
    left join (select distinct image, head from mention where kind = $mentioned::varchar) as o on o.image = t.image and o.head = p.head
    where p.image <> t.image and s.head is null and o.head is null and p.head <> t.head
),
found as (
    select image, slot, mention, min_by(struct_pack(drawn_image, drawn_slot, inner_words), try) as chosen from fitting group by all
)
select
    r.image, r.slot, r.split, r.mention::varchar as place, r.text as right,
    left(r.text, r.start) || if(r.opens, upper(left(f.chosen.inner_words, 1)) || substr(f.chosen.inner_words, 2), f.chosen.inner_words)
    || substr(r.text, r.ends + 1) as wrong,
    f.chosen.drawn_image as drawn_image, f.chosen.drawn_slot as drawn_slot,
    case
        when r.number = 'unclear' and $mentioned::varchar = 'person' then 'neither singular nor plural'
        when r.number = 'unclear' then 'a time or an adverb'
        when f.chosen is null then 'no mention of the training split fits'
    end as dropped
from replaced as r
left join found as f using (image, slot, mention)
order by r.image, r.slot, r.mention
