-- name: hygiene
-- version: 4
-- grain: statistic
-- reads: sign_of_dirt
-- returns: statistic, value
-- order: n.position
--
-- How many of the captions at work, or of their images or texts, show each sign of dirt: of what its name begins with.
-- A text in several splits is counted at every place where it stands.
with named as (
    select unnest(names) as statistic, unnest(range(len(names))) as position
    from (
        select [
            'captions-with-outer-blanks', 'captions-with-double-blanks', 'captions-with-line-breaks',
            'captions-ending-in-a-line-break', 'captions-with-unprintable-characters', 'captions-that-look-encoded-twice',
            'captions-with-replacement-characters', 'captions-with-markup', 'captions-of-mixed-scripts', 'captions-beyond-ascii',
            'captions-with-blanks-before-punctuation', 'captions-ending-in-a-full-stop', 'captions-of-one-or-two-words',
            'captions-of-unusual-length', 'captions-in-several-splits',
            'texts-on-several-images-but-for-case', 'captions-with-such-texts', 'images-with-another-number-of-captions',
            'images-with-captions-sorted-by-length', 'images-in-several-splits'
        ] as names
    )
),
counted as (
    select
        statistic, count(*) as captions,
        count(distinct image_no) filter (where statistic like 'images-%') as images,
        count(distinct folded) filter (where statistic like 'texts-%') as texts
    from sign_of_dirt
    group by statistic
)
select
    n.statistic,
    coalesce(case split_part(n.statistic, '-', 1) when 'images' then c.images when 'texts' then c.texts else c.captions end, 0)::double
        as value
from named as n
left join counted as c using (statistic)
order by n.position
