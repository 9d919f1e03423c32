-- name: side_caption
-- version: 2
-- grain: side, caption
-- reads: searched_caption, distinct_text, side, split_role
-- returns: side_no, image_no, image, slot, caption_id, text_no, place, of_slot
--
-- The captions of each side: of a selection, or of its splits with one role (Karpathy's restval counts as train). The
-- text of a caption without a token is null. `place` numbers the captions of a selection in order of image and slot.
with played as (
    select c.selection_no, c.image_no, c.image, c.slot, c.caption_id, c.tokens, c.of_slot, coalesce(r.role, c.split) as role,
        row_number() over (partition by c.selection_no order by c.image_no, c.slot)::uinteger as place
    from searched_caption as c
    left join split_role as r on r.selection_no = c.selection_no and r.split = c.split
)
select
    s.side_no, p.image_no, p.image, p.slot, p.caption_id, w.text_no,
    p.place, p.of_slot
from played as p
join side as s on s.selection_no = p.selection_no and (s.role is null or s.role = p.role)
left join distinct_text as w on w.tokens = p.tokens
