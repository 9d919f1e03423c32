-- name: shared_sentence
-- version: 2
-- grain: mention
-- params: seed BIGINT, mentioned VARCHAR, alone BOOLEAN
-- reads: mention, trained_mention
-- returns: image, slot, split, place, right, wrong, drawn_image, drawn_slot, dropped
-- order: s.image, s.slot, s.mention
-- cites: Hodosh & Hockenmaier 2016, section 3.1, share person, share scene and just scene (+)
--
-- Each caption, or its mention of a scene $alone, with a caption of the training split whose mention has the same head
-- word. For persons, only the first mention counts, for scenes any. The captions of a word are in an order by md5. A
-- mention takes the first of 64 that fits, starting at a separate position: from another image, and with a quarter of
-- its words in no caption of this image.
with sentence as (
    select distinct image, slot, head, text
    from trained_mention
    where kind = $mentioned::varchar and (kind = 'scene' or mention = 0)
),
pool as (
    select
        image, slot, head, text, count(*) over (partition by head) as pooled,
        row_number() over (
            partition by head
            order by md5_number(concat_ws(chr(31), 'shared', $seed::bigint, image, slot)), image, slot
        ) - 1 as place
    from sentence
),
shared as (
    select
        image, slot, split, mention, text, words, head,
        md5_number(concat_ws(chr(31), $seed::bigint, $alone::boolean, image, slot, mention)) as drawn
    from mention
    where kind = $mentioned::varchar and (kind = 'scene' or mention = 0)
),
named as (
    select image, list_distinct(flatten(list(string_split(lower(text), ' ')))) as words from mention group by image
),
tried as (
    select s.image, s.slot, s.mention, s.head, t.try, remainder_of(s.drawn + t.try::uhugeint, n.pooled)::bigint as place
    from shared as s
    join (select distinct head, pooled from pool) as n on n.head = s.head
    join (select unnest(range(64)) as try) as t on t.try < n.pooled
),
fitting as (
    select t.image, t.slot, t.mention, t.try, p.image as drawn_image, p.slot as drawn_slot, p.text
    from tried as t
    join pool as p on p.head = t.head and p.place = t.place
    join named as o on o.image = t.image
    where p.image <> t.image
        and 4 * len(list_intersect(o.words, string_split(lower(p.text), ' '))) <= 3 * list_unique(string_split(lower(p.text), ' '))
),
found as (
    select image, slot, mention, min_by(struct_pack(drawn_image, drawn_slot, text), try) as chosen from fitting group by all
)
select
    s.image, s.slot, s.split, s.mention::varchar as place, if($alone::boolean, s.words, s.text) as right, f.chosen.text as wrong,
    f.chosen.drawn_image as drawn_image, f.chosen.drawn_slot as drawn_slot,
    if(f.chosen is null, 'no sentence of the training split with the head word fits', null) as dropped
from shared as s
left join found as f using (image, slot, mention)
order by s.image, s.slot, s.mention
