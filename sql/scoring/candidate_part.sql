-- name: candidate_part
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER, first_candidate UBIGINT, last_candidate UBIGINT, most_words UINTEGER
-- reads: every_candidate
-- returns: candidate_no, candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
-- order: candidate_no
--
-- A part of the candidates of one bucket of images, by position: if memory cannot hold all of an image against its
-- captions, they are counted in parts. A null range means all candidates. Texts too long for kernels are left out.
select
    candidate_no, candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
from every_candidate
where image_no between $first_image::uinteger and $last_image::uinteger and length <= $most_words::uinteger
qualify
    $first_candidate::ubigint is null
    or row_number() over (order by candidate_no) between $first_candidate::ubigint and $last_candidate::ubigint
order by candidate_no
