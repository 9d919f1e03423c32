-- name: train_test_half
-- version: 1
-- grain: caption
-- params: selection_no UINTEGER, dataset VARCHAR, seed BIGINT
-- reads: reference
-- returns: selection_no, image_no, side, caption_id, length, place
--
-- Each image falls to the training or to the test side by md5 of (seed, dataset, image), and its captions with it,
-- since they say the same. It falls so in every version and split of the dataset. `place` orders the captions of a
-- side by md5: the first of them are a draw without replacement, whatever the order of the store.
with sided as (
    select
        image_no, image, slot, caption_id, length,
        case md5_number(concat_ws(chr(31), 'half', $seed::bigint, $dataset::varchar, image)) % 2::uhugeint
            when 0 then 'train' else 'test'
        end as side
    from reference
)
select
    $selection_no::uinteger as selection_no,
    image_no,
    side,
    caption_id,
    length,
    row_number() over (
        partition by side
        order by md5_number(concat_ws(chr(31), 'half', $seed::bigint, $dataset::varchar, image, slot)), image, slot
    ) as place
from sided
