-- name: scores
-- version: 1
-- grain: candidate, metric
-- reads: cache.score_column, cache.score_list
-- returns: dataset, version, split, image, slot, candidate, metric, value, signature, seed, drawn_from
-- column dataset VARCHAR: Dataset whose captions are the references.
-- column version VARCHAR: Its version, by hash.
-- column split VARCHAR: The split that was scored; null for the whole version.
-- column image VARCHAR: The image.
-- column slot UINTEGER: Position of the candidate among those of its image, from 0.
-- column candidate VARCHAR: human (a caption against the others of its image), intra, inter, …, or a system's dataset.
-- column metric VARCHAR: The metric.
-- column value DOUBLE: The score.
-- column signature VARCHAR: All settings of the score: you can compare scores of equal signature, version and split.
-- column seed BIGINT: Seed of a substitute; null for other candidates.
-- column drawn_from VARCHAR: Where candidates come from, if not from the dataset itself.
-- example: select dataset, split, candidate, signature, avg(value) as mean from scores where metric = 'cider' group by all order by all
--
-- Scores of single captions that `auditor score` and `auditor bounds` computed. At most ten million are kept: the oldest are
-- deleted. Scores of your own metrics are not kept. Frequencies (idf) are those of the scored split: do not compare its
-- scores with those of the whole version.
select
    c.dataset, c.version, c.split, l.image, l.slot, c.candidate, c.metric, l.scores[c.place] as value, c.signature, c.seed, c.drawn_from
from cache.score_column as c
join cache.score_list as l using (key)
