-- What people query: the current version of every dataset, in words.

create view latest as
select dataset, max(seq) as seq
from version
group by dataset;
comment on view latest is 'The current version of each dataset.';
comment on column latest.dataset is 'The dataset.';
comment on column latest.seq is 'Its latest version.';

create view captions as
select m.dataset, m.split, m.image, m.slot, c.text
from membership as m
join caption as c using (caption_id)
where m.to_seq is null;
comment on view captions is 'Every caption of the current versions, with its text.';
comment on column captions.dataset is 'The dataset.';
comment on column captions.split is 'Split of the image; null where it is in none.';
comment on column captions.image is 'Image, by the id that its source gives it.';
comment on column captions.slot is 'The caption''s position among the captions of its image.';
comment on column captions.text is 'The caption as it stands in its source.';

create view token as
select p.dataset, p.image, p.slot, p.profile, p.position, v.token
from (
    select
        m.dataset, m.image, m.slot, t.profile,
        generate_subscripts(t.tokens, 1)::uinteger as position,
        unnest(t.tokens) as token_id
    from membership as m
    join caption_tokens as t using (caption_id)
    where m.to_seq is null
) as p
join vocabulary as v using (token_id);
comment on view token is 'Every token of the current versions, one row each.';
comment on column token.dataset is 'The dataset.';
comment on column token.image is 'The image.';
comment on column token.slot is 'The caption''s position among the captions of its image.';
comment on column token.profile is 'Text profile.';
comment on column token.position is 'Position in the caption, from 1.';
comment on column token.token is 'The token.';

create view ngram as
with words as (
    select dataset, image, slot, profile, list(token order by position) as tokens
    from token
    group by all
)
select
    w.dataset, w.image, w.slot, w.profile, o.n::utinyint as n, p.position::uinteger as position,
    array_to_string(w.tokens[p.position:p.position + o.n - 1], ' ') as gram
from words as w
cross join range(1, 5) as o (n)
cross join lateral (select unnest(range(1, len(w.tokens)::bigint - o.n + 2)) as position) as p;
comment on view ngram is 'Every n-gram (n = 1 to 4) of the current versions, one row each.';
comment on column ngram.dataset is 'The dataset.';
comment on column ngram.image is 'The image.';
comment on column ngram.slot is 'The caption''s position among the captions of its image.';
comment on column ngram.profile is 'Text profile.';
comment on column ngram.n is 'N-gram order.';
comment on column ngram.position is 'Position of its first token, from 1.';
comment on column ngram.gram is 'Its tokens, joined by blanks.';

create view ngram_frequency as
select
    f.version, f.profile, f.n,
    concat_ws(' ', d.token, c.token, b.token, a.token) as gram,
    f.occurrences, f.captions, f.images
from cache.ngram_frequency as f
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
