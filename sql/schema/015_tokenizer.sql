-- What was called a text profile is a tokenizer, in columns as in options. Views of the columns are made anew; what they
-- hold is as it was.

alter table version rename text_profiles to tokenizers;
comment on column version.tokenizers is 'Tokenizers whose tokens are stored.';

comment on table vocabulary is 'Every token of every tokenizer, numbered from 1.';

alter table caption_tokens rename profile to tokenizer;
comment on table caption_tokens is 'The tokens of each caption under each tokenizer, as a list of token numbers.';
comment on column caption_tokens.tokenizer is 'Tokenizer, for example bare.';

create or replace view token as
select m.dataset, m.image, m.slot, p.tokenizer, p.position, v.token
from membership as m
join (
    select caption_id, tokenizer, generate_subscripts(tokens, 1)::uinteger as position, unnest(tokens) as token_id
    from caption_tokens
) as p using (caption_id)
join vocabulary as v using (token_id)
where m.to_seq is null;
comment on view token is 'Every token of the current versions, one row each; tokens(''flickr8k:test'') gives those of a split.';
comment on column token.dataset is 'The dataset.';
comment on column token.image is 'The image.';
comment on column token.slot is 'The caption''s position among the captions of its image.';
comment on column token.tokenizer is 'Tokenizer.';
comment on column token.position is 'Position in the caption, from 1.';
comment on column token.token is 'The token.';

create or replace view ngram as
with placed as (
    select
        dataset, image, slot, tokenizer, position, token as first_token,
        lead(token, 1) over words as second_token,
        lead(token, 2) over words as third_token,
        lead(token, 3) over words as fourth_token
    from token
    window words as (partition by dataset, image, slot, tokenizer order by position)
),

grams as (
    select
        p.dataset, p.image, p.slot, p.tokenizer, o.n::utinyint as n, p.position,
        case o.n
            when 1 then p.first_token
            when 2 then p.first_token || ' ' || p.second_token
            when 3 then p.first_token || ' ' || p.second_token || ' ' || p.third_token
            else p.first_token || ' ' || p.second_token || ' ' || p.third_token || ' ' || p.fourth_token
        end as gram
    from placed as p
    cross join range(1, 5) as o (n)
)

select dataset, image, slot, tokenizer, n, position, gram
from grams
where gram is not null;
comment on view ngram is 'Every n-gram (n = 1 to 4) of the current versions, one row each; ngrams(''flickr8k:test'', 2) gives those of a split.';
comment on column ngram.dataset is 'The dataset.';
comment on column ngram.image is 'The image.';
comment on column ngram.slot is 'The caption''s position among the captions of its image.';
comment on column ngram.tokenizer is 'Tokenizer.';
comment on column ngram.n is 'N-gram order.';
comment on column ngram.position is 'Position of its first token, from 1.';
comment on column ngram.gram is 'Its tokens, joined by blanks.';

create or replace view ngram_frequency as
with uncounted as (
    select v.version, p.tokenizer, min({'dataset': v.dataset, 'seq': v.seq}) as held
    from version as v
    cross join unnest(v.tokenizers) as p (tokenizer)
    anti join (select distinct version, tokenizer from cache.ngram_frequency) as f
        on f.version = v.version and f.tokenizer = p.tokenizer
    group by v.version, p.tokenizer
),

placed as (
    select
        u.version, u.tokenizer, t.tokens,
        dense_rank() over (order by m.image) as image_no,
        row_number() over (partition by u.version, u.tokenizer, m.image order by m.slot) - 1 as place
    from uncounted as u
    join membership as m
        on m.dataset = u.held.dataset and m.from_seq <= u.held.seq and (m.to_seq is null or m.to_seq > u.held.seq)
    join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = u.tokenizer
),

side_by_side as (
    select
        version, tokenizer, image_no, place // 60 as block, 1::ubigint << (place % 60) as bit,
        unnest(tokens)::uhugeint as a,
        unnest(tokens[2:])::uhugeint as b,
        unnest(tokens[3:])::uhugeint as c,
        unnest(tokens[4:])::uhugeint as d
    from placed
),

occurrence as (
    select version, tokenizer, image_no, block, bit, a as gram from side_by_side where a is not null
    union all
    select version, tokenizer, image_no, block, bit, (a << 32) + b from side_by_side where b is not null
    union all
    select version, tokenizer, image_no, block, bit, (a << 64) + (b << 32) + c from side_by_side where c is not null
    union all
    select version, tokenizer, image_no, block, bit, (a << 96) + (b << 64) + (c << 32) + d
    from side_by_side
    where d is not null
),

per_block as (
    select version, tokenizer, image_no, block, gram, count(*) as occurrences, bit_count(bit_or(bit)) as captions
    from occurrence
    group by version, tokenizer, image_no, block, gram
),

frequency as (
    select version, tokenizer, n, gram, occurrences, captions, images
    from cache.ngram_frequency
    union all
    select
        version, tokenizer,
        (1 + (gram >= 4294967296)::int + (gram >= 18446744073709551616)::int
        + (gram >= 79228162514264337593543950336)::int)::utinyint,
        gram, sum(occurrences)::uinteger, sum(captions)::uinteger, count(distinct image_no)::uinteger
    from per_block
    group by version, tokenizer, gram
)

select
    f.version, f.tokenizer, f.n,
    concat_ws(' ', d.token, c.token, b.token, a.token) as gram,
    f.occurrences, f.captions, f.images
from frequency as f
join vocabulary as a on a.token_id = f.gram % 4294967296
left join vocabulary as b on f.n > 1 and b.token_id = (f.gram // 4294967296) % 4294967296
left join vocabulary as c on f.n > 2 and c.token_id = (f.gram // 18446744073709551616) % 4294967296
left join vocabulary as d on f.n > 3 and d.token_id = f.gram // 79228162514264337593543950336;
comment on view ngram_frequency is 'How often each n-gram (n = 1 to 4) occurs in a version.';
comment on column ngram_frequency.version is 'Version hash of the captions counted.';
comment on column ngram_frequency.tokenizer is 'Tokenizer of the tokens.';
comment on column ngram_frequency.n is 'N-gram order.';
comment on column ngram_frequency.gram is 'Its tokens, joined by blanks.';
comment on column ngram_frequency.occurrences is 'Times it occurs.';
comment on column ngram_frequency.captions is 'Captions that hold it.';
comment on column ngram_frequency.images is 'Images that hold it: its document frequency.';
