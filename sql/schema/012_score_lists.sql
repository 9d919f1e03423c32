-- Scores of a caption are one list, not a row a metric, which took ten times as long to keep: 009_scores_cache.sql. Those
-- that were kept before go; they are there again when a dataset is scored again.

drop table if exists cache.score;
