-- name: changes
-- version: 1
-- grain: place, kind of change
-- params: ref_a VARCHAR, ref_b VARCHAR
-- reads: resolved, membership, caption, annotation
-- returns: change, image, slot, old_text, new_text, old_split, new_split
-- column change VARCHAR: added, removed, edited, moved to another split, or rated otherwise (with other ratings).
-- column image VARCHAR: The image.
-- column slot UINTEGER: The caption's position among the captions of its image, from 0.
-- column old_text VARCHAR: The caption in the first of the two; null if it is missing there.
-- column new_text VARCHAR: The caption in the second.
-- column old_split VARCHAR: Split of the image in the first.
-- column new_split VARCHAR: Split of the image in the second.
-- example: from changes('sample-narrow', 'sample-varied') limit 3
--
-- The changes of captions from one version or dataset to another, as in `auditor diff --depth text`. An unchanged caption
-- has no row; a caption that was edited and moved has two.
with content as (
    select
        r.side, m.image, m.slot, m.split, c.text, list_sort(a.judgements) as judgements, a.pair, a.triplet, a.occurrences
    from (select 'a' as side, * from resolved($ref_a) union all select 'b' as side, * from resolved($ref_b)) as r
    join main.membership as m
        on m.dataset = r.dataset and m.from_seq <= r.seq and (m.to_seq is null or m.to_seq > r.seq)
            and (r.split is null or m.split = r.split)
    join main.caption as c using (caption_id)
    left join main.annotation as a
        on a.dataset = m.dataset and a.image = m.image and a.slot = m.slot
            and a.from_seq <= r.seq and (a.to_seq is null or a.to_seq > r.seq)
),
paired as (
    select
        coalesce(a.image, b.image) as image, coalesce(a.slot, b.slot) as slot,
        a.text as old_text, b.text as new_text, a.split as old_split, b.split as new_split,
        a.judgements is distinct from b.judgements or a.pair is distinct from b.pair
        or a.triplet is distinct from b.triplet or a.occurrences is distinct from b.occurrences as is_rated_otherwise
    from (from content where side = 'a') as a
    full join (from content where side = 'b') as b on b.image = a.image and b.slot = a.slot
),
classified as (
    select
        unnest([
            case when old_text is null then 'added' end,
            case when new_text is null then 'removed' end,
            case when old_text <> new_text then 'edited' end,
            case when old_text is not null and new_text is not null and old_split is distinct from new_split
                then 'moved to another split' end,
            case when old_text is not null and new_text is not null and is_rated_otherwise then 'rated otherwise' end
        ]) as change,
        image, slot, old_text, new_text, old_split, new_split
    from paired
)
select change, image, slot, old_text, new_text, old_split, new_split
from classified
where change is not null
