-- name: unspaced_word
-- version: 1
-- grain: store
-- reads: vocabulary
-- returns: found
--
-- Whether any caption of the store has a letter of a script without spaces: if not, no dataset needs a check.
select
    exists (
        select 1
        from vocabulary
        where
            strlen(token) <> length(token)
            and regexp_matches(
                token, '[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]'
            )
    ) as found
