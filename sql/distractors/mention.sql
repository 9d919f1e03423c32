-- name: mention
-- version: 1
-- grain: mention of persons or of a scene
-- reads: typed_phrase, name_word
-- returns: image, slot, split, text, kind, mention, start, ends, words, inside, opens, head, number, chain, gender, article, points_back
-- cites: Hodosh & Hockenmaier 2016, section 3.1
--
-- A person mention is a phrase for persons, with a collective noun before it and the clothing that follows: "a group
-- of girls in jeans and hats". A scene mention is a phrase for a scene. `mention` numbers them from 0 within caption
-- and kind, `head` is the noun. `inside` is the text for the middle of a sentence, `opens` for its beginning, with a
-- capital letter. `gender` is the pronoun that can refer to it. `points_back` marks mentions that need an earlier one.
with joined as (
    select
        image, slot, split, text, position, chain, start, ends, head, kind,
        if(link = 'of' and kind = 'person', coalesce(lag(number_before_of) over caption, number), number) as number,
        case
            when kind = 'clothing' and lag(kind) over caption = 'person' then
                link in ('in', 'wearing', 'with', 'dressed in', 'dressed up in', 'clad in', 'all in', 'all wearing', 'dressed all in')
            when kind = 'clothing' and lag(kind) over caption = 'clothing' then
                link in ('and', ',', ', and', 'with', 'over', 'in', 'wearing', 'and wearing')
            else kind = 'person' and link = 'of' and lag(number_before_of) over caption is not null
        end as goes_on
    from typed_phrase
    window caption as (partition by image, slot order by position)
),
run as (
    select
        image, slot, split, text, position, chain, start, ends, head, kind, number,
        count(*) filter (where not coalesce(goes_on, false)) over (partition by image, slot order by position) as run
    from joined
),
whole as (
    select
        image, slot, any_value(split) as split, any_value(text) as text, min(start) as start, max(ends) as ends,
        arg_max(kind, position) filter (where kind in ('person', 'scene')) as kind,
        arg_max(head, position) filter (where kind in ('person', 'scene')) as head,
        arg_max(number, position) filter (where kind in ('person', 'scene')) as number,
        arg_max(chain, position) filter (where kind in ('person', 'scene')) as chain
    from run
    group by image, slot, run
    having count(*) filter (where kind in ('person', 'scene')) > 0
),
worded as (
    select
        image, slot, split, text, kind, head, number, chain, start, ends,
        substr(text, start + 1, ends - start) as words, trim(left(text, start)) = '' as is_first
    from whole
)
select
    m.image, m.slot, m.split, m.text, m.kind,
    (row_number() over (partition by m.image, m.slot, m.kind order by m.start) - 1)::uinteger as mention,
    m.start, m.ends, m.words,
    if(m.is_first and n.word is null, lower(left(m.words, 1)) || substr(m.words, 2), m.words) as inside,
    m.is_first and left(m.words, 1) <> lower(left(m.words, 1)) as opens,
    m.head, m.number, m.chain,
    case
        when regexp_matches(
            lower(m.words), '\b(wom[ae]n|girls?|females?|lad(y|ies)|mothers?|mom|daughters?|wife|bride|sisters?)\b'
        ) then 'she'
        when regexp_matches(
            lower(m.words), '\b(\w*m[ae]n|boys?|males?|guys?|gentlem[ae]n|fathers?|dad|sons?|husband|groom|brothers?)\b'
        ) then 'he'
    end as gender,
    regexp_matches(lower(m.words), '^(a|an|the|one|two|three|four|five|six|seven|eight|nine|ten|several|many|some|\d+) ') as article,
    regexp_matches(lower(m.words), '\b(his|her|their|its|my|another|others?|second|more|rest|someone|somebody|these|those|all|both)\b')
        as points_back
from worded as m
left join name_word as n on n.word = lower(regexp_extract(m.words, '^\S+'))
