-- name: side_caption
-- version: 3
-- grain: side, caption
-- reads: searched_text, distinct_text, side
-- returns: side_no, image_no, image, slot, caption_id, text_no, place, of_slot
--
-- The captions of each side: of a selection, or of its splits with one role (Karpathy's restval counts as train). The
-- text of a caption without a token is null. `place` numbers the captions of a selection in order of image and slot.
with placed as (
    select
        selection_no, image_no, image, split, slot, caption_id, tokens, of_slot,
        row_number() over (partition by selection_no order by image_no, slot)::uinteger as place
    from searched_text
)
select s.side_no, p.image_no, p.image, p.slot, p.caption_id, w.text_no, p.place, p.of_slot
from placed as p
join side as s on s.selection_no = p.selection_no and (s.splits is null or list_contains(s.splits, p.split))
left join distinct_text as w on w.tokens = p.tokens
