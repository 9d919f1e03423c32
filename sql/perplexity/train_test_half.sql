-- name: train_test_half
-- version: 2
-- grain: caption
-- params: selection_no UINTEGER, seed BIGINT
-- reads: reference
-- returns: selection_no, image_no, side, caption_id, length, place
--
-- Each image is on the training or the test side, by md5 of (seed, image), with all its captions, since they
-- are paraphrases. The side is the same in every version and split and under each name. `place` orders the captions of a
-- side by md5: the first ones are a sample without replacement, independent of the order in the store.
with sided as (
    select
        image_no, image, slot, caption_id, length,
        case remainder_of(md5_number(concat_ws(chr(31), 'half', $seed::bigint, image)), 2)
            when 0 then 'train' else 'test'
        end as side
    from reference
)
select
    $selection_no::uinteger as selection_no, image_no, side, caption_id, length,
    row_number() over (
        partition by side
        order by md5_number(concat_ws(chr(31), 'half', $seed::bigint, image, slot)), image, slot
    ) as place
from sided
