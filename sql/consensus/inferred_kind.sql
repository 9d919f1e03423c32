-- name: inferred_kind
-- version: 1
-- grain: pair
-- params: tokenizer VARCHAR
-- reads: pairwise_preference, reference, caption_tokens
-- returns: pair, kind, evidence, margin
-- order: pair
-- cites: Vedantam et al. 2015, section 6: on ABSTRACT-50S one HC and one HI pair for each image
--
-- Kinds of pairs that the source does not state, for images with two pairs that share one caption: one pair has two
-- captions of the image (HC). In the other (HI), the caption that is not shared is of another image. It is the shared
-- caption of another image (evidence `shared`), else the caption with words that are less likely in the captions of the
-- image (`words`): the sum, over its distinct words, of the log of (captions of the image with the word + share) /
-- (captions of the image + 1), minus the log of the word's share of all captions. `margin` is their difference.
with image_of_two as (select image from pairwise_preference where kind is null group by image having count(*) = 2),
side as (
    select pair, image, unnest([tokens_b, tokens_c]) as tokens
    from pairwise_preference
    semi join image_of_two using (image)
    where kind is null
),
counted as (select pair, image, tokens, count(*) over (partition by image, tokens) as pairs from side),
shared as (select distinct image, tokens from counted where pairs = 2),
lone as (
    select c.pair, c.image, c.tokens, exists(from shared as s where s.tokens = c.tokens and s.image <> c.image) as is_foreign
    from counted as c
    where c.pairs = 1
),
contest as (select image from lone group by image having count(distinct pair) = 2 and count(*) = 2),
described_by as (
    select r.image, unnest(list_distinct(t.tokens)) as token_id
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
),
image_word as (select image, token_id, count(*) as captions from described_by group by image, token_id),
image_size as (select image, count(*) as captions from reference group by image),
word as (
    select token_id, sum(captions)::double / (select count(*) from reference) as share
    from image_word
    group by token_id
),
stated as (
    select pair, image, is_foreign, unnest(list_distinct(tokens)) as token_id
    from lone
    semi join contest using (image)
),
likelihood as (
    select
        s.pair, s.image, s.is_foreign,
        -- in whole units, so that the sum does not depend on the order
        sum(round(ln((coalesce(i.captions, 0) + w.share) / (n.captions + 1) / w.share) * 1048576)::bigint)::bigint as fit
    from stated as s
    join image_size as n on n.image = s.image
    join word as w on w.token_id = s.token_id
    left join image_word as i on i.image = s.image and i.token_id = s.token_id
    group by s.pair, s.image, s.is_foreign
),
resolved as (
    select
        a.pair, a.is_foreign <> b.is_foreign as is_shared,
        if(a.is_foreign <> b.is_foreign, a.is_foreign, a.fit < b.fit) as is_incorrect, abs(a.fit - b.fit) / 1048576.0 as margin
    from likelihood as a
    join likelihood as b on b.image = a.image and b.pair <> a.pair
    where a.is_foreign <> b.is_foreign or a.fit <> b.fit
)
select pair, if(is_incorrect, 'HI', 'HC') as kind, if(is_shared, 'shared', 'words') as evidence, margin
from resolved
order by pair
