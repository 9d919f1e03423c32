-- name: learnt_image
-- version: 1
-- grain: image
-- params: trained_dataset VARCHAR, trained_seq INTEGER, trained_split VARCHAR, folds INTEGER, model_seed BIGINT, most_images INTEGER
-- reads: membership, vector_as_of
-- returns: image, fold
-- order: v.image
--
-- The training images of a model of captions: images of a selection that have a vector, at most $most_images of them by
-- md5. Each is in one of $folds folds, numbered from 1; a model without that fold scores it.
select
    v.image,
    remainder_of(md5_number(concat_ws(chr(31), 'fold', $model_seed::bigint, v.image)), $folds::integer)::integer + 1 as fold
from vector_as_of as v
semi join (
    select image
    from membership
    where dataset = $trained_dataset::varchar and is_held(from_seq, to_seq, $trained_seq::integer)
        and ($trained_split::varchar is null or split = $trained_split::varchar)
) as m on m.image = v.image
qualify row_number() over (
    order by md5_number(concat_ws(chr(31), 'image', $model_seed::bigint, v.image)), v.image
) <= $most_images::integer
order by v.image
