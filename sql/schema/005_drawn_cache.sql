-- What was drawn in place of captions, so that a lower bound can be looked at again. Like all of the cache it may be
-- dropped: draws are a pure function of the seed and the captions.

create table if not exists cache.drawn_candidate (
    key varchar not null,
    dataset varchar not null,
    version varchar not null,
    split varchar,
    profile varchar not null,
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
comment on table cache.drawn_candidate is 'What stood in place of each caption in a lower bound.';
comment on column cache.drawn_candidate.key is 'Entry of the cache, see entry.';
comment on column cache.drawn_candidate.dataset is 'Dataset whose caption was replaced.';
comment on column cache.drawn_candidate.version is 'Its version.';
comment on column cache.drawn_candidate.split is 'The split at work; null where it was all of the version.';
comment on column cache.drawn_candidate.profile is 'Text profile of the tokens.';
comment on column cache.drawn_candidate."references" is 'Captions drawn for each image (--references and one); null where all of them are at work.';
comment on column cache.drawn_candidate.candidate is 'Who stands in: intra, inter, brown, gibberish-10, …';
comment on column cache.drawn_candidate.seed is 'Seed of the draw.';
comment on column cache.drawn_candidate.drawn_from is 'Versions that were drawn from, beside the dataset itself.';
comment on column cache.drawn_candidate.image is 'Image of the caption that was replaced.';
comment on column cache.drawn_candidate.slot is 'Its position among the captions of the image.';
comment on column cache.drawn_candidate.from_dataset is 'Dataset of the caption that stands in; null for gibberish.';
comment on column cache.drawn_candidate.from_image is 'Its image or document; null for gibberish.';
comment on column cache.drawn_candidate.from_slot is 'Its position there; null for gibberish.';
comment on column cache.drawn_candidate.text is 'The caption that stands in, as it stands in its source; the drawn words of gibberish.';
