-- name: placeholder
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
--
-- Captions that stand where one should be written: a mark of a vocabulary (`<unk>`, `<pad>`), letters that hide words
-- (XXXX), a word for nothing that is the whole caption (N/A, none, test), filler text, or the message that there is no
-- picture. Captions without a letter or digit are the finding captions-without-word.
with trimmed as (
    select
        r.image, r.slot, c.text,
        lower(regexp_replace(c.text, '^[\s\p{P}]+|[\s\p{P}]+$', '', 'g')) as inner_text
    from reference as r
    join caption as c using (caption_id)
),
found as (
    select
        image, slot,
        case
            when regexp_matches(inner_text, '^(n/?a|none|null|nan|nil|unknown|tbd|todo|test|caption|description|title|untitled|asdf\w*|no caption|no description|not available|undefined|empty|missing|delete|skip|[a-z]|\?+)$')
            then inner_text
            when regexp_matches(inner_text, '^(no|broken|missing|blank) (image|picture|photo|video|audio|file|link)( (is )?(here|available|found|shown|provided|present|displayed))?$|(image|picture|photo|video|audio|page|file) (is )?(not|unavailable|cannot be|could not be|does ?n.t|did ?n.t|will ?not|won.t) ?(available|found|loaded?|loading|displayed|display|shown?|work(ing)?)')
            then regexp_extract(inner_text, '(no|broken|missing|blank) \w+$|(image|picture|photo|video|audio|page|file) .*')
            when regexp_matches(inner_text, 'lorem ipsum|dolor sit amet')
            then 'lorem ipsum'
            else regexp_extract(
                text, '(?i)<(unk|pad|eos|bos|sos|s|start|end|mask|oov|blank|num)>|</s>|\[(unk|pad|cls|sep|mask|blank|redacted|caption)\]|_{3,}|\bx{3,}\b|\{\{.*\}\}|\{[a-z_]+\}'
            )
        end as mark
    from trimmed
)
select image, slot, 'placeholder ' || mark as why
from found
where mark <> ''
order by image, slot
