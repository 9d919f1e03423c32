-- name: replaced_mention
-- version: 2
-- grain: mention
-- params: seed BIGINT, mentioned VARCHAR
-- reads: mention, drawable_mention, same_word
-- returns: image, slot, split, place, right, wrong, drawn_image, drawn_slot, dropped
-- order: r.image, r.slot, r.mention
-- cites: Hodosh & Hockenmaier 2016, section 3.1, replace person and replace scene
--
-- Each caption with one of its mentions replaced by a sampled one of the training split. Mentions of one role are in an
-- order by md5. A mention takes the first of 512 that fits, starting at a separate position. It is from another image,
-- with a head word that does not fit the replaced one and is in no caption of the image. It is not a woman before "he".
with pool as (
    select
        image, slot, head, role, gender, inside, count(*) over (partition by role) as pooled,
        row_number() over (
            partition by role
            order by md5_number(concat_ws(chr(31), 'pooled', $seed::bigint, image, slot, start)), image, slot, start
        ) - 1 as place
    from drawable_mention
),
replaced as (
    select
        image, slot, split, mention, text, start, ends, opens, head, number, article or number <> 'singular' or start = 0
            or points_back or kind = 'scene' or left(words, 1) <> lower(left(words, 1)) as is_whole,
        length(regexp_replace(left(text, start), '[^"]', '', 'g')) % 2 = 1 as is_quoted,
        regexp_matches(words, ' (in|wearing|with) ')
            and regexp_matches(substr(text, ends + 1), '^( ,)? and (an? |[\w-]+ (and |,))|^ , [\w -]+ , and |^ on( \W| and|$)')
            and coalesce(trim(substr(text, ends + 1, lead(start) over caption - ends)) not in ('and', ', and', ','), true)
            as is_half_of_list,
        if($mentioned::varchar = 'person', number, coalesce(regexp_extract(
            lower(left(text, start)), '\b(in|on|at|down|near|through|into|by|along|across|up|to|outside|over|from|around|of|with)\s*$', 1
        ), '')) as role,
        regexp_matches(lower(left(text, start) || substr(text, ends + 1)), '\b(he|his|him|himself)\b') as goes_on_he,
        regexp_matches(lower(left(text, start) || substr(text, ends + 1)), '\b(she|hers?|herself)\b') as goes_on_she,
        md5_number(concat_ws(chr(31), 'replaced', $seed::bigint, image, slot, mention)) as drawn
    from mention
    where kind = $mentioned::varchar
    window caption as (partition by image, slot order by mention)
),
tried as (
    select
        r.image, r.slot, r.mention, r.head, r.role, r.goes_on_he, r.goes_on_she, t.try,
        remainder_of(r.drawn + t.try::uhugeint, s.pooled)::bigint as place
    from replaced as r
    join (select distinct role, pooled from pool) as s on s.role = r.role and r.number <> 'unclear'
    join (select unnest(range(512)) as try) as t on t.try < s.pooled
),
fitting as (
    select t.image, t.slot, t.mention, t.try, p.image as drawn_image, p.slot as drawn_slot, p.inside
    from tried as t
    join pool as p on p.role = t.role and p.place = t.place
    left join same_word as s on s.kind = $mentioned::varchar and s.head = t.head and s.other_head = p.head
    left join (select distinct image, head from mention where kind = $mentioned::varchar) as o on o.image = t.image and o.head = p.head
    where p.image <> t.image and s.head is null and o.head is null and p.head <> t.head
        and not (t.goes_on_he and coalesce(p.gender = 'she', false) or t.goes_on_she and coalesce(p.gender = 'he', false))
),
found as (
    select image, slot, mention, min_by(struct_pack(drawn_image, drawn_slot, inside), try) as chosen from fitting group by all
)
select
    r.image, r.slot, r.split, r.mention::varchar as place, r.text as right,
    left(r.text, r.start) || if(r.opens, upper(left(f.chosen.inside, 1)) || substr(f.chosen.inside, 2), f.chosen.inside)
    || substr(r.text, r.ends + 1) as wrong,
    f.chosen.drawn_image as drawn_image, f.chosen.drawn_slot as drawn_slot,
    case
        when r.number = 'unclear' and $mentioned::varchar = 'person' then 'neither singular nor plural'
        when r.number = 'unclear' then 'a time, an adverb or any place'
        when r.is_quoted then 'in quotation marks'
        when r.is_half_of_list then 'half of a list of clothes'
        when not r.is_whole then 'no article: half of a longer phrase'
        when f.chosen is null then 'no mention of the training split fits'
    end as dropped
from replaced as r
left join found as f using (image, slot, mention)
order by r.image, r.slot, r.mention
