-- Vectors that an encoder made of images, or of texts: a dataset of kind vectors holds them, and no captions.

create table vector (
    dataset varchar not null,
    image varchar,
    text varchar,
    from_seq integer not null,
    to_seq integer,
    vector float[] not null
);
comment on table vector is 'What an encoder made of an image, or of a text, from which version on, until which.';
comment on column vector.dataset is 'The dataset, of kind vectors.';
comment on column vector.image is 'The image, by the id that captions give it; null for the vector of a text.';
comment on column vector.text is 'The text; null for the vector of an image.';
comment on column vector.from_seq is 'First version that holds the row.';
comment on column vector.to_seq is 'First version that no longer holds it; null while it stands.';
comment on column vector.vector is 'Its numbers, as many in every row of a version.';

comment on column dataset.kind is 'captions, candidates (system output), judgements, pairs, triplets, choices, corpus, wordlist or vectors.';
comment on column version.version is 'sha256 of the content: for captions of the sorted (image, slot, split, text), for vectors of ids and numbers.';
comment on column version.images is 'Images with at least one caption, or with a vector.';
comment on column version.captions is 'Captions, each place counted; of vectors, the texts that have one.';
