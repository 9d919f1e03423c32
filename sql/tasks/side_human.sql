-- name: side_human
-- version: 2
-- grain: image
-- params: seed BIGINT, side_no UINTEGER, rank INTEGER
-- reads: content
-- returns: side_no, author, origin, image, held_out, text
-- cites: Vedantam et al. 2015, section 6: pairs of candidate sentences
--
-- One caption of each image, held out of its references: the $rank-th in an order by md5 of (seed, image,
-- slot), so two sides of one image are two captions.
with ranked as (
    select
        image, slot, text,
        row_number() over (
            partition by image
            order by md5_number(concat_ws(chr(31), 'held out', $seed::bigint, image, slot)), slot
        ) as place
    from content
)
select $side_no::uinteger as side_no, 'human' as author, 'human' as origin, image, slot as held_out, text
from ranked
where place = $rank::integer
