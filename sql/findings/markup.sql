-- name: markup
-- version: 2
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions with mark-up: tags and entities of HTML, links of Markdown, or what a program wrote in place of a character
-- (`\n`, `\u00e9`). A word in angle brackets that is no element of HTML, such as `<unk>`, is the finding placeholders.
with found as (
    select
        r.image, r.slot,
        regexp_extract(
            regexp_replace(c.text, '</s>', '', 'g'),
            '</[a-zA-Z][a-zA-Z0-9]*>|<[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*=[^<>]*|\s*/)>'
            || '|<(?i:a|b|big|body|br|center|code|div|em|font|h[1-6]|head|hr|html|i|img|li|ol|p|pre|small|span|strong|sub|sup|table|td|th'
            || '|title|tr|tt|u|ul)>'
            || '|<!--|&(#\d+|#x[0-9a-fA-F]+|[a-zA-Z]{2,8});|\]\(https?://|\\(n|t|r|"|u[0-9a-fA-F]{4})'
        ) as mark
    from reference as r
    join caption as c using (caption_id)
)
select image, slot, 'mark-up ' || mark as why
from found
where mark <> ''
order by image, slot
