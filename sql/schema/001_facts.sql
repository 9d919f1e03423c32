-- The facts: what was ingested, once. Nothing here can be recomputed from anything else in the store.
-- Keys of the large tables are checked by `auditor store verify`, not by indexes: an index on five million rows costs ten
-- times the memory of the rows.

create table dataset (
    dataset varchar primary key,
    kind varchar not null,
    language varchar not null,
    related varchar[] not null
);
comment on table dataset is 'What is known of each dataset beside its captions.';
comment on column dataset.dataset is 'Name, as in datasets.toml.';
comment on column dataset.kind is 'captions, candidates (system output), judgements, pairs, triplets, corpus or wordlist.';
comment on column dataset.language is 'Language of the captions, BCP 47.';
comment on column dataset.related is 'Datasets that share images or captions with this one.';

create table version (
    dataset varchar not null,
    seq integer not null,
    version varchar not null,
    created_at timestamptz not null,
    source_sha256 varchar not null,
    format varchar not null,
    text_profiles varchar[] not null,
    images integer not null,
    captions integer not null,
    note varchar,
    primary key (dataset, seq)
);
comment on table version is 'Append-only log: one row for each state that a dataset has had.';
comment on column version.dataset is 'The dataset.';
comment on column version.seq is 'Counts the states of one dataset from 1; @v7 names the seventh.';
comment on column version.version is 'sha256 over the sorted (image, slot, split, text): equal captions, equal version.';
comment on column version.created_at is 'When it was ingested.';
comment on column version.source_sha256 is 'sha256 of the file it was read from.';
comment on column version.format is 'The reader that read it.';
comment on column version.text_profiles is 'Text profiles whose tokens are stored.';
comment on column version.images is 'Images with at least one caption.';
comment on column version.captions is 'Captions, each place counted.';
comment on column version.note is 'What the user said of it.';

create table caption (
    caption_id uinteger not null,
    text varchar not null
);
comment on table caption is 'Every text that ever stood as a caption, once: identical texts share a row.';
comment on column caption.caption_id is 'Number of the text inside this store.';
comment on column caption.text is 'The caption as it stands in its source.';

create table membership (
    dataset varchar not null,
    image varchar not null,
    slot uinteger not null,
    caption_id uinteger not null,
    split varchar,
    from_seq integer not null,
    to_seq integer
);
comment on table membership is 'Which caption stands where, from which version on, until which. (image, slot) identifies a caption.';
comment on column membership.dataset is 'The dataset.';
comment on column membership.image is 'Image, by the id that its source gives it.';
comment on column membership.slot is 'The caption''s position among the captions of its image.';
comment on column membership.caption_id is 'The text, see caption.';
comment on column membership.split is 'Split of the image; null where it is in none.';
comment on column membership.from_seq is 'First version that holds the row.';
comment on column membership.to_seq is 'First version that no longer holds it; null while it stands.';

create table vocabulary (
    token_id uinteger primary key,
    token varchar not null
);
comment on table vocabulary is 'Every token of every text profile, numbered from 1.';
comment on column vocabulary.token_id is 'Number of the token inside this store, never 0.';
comment on column vocabulary.token is 'The token.';

create table caption_tokens (
    caption_id uinteger not null,
    profile varchar not null,
    tokens uinteger[] not null
);
comment on table caption_tokens is 'The tokens of each caption under each text profile, as a list of token numbers.';
comment on column caption_tokens.caption_id is 'The text, see caption.';
comment on column caption_tokens.profile is 'Text profile, for example bare.';
comment on column caption_tokens.tokens is 'Token numbers in order, see vocabulary.';

create table rejected (
    dataset varchar not null,
    seq integer not null,
    source varchar not null,
    line uinteger not null,
    reason varchar not null,
    raw varchar
);
comment on table rejected is 'What an ingest refused, and why.';
comment on column rejected.dataset is 'The dataset.';
comment on column rejected.seq is 'The version at whose ingest it was refused.';
comment on column rejected.source is 'File it was read from.';
comment on column rejected.line is 'Line of a text file; record of a JSON file, counted from 1.';
comment on column rejected.reason is 'Why it was refused.';
comment on column rejected.raw is 'The record as it stands in the file, at most 2,000 characters.';
