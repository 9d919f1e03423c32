-- name: logged_version
-- version: 1
-- grain: dataset version
-- params: dataset VARCHAR
-- reads: version, dataset
-- returns: dataset, kind, seq, version, images, captions, created_at, format, source_sha256, tokenizers, note
-- order: v.dataset, v.seq desc
--
-- Every version as every command resolves it, the newest of each dataset first. A null dataset means all datasets.
select
    v.dataset, d.kind, v.seq, v.version, v.images, v.captions, v.created_at, v.format, v.source_sha256, v.tokenizers, v.note
from version as v
join dataset as d using (dataset)
where $dataset::varchar is null or v.dataset = $dataset::varchar
order by v.dataset, v.seq desc
