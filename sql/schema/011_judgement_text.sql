-- A rating is of a text: with the caption's position alone it would be looked up in the dataset whose images were rated,
-- where another caption has that position.

create or replace view judgement as
select
    j.dataset, j.image, j.slot, c.text,
    (j.judgement).judge as judge, (j.judgement).score as score, (j.judgement).votes as votes
from (
    select dataset, image, slot, unnest(judgements) as judgement
    from annotation
    where to_seq is null
) as j
join membership as m on m.dataset = j.dataset and m.image = j.image and m.slot = j.slot and m.to_seq is null
join caption as c using (caption_id);
comment on view judgement is 'Human ratings of captions in the current versions, one row each. What was rated is in text; datasets whose images were rated number their captions otherwise.';
comment on column judgement.dataset is 'The dataset of ratings.';
comment on column judgement.image is 'The image that the caption was shown with.';
comment on column judgement.slot is 'The caption''s position among the rated captions of its image, from 0.';
comment on column judgement.text is 'The caption that was rated.';
comment on column judgement.judge is 'Who rated it.';
comment on column judgement.score is 'The rating, on the scale of its source: select min(score), max(score).';
comment on column judgement.votes is 'How many people stand behind the score.';
comment on view ngram is 'Every n-gram (n = 1 to 4) of the current versions, one row each; ngrams(''flickr8k:test'', 2) gives those of a split.';
comment on view token is 'Every token of the current versions, one row each; tokens(''flickr8k:test'') gives those of a split.';
