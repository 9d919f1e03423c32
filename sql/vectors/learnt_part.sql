-- name: learnt_part
-- version: 1
-- grain: row of a part of a model
-- reads: text_model
-- returns: model, part, place, numbers
-- order: model, part, place
--
-- The parts of the selected models.
select model, part, place, numbers
from text_model
order by model, part, place
