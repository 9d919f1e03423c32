-- name: log
-- version: 1
-- grain: dataset version
-- params: dataset VARCHAR
-- reads: version, dataset, rejected
-- returns: dataset, kind, seq, version, images, captions, rejected, created_at, format, source_sha256, text_profiles, note
--
-- Every version, the newest of each dataset first. A null dataset stands for all of them.
with refused as (
    select dataset, seq, count(*)::integer as rejected
    from rejected
    group by dataset, seq
)
select
    v.dataset, d.kind, v.seq, v.version, v.images, v.captions, coalesce(r.rejected, 0) as rejected, v.created_at,
    v.format, v.source_sha256, v.text_profiles, v.note
from version as v
join dataset as d using (dataset)
left join refused as r using (dataset, seq)
where $dataset::varchar is null or v.dataset = $dataset::varchar
order by v.dataset, v.seq desc
