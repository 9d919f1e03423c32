-- name: annotated_phrase
-- version: 1
-- grain: phrase
-- reads: content, annotated
-- returns: image, slot, split, text, position, chain, types, start, ends, words, head, link
--
-- The phrases of the captions of a selection, in their order. `head` is the last word, in lower case. `link` is the
-- text between a phrase and the one before it, or the beginning of the caption.
with phrase as (
    select
        c.image, c.slot, c.split, c.text, generate_subscripts(a.phrases, 1)::uinteger as position, unnest(a.phrases) as phrase
    from annotated as a
    join content as c using (image, slot)
),
placed as (
    select
        image, slot, split, text, position, (phrase).chain as chain, (phrase).types as types,
        (phrase).start::bigint as start, ((phrase).start + (phrase).length)::bigint as ends,
        coalesce(lag(((phrase).start + (phrase).length)::bigint) over (partition by image, slot order by position), 0) as after
    from phrase
)
select
    image, slot, split, text, position, chain, types, start, ends,
    substr(text, start + 1, ends - start) as words,
    lower(regexp_extract(substr(text, start + 1, ends - start), '(\S+)\s*$', 1)) as head,
    lower(trim(substr(text, after + 1, greatest(start - after, 0)))) as link
from placed
