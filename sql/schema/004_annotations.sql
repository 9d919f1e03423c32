-- What is known of a caption beside its text, names for versions, and the unit in which refused records are counted.

create table annotation (
    dataset varchar not null,
    image varchar not null,
    slot uinteger not null,
    phrases struct(chain varchar, types varchar[], start uinteger, length uinteger)[],
    judgements struct(judge varchar, score double, votes uinteger)[],
    pair struct(pair uinteger, side varchar, category varchar, origin varchar, votes uinteger),
    triplet struct(triplet uinteger, side varchar, category varchar, votes uinteger),
    occurrences ubigint,
    from_seq integer not null,
    to_seq integer
);
comment on table annotation is 'What is known of a caption beside its text, from which version on, until which. Read it through phrase, judgement, pair_vote, triplet_vote and word_count.';
comment on column annotation.dataset is 'The dataset.';
comment on column annotation.image is 'The image.';
comment on column annotation.slot is 'The caption''s position among the captions of its image.';
comment on column annotation.phrases is 'Phrases that mention something in the image.';
comment on column annotation.judgements is 'Human ratings of the caption.';
comment on column annotation.pair is 'The caption as one side of a pair.';
comment on column annotation.triplet is 'The caption as one of a triplet.';
comment on column annotation.occurrences is 'How often a word of a word list occurs.';
comment on column annotation.from_seq is 'First version that holds the row.';
comment on column annotation.to_seq is 'First version that no longer holds it; null while it stands.';

create view phrase as
select
    p.dataset, p.image, p.slot, p.position, (p.phrase).chain as chain, (p.phrase).types as types, (p.phrase).start as start,
    (p.phrase).length as length, substr(c.text, (p.phrase).start::bigint + 1, (p.phrase).length::bigint) as phrase
from (
    select dataset, image, slot, generate_subscripts(phrases, 1)::uinteger as position, unnest(phrases) as phrase
    from annotation
    where to_seq is null
) as p
join membership as m on m.dataset = p.dataset and m.image = p.image and m.slot = p.slot and m.to_seq is null
join caption as c using (caption_id);
comment on view phrase is 'Phrases of the current versions that mention something in the image, one row each.';
comment on column phrase.dataset is 'The dataset.';
comment on column phrase.image is 'The image.';
comment on column phrase.slot is 'The caption''s position among the captions of its image.';
comment on column phrase.position is 'Position among the phrases of the caption, from 1.';
comment on column phrase.chain is 'What it mentions: phrases of one image and chain mention the same; 0 is not visual.';
comment on column phrase.types is 'What kind of thing that is.';
comment on column phrase.start is 'Characters of the caption before it.';
comment on column phrase.length is 'Its length in characters.';
comment on column phrase.phrase is 'Its words.';

create view judgement as
select dataset, image, slot, (judgement).judge as judge, (judgement).score as score, (judgement).votes as votes
from (select dataset, image, slot, unnest(judgements) as judgement from annotation where to_seq is null);
comment on view judgement is 'Human ratings of the captions of the current versions, one row each.';
comment on column judgement.dataset is 'The dataset.';
comment on column judgement.image is 'The image that the caption was shown with.';
comment on column judgement.slot is 'The caption''s position among the rated captions of its image.';
comment on column judgement.judge is 'Who rated it.';
comment on column judgement.score is 'The rating, on the source''s own scale.';
comment on column judgement.votes is 'How many people stand behind the score.';

create view pair_vote as
select
    b.dataset, (b.pair).pair as pair, b.image, (b.pair).category as category, b.slot as slot_b, c.slot as slot_c,
    (b.pair).origin as origin_b, (c.pair).origin as origin_c, (b.pair).votes as votes_b, (c.pair).votes as votes_c
from annotation as b
join annotation as c
    on c.dataset = b.dataset and c.image = b.image and (c.pair).pair = (b.pair).pair and (c.pair).side = 'C' and c.to_seq is null
where (b.pair).side = 'B' and b.to_seq is null;
comment on view pair_vote is 'Which of two captions of an image people preferred, in the current versions.';
comment on column pair_vote.dataset is 'The dataset.';
comment on column pair_vote.pair is 'Number of the pair.';
comment on column pair_vote.image is 'The image.';
comment on column pair_vote.category is 'HC, HI, HM or MM: human or machine captions, correct or of another image.';
comment on column pair_vote.slot_b is 'Position of the first caption.';
comment on column pair_vote.slot_c is 'Position of the second.';
comment on column pair_vote.origin_b is 'Who wrote the first.';
comment on column pair_vote.origin_c is 'Who wrote the second.';
comment on column pair_vote.votes_b is 'People who preferred the first.';
comment on column pair_vote.votes_c is 'People who preferred the second.';

create view triplet_vote as
select
    a.dataset, (a.triplet).triplet as triplet, a.image, (a.triplet).category as category, a.slot as slot_a, b.slot as slot_b,
    c.slot as slot_c, (b.triplet).votes as votes_b, (c.triplet).votes as votes_c
from annotation as a
join annotation as b
    on b.dataset = a.dataset and b.image = a.image and (b.triplet).triplet = (a.triplet).triplet and (b.triplet).side = 'B'
    and b.to_seq is null
join annotation as c
    on c.dataset = a.dataset and c.image = a.image and (c.triplet).triplet = (a.triplet).triplet and (c.triplet).side = 'C'
    and c.to_seq is null
where (a.triplet).side = 'A' and a.to_seq is null;
comment on view triplet_vote is 'Which of two captions people found closer to a third, in the current versions.';
comment on column triplet_vote.dataset is 'The dataset.';
comment on column triplet_vote.triplet is 'Number of the triplet.';
comment on column triplet_vote.image is 'The image.';
comment on column triplet_vote.category is 'HC, HI, HM or MM; null where the source has none.';
comment on column triplet_vote.slot_a is 'Position of the caption that the others are compared with.';
comment on column triplet_vote.slot_b is 'Position of the first of the others.';
comment on column triplet_vote.slot_c is 'Position of the second.';
comment on column triplet_vote.votes_b is 'People who found the first closer.';
comment on column triplet_vote.votes_c is 'People who found the second closer.';

create view word_count as
select a.dataset, c.text as word, a.occurrences
from annotation as a
join membership as m on m.dataset = a.dataset and m.image = a.image and m.slot = a.slot and m.to_seq is null
join caption as c using (caption_id)
where a.occurrences is not null and a.to_seq is null;
comment on view word_count is 'Words of the current word lists that come with counts.';
comment on column word_count.dataset is 'The dataset.';
comment on column word_count.word is 'The word.';
comment on column word_count.occurrences is 'How often it occurs.';

create table tag (
    dataset varchar not null,
    tag varchar not null,
    seq integer not null,
    created_at timestamptz not null,
    primary key (dataset, tag)
);
comment on table tag is 'Names that users gave to versions.';
comment on column tag.dataset is 'The dataset.';
comment on column tag.tag is 'The name: flickr8k@camera-ready.';
comment on column tag.seq is 'The version it names.';
comment on column tag.created_at is 'When it was given.';

alter table rejected add column unit varchar;
update rejected set unit = case
    when (select v.format from version as v where v.dataset = rejected.dataset and v.seq = rejected.seq) = 'flickr' then 'line'
    else 'record'
end;
comment on column rejected.unit is 'What line counts: a line of the file, or a record of a file that has no lines of its own.';
comment on column rejected.line is 'Number of the line or record, from 1.';
