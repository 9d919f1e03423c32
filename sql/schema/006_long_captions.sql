-- The views token and ngram, said in another way: the engine failed at captions of more than 2,047 words, and copied all
-- words of a caption for each of its n-grams. Their rows are the same. Tokens are unnested before they are joined with
-- the places of their caption: unnested after, the engine loses count of the chunks that it narrows.

create or replace view token as
select m.dataset, m.image, m.slot, p.profile, p.position, v.token
from membership as m
join (
    select caption_id, profile, generate_subscripts(tokens, 1)::uinteger as position, unnest(tokens) as token_id
    from caption_tokens
) as p using (caption_id)
join vocabulary as v using (token_id)
where m.to_seq is null;
comment on view token is 'Every token of the current versions, one row each.';
comment on column token.dataset is 'The dataset.';
comment on column token.image is 'The image.';
comment on column token.slot is 'The caption''s position among the captions of its image.';
comment on column token.profile is 'Text profile.';
comment on column token.position is 'Position in the caption, from 1.';
comment on column token.token is 'The token.';

create or replace view ngram as
with placed as (
    select
        dataset, image, slot, profile, position, token as first_token,
        lead(token, 1) over words as second_token,
        lead(token, 2) over words as third_token,
        lead(token, 3) over words as fourth_token
    from token
    window words as (partition by dataset, image, slot, profile order by position)
),

grams as (
    select
        p.dataset, p.image, p.slot, p.profile, o.n::utinyint as n, p.position,
        case o.n
            when 1 then p.first_token
            when 2 then p.first_token || ' ' || p.second_token
            when 3 then p.first_token || ' ' || p.second_token || ' ' || p.third_token
            else p.first_token || ' ' || p.second_token || ' ' || p.third_token || ' ' || p.fourth_token
        end as gram
    from placed as p
    cross join range(1, 5) as o (n)
)

select dataset, image, slot, profile, n, position, gram
from grams
where gram is not null;
comment on view ngram is 'Every n-gram (n = 1 to 4) of the current versions, one row each.';
comment on column ngram.dataset is 'The dataset.';
comment on column ngram.image is 'The image.';
comment on column ngram.slot is 'The caption''s position among the captions of its image.';
comment on column ngram.profile is 'Text profile.';
comment on column ngram.n is 'N-gram order.';
comment on column ngram.position is 'Position of its first token, from 1.';
comment on column ngram.gram is 'Its tokens, joined by blanks.';
