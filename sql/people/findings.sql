-- name: findings
-- version: 1
-- grain: caption, image or dataset with a fault
-- reads: cache.finding, version, membership, caption
-- returns: dataset, version, split, kind, severity, image, slot, text, why, other_image, other_slot
-- column dataset VARCHAR: The dataset.
-- column version VARCHAR: Its version, by hash.
-- column split VARCHAR: The selected split; null for the whole version.
-- column kind VARCHAR: Kind of finding: docs/findings.md explains each.
-- column severity VARCHAR: error (certainly wrong), warning (look first), notice (good to know) or info (not a fault).
-- column image VARCHAR: The image; null for a finding on the whole dataset.
-- column slot UINTEGER: Position of the caption within its image; null for a finding on the image or the whole dataset.
-- column text VARCHAR: The caption.
-- column why VARCHAR: Why it is listed; for a finding on the whole dataset, its sentence.
-- column other_image VARCHAR: The other image of the finding.
-- column other_slot UINTEGER: Position of the other caption of the finding.
-- example: select kind, severity, count(*) as rows from findings group by all order by all
--
-- The findings of the last run of `auditor findings` for each version and split.
with held as (select dataset, version, max(seq) as seq from main.version group by dataset, version)
select f.dataset, f.version, f.split, f.kind, f.severity, f.image, f.slot, c.text, f.why, f.other_image, f.other_slot
from cache.finding as f
left join held as h on h.dataset = f.dataset and h.version = f.version
left join main.membership as m
    on m.dataset = f.dataset and m.image = f.image and m.slot = f.slot
        and m.from_seq <= h.seq and (m.to_seq is null or m.to_seq > h.seq)
left join main.caption as c using (caption_id)
