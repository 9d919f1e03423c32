-- Forced-choice items may have a second caption that is right: a third side of the pair, right2. An item of two captions
-- has none. Sides are brought together by the name of the item: each part of a source numbers its own.

comment on column annotation.pair is 'The caption as one side of a pair: B or C, or, of a forced choice, right, right2 or wrong.';

create or replace view choice as
select
    r.dataset, (r.pair).origin as item, r.image, (r.pair).category as part, r.slot as slot_right, w.slot as slot_wrong,
    (r.pair).votes as votes_right, (w.pair).votes as votes_wrong, s.slot as slot_right2
from annotation as r
join annotation as w
    on w.dataset = r.dataset and w.image = r.image and (w.pair).origin = (r.pair).origin and (w.pair).side = 'wrong' and w.to_seq is null
left join annotation as s
    on s.dataset = r.dataset and s.image = r.image and (s.pair).origin = (r.pair).origin and (s.pair).side = 'right2' and s.to_seq is null
where (r.pair).side = 'right' and r.to_seq is null;
comment on view choice is 'Forced-choice items of the current versions: one or two captions of an image that are right, and one that is wrong.';
comment on column choice.dataset is 'The dataset.';
comment on column choice.item is 'Name of the item.';
comment on column choice.image is 'The image.';
comment on column choice.part is 'The part of the benchmark.';
comment on column choice.slot_right is 'Position of the caption that is right.';
comment on column choice.slot_wrong is 'Position of the one that is wrong.';
comment on column choice.votes_right is 'Annotators who confirm that the right one describes the image; null without votes.';
comment on column choice.votes_wrong is 'Annotators who find that the wrong one describes it.';
comment on column choice.slot_right2 is 'Position of the second caption that is right; null for items that have only one.';
