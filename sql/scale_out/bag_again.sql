-- name: bag_again
-- version: 1
-- grain: text
-- reads: distinct_text
-- returns: text_no, size, words, mask
--
-- Texts as bags of words again, whose words text_bag has numbered for all parts of a search: files have no masks.
select
    text_no, len(tokens)::uinteger as size, tokens as words,
    list_reduce(
        list_transform(tokens, lambda word: 1::hugeint << (word % 126)::hugeint), lambda one, other: xor(one, other)
    ) as mask
from distinct_text
