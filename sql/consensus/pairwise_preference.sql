-- name: pairwise_preference
-- version: 1
-- grain: pair
-- params: tokenizer VARCHAR
-- reads: pair_vote_count, judged_pair, caption, caption_tokens
-- returns: pair, form, image, kind, slot_b, slot_c, origin_b, origin_c, votes, votes_b, votes_c, winner, tokens_b, tokens_c, text_b, text_c
-- order: p.pair
-- cites: Vedantam et al. 2015, section 3: the winner is what the majority prefers
--
-- Pairs of captions of an image and the choice of the raters: `winner` is B or C, null if votes are even or missing
-- (`votes` is 0). A caption is identified by the first slot at which its text is compared for the image, so that a text
-- in many triplets is scored once.
with side as (
    select image, text_b as caption_id, slot_b as slot from judged_pair
    union all
    select image, text_c, slot_c from judged_pair
),
named as (select image, caption_id, min(slot) as slot from side group by image, caption_id),
counted as (
    select
        pair, form, image, text_b, text_c,
        arg_min(kind, number) as kind, arg_min(origin_b, number) as origin_b, arg_min(origin_c, number) as origin_c,
        if(form = 'pair', sum(for_b + for_c), count(*) filter (where not without_votes))::uinteger as votes,
        sum(for_b)::uinteger as votes_b, sum(for_c)::uinteger as votes_c
    from pair_vote_count
    group by pair, form, image, text_b, text_c
)
select
    p.pair, p.form, p.image, p.kind, b.slot as slot_b, c.slot as slot_c, p.origin_b, p.origin_c,
    p.votes, p.votes_b, p.votes_c,
    case when p.votes_b > p.votes_c then 'B' when p.votes_c > p.votes_b then 'C' end as winner,
    tb.tokens as tokens_b, tc.tokens as tokens_c, trim(cb.text) as text_b, trim(cc.text) as text_c
from counted as p
join named as b on b.image = p.image and b.caption_id = p.text_b
join named as c on c.image = p.image and c.caption_id = p.text_c
join caption as cb on cb.caption_id = p.text_b
join caption as cc on cc.caption_id = p.text_c
left join caption_tokens as tb on tb.caption_id = p.text_b and tb.tokenizer = $tokenizer::varchar
left join caption_tokens as tc on tc.caption_id = p.text_c and tc.tokenizer = $tokenizer::varchar
order by p.pair
