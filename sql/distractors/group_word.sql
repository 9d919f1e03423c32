-- name: group_word
-- version: 1
-- grain: number
-- returns: number, words
-- cites: Hodosh & Hockenmaier 2016, section 3.1: "NP1-of-NP2" with a collective noun as the head of the first NP
--
-- Nouns that make one mention with the people that they are "of". A `group` is one thing of many people, and takes a verb
-- in singular or plural; `plural` and `singular` words leave the verb to their number, as in "a lot of men", "one of the
-- men". Other nouns before "of" are no people: "a picture of a man", "the hand of a man".
select number, words
from (
    values
        ('group', [
            'group', 'crowd', 'team', 'band', 'gathering', 'line', 'row', 'audience', 'family', 'class', 'troupe', 'gang', 'circle',
            'trio', 'quartet', 'crew', 'squad', 'parade', 'choir', 'orchestra', 'army', 'party', 'procession', 'cluster', 'pack',
            'huddle', 'mob', 'assembly', 'unit', 'throng', 'swarm', 'mass', 'set', 'mix', 'mixture', 'variety', 'array', 'stream',
            'congregation', 'duo', 'pair', 'couple', 'club', 'league', 'platoon', 'chorus', 'generation', 'bunch', 'wave'
        ]),
        ('plural', [
            'lot', 'lots', 'number', 'members', 'groups', 'crowds', 'teams', 'bands', 'couples', 'pairs', 'rows', 'lines',
            'hundreds', 'thousands', 'dozens', 'tons', 'plenty', 'amount', 'handful', 'dozen', 'two', 'three', 'four', 'five',
            'some', 'many', 'several', 'most', 'all', 'few', 'both', 'families', 'classes', 'majority', 'rest', 'generations'
        ]),
        ('singular', ['one', 'member', 'each', 'leader'])
) as listed (number, words)
