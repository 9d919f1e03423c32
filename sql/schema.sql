-- The schema of a store, version 1: facts, views of the current versions, and the cache.
-- A later version is a separate step (`store.migrations`); only the cache below is always that of the newest version.

create table schema_version (
    number integer primary key,
    applied_at timestamptz not null
);
comment on table schema_version is 'Schema versions of this store.';
comment on column schema_version.number is 'Number of the version, from 1.';
comment on column schema_version.applied_at is 'When it was applied.';

-- Facts: ingested data, each stored once, which cannot be recomputed from other tables. Keys of the large tables
-- are checked by `auditor store verify`: an index on five million rows costs ten times the memory of the rows.

create table dataset (
    dataset varchar primary key,
    kind varchar not null,
    language varchar not null,
    related varchar[] not null
);
comment on table dataset is 'Kind, language and related datasets of each dataset.';
comment on column dataset.dataset is 'Name, as in datasets.toml.';
comment on column dataset.kind is 'captions, candidates (system output), judgements, pairs, triplets, choices, corpus, wordlist, vectors, objects or synonyms.';
comment on column dataset.language is 'Language of the captions, BCP 47.';
comment on column dataset.related is 'Datasets that share images or captions with this one.';

create table version (
    dataset varchar not null,
    seq integer not null,
    version varchar not null,
    created_at timestamptz not null,
    source_sha256 varchar not null,
    format varchar not null,
    tokenizers varchar[] not null,
    images integer not null,
    captions integer not null,
    note varchar,
    primary key (dataset, seq)
);
comment on table version is 'Append-only log: one row for each state that a dataset has had.';
comment on column version.dataset is 'The dataset.';
comment on column version.seq is 'Counts the states of one dataset from 1; @v7 names the seventh.';
comment on column version.version is 'sha256 of the content: for captions of the sorted (image, slot, split, text), for vectors of ids and numbers.';
comment on column version.created_at is 'When it was ingested.';
comment on column version.source_sha256 is 'sha256 of the file it was read from.';
comment on column version.format is 'The reader that read it.';
comment on column version.tokenizers is 'Tokenizers whose tokens are stored.';
comment on column version.images is 'Images with at least one caption, or with a vector.';
comment on column version.captions is 'Captions, counted once per image and slot; for vectors, the texts that have one.';
comment on column version.note is 'Note of the user.';

create table caption (
    caption_id uinteger not null,
    text varchar not null
);
comment on table caption is 'The distinct texts of all captions of all versions: identical texts share a row.';
comment on column caption.caption_id is 'Number of the text inside this store.';
comment on column caption.text is 'The caption as in its source.';

create table membership (
    dataset varchar not null,
    image varchar not null,
    slot uinteger not null,
    caption_id uinteger not null,
    split varchar,
    from_seq integer not null,
    to_seq integer
);
comment on table membership is 'The caption at each image and slot, with the first and the last version. (image, slot) identifies a caption.';
comment on column membership.dataset is 'The dataset.';
comment on column membership.image is 'Image, by the id that its source gives it.';
comment on column membership.slot is 'The caption''s position among the captions of its image.';
comment on column membership.caption_id is 'The text, see caption.';
comment on column membership.split is 'Split of the image; null without a split.';
comment on column membership.from_seq is 'First version that holds the row.';
comment on column membership.to_seq is 'First version that does not hold it any more; null if the current version holds it.';

create table vocabulary (
    token_id uinteger primary key,
    token varchar not null
);
comment on table vocabulary is 'Every token of every tokenizer, numbered from 1.';
comment on column vocabulary.token_id is 'Number of the token inside this store, never 0.';
comment on column vocabulary.token is 'The token.';

create table caption_tokens (
    caption_id uinteger not null,
    tokenizer varchar not null,
    tokens uinteger[] not null
);
comment on table caption_tokens is 'The tokens of each caption under each tokenizer, as a list of token numbers.';
comment on column caption_tokens.caption_id is 'The text, see caption.';
comment on column caption_tokens.tokenizer is 'Tokenizer, for example bare.';
comment on column caption_tokens.tokens is 'Token numbers in order, see vocabulary.';

create table annotation (
    dataset varchar not null,
    image varchar not null,
    slot uinteger not null,
    phrases struct(chain varchar, types varchar[], start uinteger, length uinteger)[],
    judgements struct(judge varchar, score double, votes uinteger)[],
    pair struct(pair uinteger, side varchar, category varchar, origin varchar, votes uinteger),
    triplet struct(triplet uinteger, side varchar, category varchar, votes uinteger),
    occurrences ubigint,
    from_seq integer not null,
    to_seq integer
);
comment on table annotation is 'Annotations of captions, with the first and the last version. Read them through phrase, judgement, pair_vote, triplet_vote, choice and word_count.';
comment on column annotation.dataset is 'The dataset.';
comment on column annotation.image is 'The image.';
comment on column annotation.slot is 'The caption''s position among the captions of its image.';
comment on column annotation.phrases is 'Phrases that mention something in the image.';
comment on column annotation.judgements is 'Human ratings of the caption.';
comment on column annotation.pair is 'The caption as one side of a pair: B or C, or, of a forced choice, right, right2 or wrong.';
comment on column annotation.triplet is 'The caption as one of a triplet.';
comment on column annotation.occurrences is 'How often a word of a word list occurs.';
comment on column annotation.from_seq is 'First version that holds the row.';
comment on column annotation.to_seq is 'First version that does not hold it any more; null if the current version holds it.';

create table vector (
    dataset varchar not null,
    image varchar,
    text varchar,
    from_seq integer not null,
    to_seq integer,
    vector float[] not null
);
comment on table vector is 'Embeddings of images and texts, with the first and the last version.';
comment on column vector.dataset is 'The dataset, of kind vectors.';
comment on column vector.image is 'The image, by the id that captions give it; null for the vector of a text.';
comment on column vector.text is 'The text; null for the vector of an image.';
comment on column vector.from_seq is 'First version that holds the row.';
comment on column vector.to_seq is 'First version that does not hold it any more; null if the current version holds it.';
comment on column vector.vector is 'Its numbers, as many in every row of a version.';

create table rejected (
    dataset varchar not null,
    seq integer not null,
    source varchar not null,
    line uinteger not null,
    reason varchar not null,
    raw varchar,
    unit varchar
);
comment on table rejected is 'The records that an ingest rejected, with the reason.';
comment on column rejected.dataset is 'The dataset.';
comment on column rejected.seq is 'The version at whose ingest it was rejected.';
comment on column rejected.source is 'File it was read from.';
comment on column rejected.line is 'Number of the line or record, from 1.';
comment on column rejected.reason is 'Why it was rejected.';
comment on column rejected.raw is 'The record as in the file, at most 2,000 characters.';
comment on column rejected.unit is 'What line counts: a line of the file, or a record of a file without lines.';

create table tag (
    dataset varchar not null,
    tag varchar not null,
    seq integer not null,
    created_at timestamptz not null,
    primary key (dataset, tag)
);
comment on table tag is 'Names that users gave to versions.';
comment on column tag.dataset is 'The dataset.';
comment on column tag.tag is 'The name: flickr8k@camera-ready.';
comment on column tag.seq is 'The version it names.';
comment on column tag.created_at is 'When it was given.';

-- Views: the current version of every dataset, with texts and words.

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
comment on column captions.split is 'Split of the image; null without a split.';
comment on column captions.image is 'Image, by the id that its source gives it.';
comment on column captions.slot is 'The caption''s position among the captions of its image.';
comment on column captions.text is 'The caption as in its source.';

-- Tokens are unnested before the join with the slots of their caption: after it, the engine fails at an internal count.
create view token as
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

create view ngram as
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
comment on column ngram.gram is 'Its tokens, joined by spaces.';

create view phrase as
select
    p.dataset, p.image, p.slot, p.position, (p.phrase).chain as chain, (p.phrase).types as types, (p.phrase).start as start,
    (p.phrase).length as length, substr(c.text, (p.phrase).start::bigint + 1, (p.phrase).length::bigint) as phrase
from (
    select dataset, image, slot, generate_subscripts(phrases, 1)::uinteger as position, unnest(phrases) as phrase
    from annotation
    where to_seq is null
) as p
join membership as m on m.dataset = p.dataset and m.image = p.image and m.slot = p.slot and m.to_seq is null
join caption as c using (caption_id);
comment on view phrase is 'Phrases of the current versions that mention something in the image, one row each.';
comment on column phrase.dataset is 'The dataset.';
comment on column phrase.image is 'The image.';
comment on column phrase.slot is 'The caption''s position among the captions of its image.';
comment on column phrase.position is 'Position among the phrases of the caption, from 1.';
comment on column phrase.chain is 'The object that it mentions: phrases of one image with the same chain mention the same object; 0 is not visual.';
comment on column phrase.types is 'Types of that object.';
comment on column phrase.start is 'Characters of the caption before it.';
comment on column phrase.length is 'Its length in characters.';
comment on column phrase.phrase is 'Its words.';

-- A rating is of a text: slots here differ from the slots in the dataset of the rated images.
create view judgement as
select
    j.dataset, j.image, j.slot, c.text,
    (j.judgement).judge as judge, (j.judgement).score as score, (j.judgement).votes as votes
from (
    select dataset, image, slot, unnest(judgements) as judgement
    from annotation
    where to_seq is null
) as j
join membership as m on m.dataset = j.dataset and m.image = j.image and m.slot = j.slot and m.to_seq is null
join caption as c using (caption_id);
comment on view judgement is 'Human ratings of captions in the current versions, one row each. The rated caption is in text; its slot differs from the slot in the dataset of the images.';
comment on column judgement.dataset is 'The dataset of ratings.';
comment on column judgement.image is 'The image that the caption was shown with.';
comment on column judgement.slot is 'The caption''s position among the rated captions of its image, from 0.';
comment on column judgement.text is 'The caption that was rated.';
comment on column judgement.judge is 'The rater.';
comment on column judgement.score is 'The rating, on the scale of its source: select min(score), max(score).';
comment on column judgement.votes is 'Number of raters behind the score.';

create view pair_vote as
select
    b.dataset, (b.pair).pair as pair, b.image, (b.pair).category as category, b.slot as slot_b, c.slot as slot_c,
    (b.pair).origin as origin_b, (c.pair).origin as origin_c, (b.pair).votes as votes_b, (c.pair).votes as votes_c
from annotation as b
join annotation as c
    on c.dataset = b.dataset and c.image = b.image and (c.pair).pair = (b.pair).pair and (c.pair).side = 'C' and c.to_seq is null
where (b.pair).side = 'B' and b.to_seq is null;
comment on view pair_vote is 'Votes of raters for one of two captions of an image, in the current versions.';
comment on column pair_vote.dataset is 'The dataset.';
comment on column pair_vote.pair is 'Number of the pair.';
comment on column pair_vote.image is 'The image.';
comment on column pair_vote.category is 'HC, HI, HM or MM: human or machine captions, correct or of another image.';
comment on column pair_vote.slot_b is 'Position of the first caption.';
comment on column pair_vote.slot_c is 'Position of the second.';
comment on column pair_vote.origin_b is 'Who wrote the first.';
comment on column pair_vote.origin_c is 'Who wrote the second.';
comment on column pair_vote.votes_b is 'Raters who preferred the first.';
comment on column pair_vote.votes_c is 'Raters who preferred the second.';

create view triplet_vote as
select
    a.dataset, (a.triplet).triplet as triplet, a.image, (a.triplet).category as category, a.slot as slot_a, b.slot as slot_b,
    c.slot as slot_c, (b.triplet).votes as votes_b, (c.triplet).votes as votes_c
from annotation as a
join annotation as b
    on b.dataset = a.dataset and b.image = a.image and (b.triplet).triplet = (a.triplet).triplet and (b.triplet).side = 'B'
    and b.to_seq is null
join annotation as c
    on c.dataset = a.dataset and c.image = a.image and (c.triplet).triplet = (a.triplet).triplet and (c.triplet).side = 'C'
    and c.to_seq is null
where (a.triplet).side = 'A' and a.to_seq is null;
comment on view triplet_vote is 'Votes of raters for the one of two captions that is closer to a third, in the current versions.';
comment on column triplet_vote.dataset is 'The dataset.';
comment on column triplet_vote.triplet is 'Number of the triplet.';
comment on column triplet_vote.image is 'The image.';
comment on column triplet_vote.category is 'HC, HI, HM or MM; null if the source has none.';
comment on column triplet_vote.slot_a is 'Position of the caption that the others are compared with.';
comment on column triplet_vote.slot_b is 'Position of the first of the others.';
comment on column triplet_vote.slot_c is 'Position of the second.';
comment on column triplet_vote.votes_b is 'Raters who found the first closer.';
comment on column triplet_vote.votes_c is 'Raters who found the second closer.';

-- Sides are joined by the name of the item: each part of a source numbers its own.
create view choice as
select
    r.dataset, (r.pair).origin as item, r.image, (r.pair).category as part, r.slot as slot_right, w.slot as slot_wrong,
    (r.pair).votes as votes_right, (w.pair).votes as votes_wrong, s.slot as slot_right2
from annotation as r
join annotation as w
    on w.dataset = r.dataset and w.image = r.image and (w.pair).origin = (r.pair).origin and (w.pair).side = 'wrong' and w.to_seq is null
left join annotation as s
    on s.dataset = r.dataset and s.image = r.image and (s.pair).origin = (r.pair).origin and (s.pair).side = 'right2' and s.to_seq is null
where (r.pair).side = 'right' and r.to_seq is null;
comment on view choice is 'Forced-choice items of the current versions: one or two captions of an image that are right, and one that is wrong.';
comment on column choice.dataset is 'The dataset.';
comment on column choice.item is 'Name of the item.';
comment on column choice.image is 'The image.';
comment on column choice.part is 'The part of the benchmark.';
comment on column choice.slot_right is 'Position of the caption that is right.';
comment on column choice.slot_wrong is 'Position of the one that is wrong.';
comment on column choice.votes_right is 'Annotators who confirm that the right one describes the image; null without votes.';
comment on column choice.votes_wrong is 'Annotators who find that the wrong one describes it.';
comment on column choice.slot_right2 is 'Position of the second caption that is right; null for items that have only one.';

create view word_count as
select a.dataset, c.text as word, a.occurrences
from annotation as a
join membership as m on m.dataset = a.dataset and m.image = a.image and m.slot = a.slot and m.to_seq is null
join caption as c using (caption_id)
where a.occurrences is not null and a.to_seq is null;
comment on view word_count is 'Words of the current word lists that come with counts.';
comment on column word_count.dataset is 'The dataset.';
comment on column word_count.word is 'The word.';
comment on column word_count.occurrences is 'How often it occurs.';

-- The cache: rows that can be recomputed. You may drop the schema without loss: the statements below run again when a
-- store without it is opened for writing.

create schema cache;

create table cache.entry (
    key varchar primary key,
    relation varchar not null,
    dataset varchar not null,
    version varchar not null,
    created_at timestamptz not null
);
comment on table cache.entry is 'Entries of the cache: one row for each kept set of counts.';
comment on column cache.entry.key is 'sha256 of everything that can change the counts.';
comment on column cache.entry.relation is 'Table of schema cache that holds them, under the same key.';
comment on column cache.entry.dataset is 'Dataset counted.';
comment on column cache.entry.version is 'Version counted.';
comment on column cache.entry.created_at is 'When they were counted.';

create table cache.ngram_frequency (
    dataset varchar not null,
    version varchar not null,
    tokenizer varchar not null,
    n utinyint not null,
    gram uhugeint not null,
    occurrences uinteger not null,
    captions uinteger not null,
    images uinteger not null
);
comment on table cache.ngram_frequency is 'How often each n-gram (n = 1 to 4) occurs in a version that was counted. Read it through ngram_frequency(''flickr8k'').';
comment on column cache.ngram_frequency.dataset is 'Dataset counted; others of equal captions share its rows.';
comment on column cache.ngram_frequency.version is 'Version hash of the captions counted.';
comment on column cache.ngram_frequency.tokenizer is 'Tokenizer of the tokens.';
comment on column cache.ngram_frequency.n is 'N-gram order.';
comment on column cache.ngram_frequency.gram is 'The token numbers, 32 bits each, the last token lowest.';
comment on column cache.ngram_frequency.occurrences is 'Times it occurs.';
comment on column cache.ngram_frequency.captions is 'Captions that hold it.';
comment on column cache.ngram_frequency.images is 'Images that hold it: its document frequency.';

create table cache.parse (
    pipeline varchar not null,
    caption_id uinteger not null,
    starts uinteger[] not null,
    lengths uinteger[] not null,
    tags varchar[] not null,
    lemmas varchar[],
    heads uinteger[],
    labels varchar[],
    chunk_starts uinteger[],
    chunk_ends uinteger[]
);
comment on table cache.parse is 'Annotations of each text by a spaCy pipeline: its words in order, without whitespace, as lists of equal length; and noun chunks.';
comment on column cache.parse.pipeline is 'Name, version and hash of the pipeline.';
comment on column cache.parse.caption_id is 'The text, see caption.';
comment on column cache.parse.starts is 'Where each word begins in the text, in characters from 0.';
comment on column cache.parse.lengths is 'How many characters each word has.';
comment on column cache.parse.tags is 'Part of speech of each word, a tag of the Penn Treebank.';
comment on column cache.parse.lemmas is 'Lemma of each word; null if the pipeline gives none.';
comment on column cache.parse.heads is 'The word that each word depends on, counted from 1, 0 for a root; null if the pipeline does not parse.';
comment on column cache.parse.labels is 'Label of each dependency; null if the pipeline does not parse.';
comment on column cache.parse.chunk_starts is 'First word of each noun chunk, counted from 1; null if the pipeline gives none.';
comment on column cache.parse.chunk_ends is 'Last word of each noun chunk.';

create table cache.drawn_candidate (
    key varchar not null,
    dataset varchar not null,
    version varchar not null,
    split varchar,
    tokenizer varchar not null,
    "references" uinteger,
    candidate varchar not null,
    seed bigint not null,
    drawn_from varchar,
    image varchar not null,
    slot uinteger not null,
    from_dataset varchar,
    from_image varchar,
    from_slot uinteger,
    text varchar not null
);
comment on table cache.drawn_candidate is 'The replacement of each caption in a lower bound.';
comment on column cache.drawn_candidate.key is 'Entry of the cache, see entry.';
comment on column cache.drawn_candidate.dataset is 'Dataset whose caption was replaced.';
comment on column cache.drawn_candidate.version is 'Its version.';
comment on column cache.drawn_candidate.split is 'The selected split; null for the whole version.';
comment on column cache.drawn_candidate.tokenizer is 'Tokenizer of the tokens.';
comment on column cache.drawn_candidate."references" is 'Captions drawn for each image (--references and one); null for all of them.';
comment on column cache.drawn_candidate.candidate is 'Kind of replacement: intra, inter, brown, gibberish-10, …';
comment on column cache.drawn_candidate.seed is 'Seed of the draw.';
comment on column cache.drawn_candidate.drawn_from is 'Versions that were sampled, in addition to the dataset itself.';
comment on column cache.drawn_candidate.image is 'Image of the caption that was replaced.';
comment on column cache.drawn_candidate.slot is 'Its position among the captions of the image.';
comment on column cache.drawn_candidate.from_dataset is 'Dataset of the replacement; null for gibberish.';
comment on column cache.drawn_candidate.from_image is 'Its image or document; null for gibberish.';
comment on column cache.drawn_candidate.from_slot is 'Its position there; null for gibberish.';
comment on column cache.drawn_candidate.text is 'The replacement, as in its source; for gibberish, the drawn words.';

create table cache.score_column (
    key varchar not null,
    place uinteger not null,
    dataset varchar not null,
    version varchar not null,
    split varchar,
    candidate varchar not null,
    drawn_from varchar,
    seed bigint,
    metric varchar not null,
    signature varchar not null,
    made_of varchar not null
);
comment on table cache.score_column is 'The meaning of each position in the lists of score_list. Read both through scores.';
comment on column cache.score_column.key is 'Entry of the cache, see entry.';
comment on column cache.score_column.place is 'Position in the lists, from 1.';
comment on column cache.score_column.dataset is 'Dataset whose captions are the references.';
comment on column cache.score_column.version is 'Its version.';
comment on column cache.score_column.split is 'The selected split; null for the whole version.';
comment on column cache.score_column.candidate is 'What was scored: human, a substitute (intra, inter, brown, …), or the dataset of a system''s output.';
comment on column cache.score_column.drawn_from is 'Versions that the candidates come from, in addition to the dataset itself.';
comment on column cache.score_column.seed is 'Seed of the substitutes; null without a draw.';
comment on column cache.score_column.metric is 'The metric, as named in the command.';
comment on column cache.score_column.signature is 'All settings of the values: you can compare values of equal signature, version and split.';
comment on column cache.score_column.made_of is 'Hash of all of this: equal scores are kept once.';

create table cache.score_list (
    key varchar not null,
    image varchar not null,
    slot uinteger not null,
    scores double[] not null
);
comment on table cache.score_list is 'Scores that score and bounds computed, at most ten million: the oldest are deleted. Read them through scores.';
comment on column cache.score_list.key is 'Entry of the cache, see entry.';
comment on column cache.score_list.image is 'The image.';
comment on column cache.score_list.slot is 'Position of the candidate among those of its image.';
comment on column cache.score_list.scores is 'A score for each position in score_column; null without a score.';

create table cache.finding (
    key varchar not null,
    dataset varchar not null,
    version varchar not null,
    split varchar,
    kind varchar not null,
    severity varchar not null,
    image varchar,
    slot uinteger,
    why varchar not null,
    other_image varchar,
    other_slot uinteger
);
comment on table cache.finding is 'Findings of the last run of findings for each version and split. Read them through findings.';
comment on column cache.finding.key is 'Entry of the cache, see entry.';
comment on column cache.finding.dataset is 'Dataset of the finding.';
comment on column cache.finding.version is 'Its version.';
comment on column cache.finding.split is 'The selected split; null for the whole version.';
comment on column cache.finding.kind is 'Kind of finding: docs/findings.md explains each.';
comment on column cache.finding.severity is 'error, warning, notice or info.';
comment on column cache.finding.image is 'The image; null for a finding on the whole dataset.';
comment on column cache.finding.slot is 'Position of the caption among those of its image; null for a finding on the image or the whole dataset.';
comment on column cache.finding.why is 'Why it is listed; for a finding on the whole dataset, its sentence.';
comment on column cache.finding.other_image is 'The other image of the finding.';
comment on column cache.finding.other_slot is 'Position of the other caption of the finding.';
