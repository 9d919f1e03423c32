-- The cache: whatever can be counted again. The whole schema may be dropped without loss: this file runs when a store
-- whose cache is not whole is opened for writing, and makes what is missing.

create schema if not exists cache;

create table if not exists cache.ngram_frequency (
    version varchar not null,
    profile varchar not null,
    n utinyint not null,
    gram uhugeint not null,
    occurrences uinteger not null,
    captions uinteger not null,
    images uinteger not null
);
comment on table cache.ngram_frequency is 'How often each n-gram (n = 1 to 4) occurs in a version. Read it through the view ngram_frequency.';
comment on column cache.ngram_frequency.version is 'Version hash of the captions counted.';
comment on column cache.ngram_frequency.profile is 'Text profile of the tokens.';
comment on column cache.ngram_frequency.n is 'N-gram order.';
comment on column cache.ngram_frequency.gram is 'The token numbers, 32 bits each, the last token lowest.';
comment on column cache.ngram_frequency.occurrences is 'Times it occurs.';
comment on column cache.ngram_frequency.captions is 'Captions that hold it.';
comment on column cache.ngram_frequency.images is 'Images that hold it: its document frequency.';

create table if not exists cache.entry (
    key varchar primary key,
    relation varchar not null,
    dataset varchar not null,
    version varchar not null,
    created_at timestamptz not null
);
comment on table cache.entry is 'Counts that are kept: one row for each counting that need not be done again.';
comment on column cache.entry.key is 'sha256 of everything that can change the counts.';
comment on column cache.entry.relation is 'Table of schema cache that holds them, under the same key.';
comment on column cache.entry.dataset is 'Dataset counted.';
comment on column cache.entry.version is 'Version counted.';
comment on column cache.entry.created_at is 'When they were counted.';

create table if not exists cache.parse (
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
comment on table cache.parse is 'What a spaCy pipeline says of each text: its words in order, blanks left out, as lists of equal length; and noun chunks.';
comment on column cache.parse.pipeline is 'Name, version and hash of the pipeline.';
comment on column cache.parse.caption_id is 'The text, see caption.';
comment on column cache.parse.starts is 'Where each word begins in the text, in characters from 0.';
comment on column cache.parse.lengths is 'How many characters each word has.';
comment on column cache.parse.tags is 'Part of speech of each word, a tag of the Penn Treebank.';
comment on column cache.parse.lemmas is 'Lemma of each word; null where the pipeline gives none.';
comment on column cache.parse.heads is 'The word that each word depends on, counted from 1, 0 for a root; null where the pipeline does not parse.';
comment on column cache.parse.labels is 'Label of each dependency; null where the pipeline does not parse.';
comment on column cache.parse.chunk_starts is 'First word of each noun chunk, counted from 1; null where the pipeline gives none.';
comment on column cache.parse.chunk_ends is 'Last word of each noun chunk.';
