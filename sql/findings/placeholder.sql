-- name: placeholder
-- version: 3
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions that stand where one should be written. The whole caption is a word for nothing (N/A, none, test), points at
-- another ("same as above"), asks for one ("insert caption here") or says that there is none, or no picture. Or a part is
-- a mark for what was taken out or not known (`<unk>`, `[inaudible]`, XXXX), or filler text. Elements of HTML are the
-- finding markup, captions without a letter or digit captions-without-word; question marks alone are here.
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
            when strlen(inner_text) > 80 then ''
            when regexp_matches(
                inner_text,
                '^(n[/.]?a|none|null|nan|nil|unknown|tbd|tba|todo|tests?|testing|test ?\d+|untitled|asdf\w*|qwert\w*|(bla+h?\W*)+|undefined'
                || '|empty|missing|delete|skip|ditto|idem|error|placeholder|foo|bar|foo ?bar'
                || '|not (available|applicable|found|sure)|(i have )?no idea'
                || '|(http )?(error )?404( (error|not found))?|i do ?n.t know|no comment|nothing( to (see|describe|say))?|[a-z])$'
            ) then inner_text
            when regexp_matches(
                inner_text,
                '^(the )?same( (caption|description|text|image|picture|photo))? as (the )?(above|before|below|previous|last|first|other)\b'
                || '|^(please )?see (the )?(above|below|previous|other)( (caption|description|one|image))?$|^as (above|before)$'
            ) then inner_text
            when regexp_matches(
                inner_text, '\b(caption|description|comment|title|text|answer|content|response|label|annotation|data|info)\b'
            ) and regexp_matches(
                inner_text,
                '^((no|missing|empty|blank|dummy|sample|test|example|default|new|untitled|placeholder|a|the|your|enter|insert|add|write'
                || '|type|put|provide|please|describe|here|goes|some|any|for|this|of|is|was|not|available|provided|given|found|needed|\d+'
                || '|caption|description|comment|title|text|answer|content|response|label|annotation|data|info) ?)+$'
            ) then inner_text
            when regexp_matches(
                inner_text,
                '^(no|broken|missing|blank|empty) (image|picture|photo|video|audio|page|file|link)'
                || '( (is )?(here|available|found|shown|provided|present|displayed))?$'
                || '|^((i|we) )?(cannot|can not|can.?t|could not|could ?n.?t|do n.?t|do ?not|don.?t|((am|are) )?unable to)'
                || ' (see|view|open|load) (the |this |an? |any )?(image|picture|photo|video|audio|page|file|link)\b'
                || '|\bbroken (web )?(image|picture|photo|link)( link)?$'
                || '|\b(image|picture|photo|video|audio|page|file|link)s? (is |are |was |were )?(not|missing|broken|unavailable|cannot be'
                || '|could not be|failed to|fails to|do(es)? ?n.?t|does not|did ?n.?t|will ?not|won.?t)'
                || '( (available|found|load(ed)?|display(ed)?|shown?|open|work))?$'
            ) then inner_text
            else ''
        end as whole,
        case
            when regexp_matches(inner_text, 'lorem ipsum|dolor sit amet') then 'lorem ipsum'
            else regexp_extract(
                regexp_replace(
                    text,
                    '(?i)<(a|b|big|body|br|center|code|div|em|font|h[1-6]|head|hr|html|i|img|li|ol|p|pre|small|span|strong|sub|sup|table|td'
                    || '|th|title|tr|tt|u|ul)>|\[[^\[\]]*\]\(',
                    '', 'g'
                ),
                '(?i)<[a-z]+(_[a-z]+)*>|</s>|\[[a-z]+( [a-z]+)?\]|_{3,}|\bx{3,}\b|\{\{.*\}\}|\{[a-z_]+\}|\$\{\w+\}'
            )
        end as mark
    from trimmed
)
select image, slot, 'placeholder ' || if(whole <> '', whole, mark) as why
from found
where whole <> '' or mark <> ''
order by image, slot
