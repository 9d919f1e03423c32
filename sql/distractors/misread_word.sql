-- name: misread_word
-- version: 1
-- grain: word of a type
-- returns: type, word, is_mention, reason
-- cites: Hodosh & Hockenmaier 2016, section 3.1: scene mentions have a head noun that refers to a location
--
-- Last words of phrases that a dictionary of types takes for people or scenes, and that name neither in most captions. Times
-- and adverbs do say what the scene is (`is_mention`), but no place can stand for them, nor they for a place.
select type, unnest(words) as word, is_mention, reason
from (
    values
        ('scene', true, 'a time', [
            'day', 'days', 'night', 'evening', 'morning', 'afternoon', 'dusk', 'dawn', 'sunset', 'sunrise', 'summer', 'winter',
            'spring', 'fall', 'autumn', 'season', 'weather', 'noon', 'midnight', 'christmas', 'halloween', 'dark'
        ]),
        ('scene', true, 'an adverb, which no noun can replace', [
            'outside', 'outdoors', 'outdoor', 'inside', 'indoors', 'indoor', 'downtown', 'underwater', 'home', 'downhill', 'uphill',
            'upstairs', 'downstairs', 'overhead', 'midair', 'mid-air', 'ashore', 'nearby', 'onstage', 'backstage', 'downstream'
        ]),
        ('scene', false, 'part of a saying, or of a place that is named after it', [
            'place', 'places', 'progress', 'front', 'right', 'left', 'way', 'position', 'public', 'focus', 'open', 'medium', 'break',
            'pass', 'passes', 'round', 'angle', 'point', 'view', 'tips', 'middle', 'center', 'edge', 'end', 'rest', 'forefront', 'rear',
            'back', 'top', 'bottom', 'side', 'sides', 'distance', 'perspective', 'motion', 'spot', 'spots', 'climb', 'descent', 'recess',
            'destination', 'formation', 'states', 'opening', 'landing', 'tee', 'air', 'vault', 'flight', 'scene'
        ]),
        ('scene', false, 'a thing, or what it casts', [
            'laundry', 'crown', 'crowns', 'chaps', 'target', 'silhouette', 'shadow', 'shadows', 'hole', 'holes', 'sheet', 'sheets',
            'sack', 'sacks', 'binder', 'board', 'post', 'posts', 'crane', 'patch', 'blocks', 'bars', 'jet', 'tub', 'backdrop'
        ]),
        ('people', false, 'a thing, an animal or a place by the same name', [
            'columns', 'strings', 'speakers', 'speaker', 'checkers', 'fliers', 'flyers', 'borders', 'jumpers', 'jumper', 'bush', 'london',
            'arm', 'counter', 'counters', 'heads', 'stroller', 'strollers', 'roller', 'diner', 'diners', 'blinds',
            'coaster', 'coasters', 'roller-coaster', 'rollercoaster', 'jam', 'flock'
        ]),
        ('people', false, 'what people do', ['parade', 'race', 'game', 'march', 'procession', 'marathon']),
        ('people', false, 'points back at people who were named', [
            'all', 'one', 'another', 'other', 'others', 'them', 'they', 'he', 'she', 'him', 'her', 'it', 'each', 'who', 'both', 'some',
            'himself', 'herself', 'themselves', 'two', 'three', 'four', 'five', 'many', 'several', 'everyone', 'everybody', 'ones',
            'his', 'their', 'theirs', 'hers', 'whom', 'anyone', 'nobody', 'most', 'few', 'i', 'we', 'you', 'us', 'me'
        ])
) as listed (type, is_mention, reason, words)
