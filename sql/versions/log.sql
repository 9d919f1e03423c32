-- name: log
-- version: 2
-- grain: dataset version
-- params: dataset VARCHAR
-- reads: version, dataset, rejected, tag
-- returns: dataset, kind, seq, version, images, captions, rejected, created_at, format, source_sha256, tokenizers, note, tags
-- order: v.dataset, v.seq desc
--
-- Every version, the newest of each dataset first, with its tags. A null dataset means all datasets.
with refused as (select dataset, seq, count(*)::integer as rejected from rejected group by dataset, seq),
named as (select dataset, seq, list(tag order by tag) as tags from tag group by dataset, seq)
select
    v.dataset, d.kind, v.seq, v.version, v.images, v.captions, coalesce(r.rejected, 0) as rejected, v.created_at,
    v.format, v.source_sha256, v.tokenizers, v.note, coalesce(n.tags, []) as tags
from version as v
join dataset as d using (dataset)
left join refused as r using (dataset, seq)
left join named as n using (dataset, seq)
where $dataset::varchar is null or v.dataset = $dataset::varchar
order by v.dataset, v.seq desc
