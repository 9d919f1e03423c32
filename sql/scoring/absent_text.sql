-- name: absent_text
-- version: 1
-- grain: image that a system does not describe
-- params: system VARCHAR, system_seq INTEGER, system_split VARCHAR, last_text UINTEGER
-- reads: reference, membership
-- returns: candidate, image, slot, caption_id, tokens, text
--
-- An empty caption for each image that a system's output lacks, numbered from $last_text + 1.
with described as (
    select image
    from membership
    where dataset = $system::varchar and is_held(from_seq, to_seq, $system_seq::integer)
        and ($system_split::varchar is null or split = $system_split::varchar)
)
select
    $system::varchar as candidate, r.image, 0::uinteger as slot,
    ($last_text::uinteger + row_number() over (order by r.image))::uinteger as caption_id,
    []::uinteger[] as tokens, '' as text
from (select distinct image from reference) as r
anti join described as d on d.image = r.image
