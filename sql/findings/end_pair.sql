-- name: end_pair
-- version: 1
-- grain: word before, word
-- reads: reference, caption, text_tokens, end_rate
-- returns: before, word, times, ends, breaks, expected
-- merges: sum times, ends, breaks, expected
--
-- How often two words follow each other, how often they end a caption, and how often one without a full stop whose last
-- word is a whole word of the text (“t.v” is not). `expected` is how often they would end a caption if they ended as many
-- as other words at the same places do, in millionths.
with worded as (
    select t.tokens, len(t.tokens) as size, regexp_matches(c.text, '(^|\s)\p{L}+\s*$') as breaks
    from reference as r
    join caption as c using (caption_id)
    join text_tokens as t using (caption_id)
    where len(t.tokens) >= 2
)
select
    w.tokens[r.place - 1] as before, w.tokens[r.place] as word, count(*) as times,
    count_if(r.place = w.size)::bigint as ends, count_if(r.place = w.size and w.breaks)::bigint as breaks,
    sum(r.millionths)::bigint as expected
from worded as w
join end_rate as r on r.place <= w.size
group by all
