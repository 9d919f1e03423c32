-- name: script_count
-- version: 1
-- grain: split
-- params: dataset VARCHAR, seq INTEGER
-- reads: membership, script
-- returns: split, captions, latin, unspaced
--
-- How many captions of each split have letters, mostly Latin ones, or mostly those of scripts without spaces.
select
    m.split,
    count(s.script)::ubigint as captions,
    count_if(s.script = 'Latin')::ubigint as latin,
    count_if(s.script in ('Southeast Asian', 'Chinese or Japanese'))::ubigint as unspaced
from membership as m
join script as s using (caption_id)
where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
group by m.split
