-- name: rouge_match
-- version: 1
-- grain: text of an image, unit, occurrence
-- params: skip INTEGER
-- reads: rouge_word
-- returns: text_no, unit, occurrence, is_narrow, holders, narrow_holders
-- cites: Lin 2004, section 5; ROUGE-1.5.5.pl, createNGram, createSkipBigram
--
-- The units that an image has more than once: a word, or two words in order with at most $skip others between them, as
-- two numbers of 32 bits in one. For the k-th occurrence of a unit in a text, `holders` counts the references with at
-- least k: sums of these are clipped reference by reference. Words before the last position and adjacent pairs are
-- narrow; they come first within a unit, and narrow_holders counts references with as many narrow ones. If the texts
-- set as many separate bits as there are occurrences, each has the unit once and needs no numbering. Two words that no
-- two texts share, or that no reference has, are not paired. The 63rd bit, which texts may share, cannot decide this.
with longest as (select max(last_packed(place))::bigint as steps from rouge_word),
begun as (
    select
        w.text_no, w.place, w.word, w.place_bit, w.places, w.reference_places,
        unnest(range(1, least($skip::integer + 1, l.steps) + 1))::ubigint as step
    from rouge_word as w
    cross join longest as l
),
pair as (
    select a.text_no, a.place_bit, pack(a.word, b.word) as unit, a.step = 1 as is_narrow
    from begun as a
    join rouge_word as b
        on b.place = a.place + a.step
        and (
            bit_count(a.places & b.places) > 1 and a.reference_places & b.reference_places <> 0
            or a.places & b.places >= 4611686018427387904
        )
),
place as materialized (
    select text_no, place_bit, word as unit, not is_last as is_narrow from rouge_word
    union all
    select text_no, place_bit, unit, is_narrow from pair
),
met as materialized (
    select
        unit, count(*) = bit_count(bit_or(place_bit)) as is_once,
        count(*) filter (text_no & 2 = 2) as holders,
        count(*) filter (is_narrow and text_no & 2 = 2) as narrow_holders
    from place
    group by unit
    having count(*) > 1 and holders > 0
),
repeated as (
    select p.text_no, p.unit, count(*) as tf, count(*) filter (p.is_narrow) as narrow_tf
    from place as p
    semi join (select unit from met where not is_once) as m on m.unit = p.unit
    group by p.text_no, p.unit
),
numbered as (select text_no, unit, narrow_tf, unnest(range(1, tf + 1)) as occurrence from repeated),
level as materialized (select text_no, unit, occurrence, occurrence <= narrow_tf as is_narrow from numbered),
held as (
    select
        unit, occurrence,
        count(*) filter (text_no & 2 = 2) as holders,
        count(*) filter (is_narrow and text_no & 2 = 2) as narrow_holders
    from level
    group by unit, occurrence
)
select
    p.text_no, p.unit, 1::uinteger as occurrence, p.is_narrow, m.holders::uinteger as holders,
    m.narrow_holders::uinteger as narrow_holders
from place as p
join met as m on m.unit = p.unit
where m.is_once
union all
select l.text_no, l.unit, l.occurrence, l.is_narrow, h.holders, h.narrow_holders
from level as l
join held as h on h.unit = l.unit and h.occurrence = l.occurrence
