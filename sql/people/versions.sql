-- name: versions
-- version: 1
-- grain: dataset version
-- reads: version, dataset, rejected, tag, latest
-- returns: dataset, kind, seq, is_current, version, images, captions, rejected, created_at, tags, note, tokenizers, format, source_sha256
-- column dataset VARCHAR: The dataset.
-- column kind VARCHAR: captions, candidates, judgements, pairs, triplets, choices, corpus, wordlist, vectors, objects or synonyms.
-- column seq INTEGER: Counts the versions of one dataset from 1; NAME@v7 names the seventh.
-- column is_current BOOLEAN: Whether it is the newest of its dataset.
-- column version VARCHAR: Hash of the captions: equal captions, equal version.
-- column images INTEGER: Images with at least one caption.
-- column captions INTEGER: Captions, counted once per image and slot.
-- column rejected BIGINT: Records that its ingest rejected, see rejected.
-- column created_at TIMESTAMP WITH TIME ZONE: When it was ingested.
-- column tags VARCHAR[]: Names that users gave to it.
-- column note VARCHAR: Note of the user.
-- column tokenizers VARCHAR[]: Tokenizers whose tokens are stored.
-- column format VARCHAR: The reader that read it.
-- column source_sha256 VARCHAR: sha256 of the file that it was read from.
-- example: select dataset, seq, captions, rejected from versions where is_current
--
-- Every version of every dataset.
with refused as (select dataset, seq, count(*) as rejected from main.rejected group by dataset, seq),
named as (select dataset, seq, list(tag order by tag) as tags from main.tag group by dataset, seq)
select
    v.dataset, d.kind, v.seq, l.seq is not null as is_current, v.version, v.images, v.captions,
    coalesce(r.rejected, 0) as rejected, v.created_at, coalesce(n.tags, []) as tags, v.note,
    v.tokenizers, v.format, v.source_sha256
from main.version as v
join main.dataset as d using (dataset)
left join main.latest as l on l.dataset = v.dataset and l.seq = v.seq
left join refused as r on r.dataset = v.dataset and r.seq = v.seq
left join named as n on n.dataset = v.dataset and n.seq = v.seq
