-- name: caption_order
-- version: 2
-- grain: list, draw, caption
-- params: seed BIGINT, draws INTEGER
-- reads: list_caption
-- returns: list_no, draw, place
-- order: list_no, draw, lot, place
-- cites: van Miltenburg et al. 2018, section 3, figure 1: ten orders of the captions, at random
--
-- The order of the captions of each list in each draw. It depends only on (seed + draw, image, slot), by md5,
-- so it is the same on any machine and with any number of threads.
with drawn as (
    select
        l.list_no, d.draw, l.place,
        md5_number(concat_ws(chr(31), 'order', $seed::bigint + d.draw, l.image, l.slot)) as lot
    from list_caption as l
    cross join (select unnest(range($draws::integer))::integer as draw) as d
)
select list_no, draw, place
from drawn
order by list_no, draw, lot, place
