-- name: markup
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
--
-- Captions with mark-up: tags and entities of HTML, links of Markdown, or what a program wrote in place of a character
-- (`\n`, `\u00e9`). The marks of a vocabulary, such as `<unk>`, are the finding placeholders.
with found as (
    select
        r.image, r.slot,
        regexp_extract(
            regexp_replace(c.text, '(?i)<(unk|pad|eos|bos|sos|s|start|end|mask|oov|blank|num)>|</s>', '', 'g'),
            '</?[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*)?/?>|<!--|&(#\d+|#x[0-9a-fA-F]+|[a-zA-Z]{2,8});|\]\(https?://|\\(n|t|r|"|u[0-9a-fA-F]{4})'
        ) as mark
    from reference as r
    join caption as c using (caption_id)
)
select image, slot, 'mark-up ' || mark as why
from found
where mark <> ''
order by image, slot
