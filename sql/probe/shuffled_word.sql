-- name: shuffled_word
-- version: 1
-- grain: word of a changed caption
-- params: seed BIGINT
-- reads: reference_word
-- returns: image, slot, position, token_id, token
-- cites: Wang & Gaizauskas 2016, section 6: which components of descriptions matter to each metric
--
-- Each caption with its words in random order, by an md5 of (seed, image, slot, position).
select
    image, slot,
    row_number() over (
        partition by image, slot
        order by md5_number(concat_ws(chr(31), 'order', $seed::bigint, image, slot, position)), position
    ) as position,
    token_id, token
from reference_word
