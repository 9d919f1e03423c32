-- Scores and findings as they were last made, for people to query: nothing is counted from them. Like all of the cache
-- they may be dropped, and are there again when a dataset is scored or looked through again.

create table if not exists cache.score_column (
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
comment on table cache.score_column is 'What stands at each place of the lists in score_list. Read both through scores.';
comment on column cache.score_column.key is 'Entry of the cache, see entry.';
comment on column cache.score_column.place is 'Place in the lists, from 1.';
comment on column cache.score_column.dataset is 'Dataset whose captions are the references.';
comment on column cache.score_column.version is 'Its version.';
comment on column cache.score_column.split is 'The split at work; null where it was all of the version.';
comment on column cache.score_column.candidate is 'What was scored: human, a substitute (intra, inter, brown, …), or the dataset of a system''s output.';
comment on column cache.score_column.drawn_from is 'Versions that the candidates come from, beside the dataset itself.';
comment on column cache.score_column.seed is 'Seed of the substitutes; null where none was drawn.';
comment on column cache.score_column.metric is 'The metric, as it was asked for.';
comment on column cache.score_column.signature is 'How the values were made: those of equal signature, version and split may be compared.';
comment on column cache.score_column.made_of is 'Hash of all of this: equal scores are kept once.';

create table if not exists cache.score_list (
    key varchar not null,
    image varchar not null,
    slot uinteger not null,
    scores double[] not null
);
comment on table cache.score_list is 'Scores that score and bounds made, ten million at most: the oldest give way. Read them through scores.';
comment on column cache.score_list.key is 'Entry of the cache, see entry.';
comment on column cache.score_list.image is 'The image.';
comment on column cache.score_list.slot is 'Position of the candidate among those of its image.';
comment on column cache.score_list.scores is 'A score for each place that score_column names; null where there is none.';

create table if not exists cache.finding (
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
comment on table cache.finding is 'What the last run of findings told of each version and split. Read it through findings.';
comment on column cache.finding.key is 'Entry of the cache, see entry.';
comment on column cache.finding.dataset is 'Dataset that was looked through.';
comment on column cache.finding.version is 'Its version.';
comment on column cache.finding.split is 'The split that was asked for; null where it was all of the version.';
comment on column cache.finding.kind is 'Kind of finding: docs/findings.md says what each means.';
comment on column cache.finding.severity is 'error, warning, notice or info.';
comment on column cache.finding.image is 'The image; null for a finding on the whole.';
comment on column cache.finding.slot is 'Position of the caption among those of its image; null for a finding on the image or the whole.';
comment on column cache.finding.why is 'Why it is listed; for a finding on the whole, the sentence that says it.';
comment on column cache.finding.other_image is 'The image beside which it was found.';
comment on column cache.finding.other_slot is 'Position of the caption beside which it was found.';
