-- Forced-choice items: a dataset of kind choices holds both captions of each item, as sides right and wrong of a pair.

comment on column dataset.kind is 'captions, candidates (system output), judgements, pairs, triplets, choices, corpus or wordlist.';
comment on table annotation is 'What is known of a caption beside its text, from which version on, until which. Read it through phrase, judgement, pair_vote, triplet_vote, choice and word_count.';
comment on column annotation.pair is 'The caption as one side of a pair: B or C, or, of a forced choice, right or wrong.';

create view choice as
select
    r.dataset, (r.pair).origin as item, r.image, (r.pair).category as part, r.slot as slot_right, w.slot as slot_wrong,
    (r.pair).votes as votes_right, (w.pair).votes as votes_wrong
from annotation as r
join annotation as w
    on w.dataset = r.dataset and w.image = r.image and (w.pair).pair = (r.pair).pair and (w.pair).side = 'wrong' and w.to_seq is null
where (r.pair).side = 'right' and r.to_seq is null;
comment on view choice is 'Forced-choice items of the current versions: two captions of an image, one of which is right.';
comment on column choice.dataset is 'The dataset.';
comment on column choice.item is 'Name of the item.';
comment on column choice.image is 'The image.';
comment on column choice.part is 'The part of the benchmark.';
comment on column choice.slot_right is 'Position of the caption that is right.';
comment on column choice.slot_wrong is 'Position of the one that is wrong.';
comment on column choice.votes_right is 'People who say that the right one describes the image; null where nobody was asked.';
comment on column choice.votes_wrong is 'People who say that the wrong one does.';
