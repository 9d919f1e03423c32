-- The view ngram_frequency counts what the cache does not hold: an ingest leaves the counting to whoever first asks. Its
-- columns are the same. Images are counted as in ngram_frequency_part: every caption of an image has a bit of its own, a
-- block is 60 captions. Versions of equal captions, in two datasets, are one.

create or replace view ngram_frequency as
with uncounted as (
    select v.version, p.profile, min({'dataset': v.dataset, 'seq': v.seq}) as held
    from version as v
    cross join unnest(v.text_profiles) as p (profile)
    anti join (select distinct version, profile from cache.ngram_frequency) as f
        on f.version = v.version and f.profile = p.profile
    group by v.version, p.profile
),

placed as (
    select
        u.version, u.profile, t.tokens,
        dense_rank() over (order by m.image) as image_no,
        row_number() over (partition by u.version, u.profile, m.image order by m.slot) - 1 as place
    from uncounted as u
    join membership as m
        on m.dataset = u.held.dataset and m.from_seq <= u.held.seq and (m.to_seq is null or m.to_seq > u.held.seq)
    join caption_tokens as t on t.caption_id = m.caption_id and t.profile = u.profile
),

side_by_side as (
    select
        version, profile, image_no, place // 60 as block, 1::ubigint << (place % 60) as bit,
        unnest(tokens)::uhugeint as a,
        unnest(tokens[2:])::uhugeint as b,
        unnest(tokens[3:])::uhugeint as c,
        unnest(tokens[4:])::uhugeint as d
    from placed
),

occurrence as (
    select version, profile, image_no, block, bit, a as gram from side_by_side where a is not null
    union all
    select version, profile, image_no, block, bit, (a << 32) + b from side_by_side where b is not null
    union all
    select version, profile, image_no, block, bit, (a << 64) + (b << 32) + c from side_by_side where c is not null
    union all
    select version, profile, image_no, block, bit, (a << 96) + (b << 64) + (c << 32) + d
    from side_by_side
    where d is not null
),

per_block as (
    select version, profile, image_no, block, gram, count(*) as occurrences, bit_count(bit_or(bit)) as captions
    from occurrence
    group by version, profile, image_no, block, gram
),

frequency as (
    select version, profile, n, gram, occurrences, captions, images
    from cache.ngram_frequency
    union all
    select
        version, profile,
        (1 + (gram >= 4294967296)::int + (gram >= 18446744073709551616)::int
        + (gram >= 79228162514264337593543950336)::int)::utinyint,
        gram, sum(occurrences)::uinteger, sum(captions)::uinteger, count(distinct image_no)::uinteger
    from per_block
    group by version, profile, gram
)

select
    f.version, f.profile, f.n,
    concat_ws(' ', d.token, c.token, b.token, a.token) as gram,
    f.occurrences, f.captions, f.images
from frequency as f
join vocabulary as a on a.token_id = f.gram % 4294967296
left join vocabulary as b on f.n > 1 and b.token_id = (f.gram // 4294967296) % 4294967296
left join vocabulary as c on f.n > 2 and c.token_id = (f.gram // 18446744073709551616) % 4294967296
left join vocabulary as d on f.n > 3 and d.token_id = f.gram // 79228162514264337593543950336;
comment on view ngram_frequency is 'How often each n-gram (n = 1 to 4) occurs in a version.';
comment on column ngram_frequency.version is 'Version hash of the captions counted.';
comment on column ngram_frequency.profile is 'Text profile of the tokens.';
comment on column ngram_frequency.n is 'N-gram order.';
comment on column ngram_frequency.gram is 'Its tokens, joined by blanks.';
comment on column ngram_frequency.occurrences is 'Times it occurs.';
comment on column ngram_frequency.captions is 'Captions that hold it.';
comment on column ngram_frequency.images is 'Images that hold it: its document frequency.';
