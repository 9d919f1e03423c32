-- name: unspaced_word
-- version: 1
-- grain: store
-- reads: dataset, vocabulary
-- returns: found
--
-- Whether a dataset is declared in a language that is written without blanks between words, or any caption has a letter
-- of such a script: where neither is so, no dataset need be looked at.
select
    exists (
        select 1
        from dataset
        where regexp_matches(language, '^(?i)(zh|ja|th|lo|km|my)(-|$)')
    )
    or exists (
        select 1
        from vocabulary
        where
            strlen(token) <> length(token)
            and regexp_matches(
                token, '[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]'
            )
    ) as found
