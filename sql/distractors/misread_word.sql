-- name: misread_word
-- version: 1
-- grain: reason
-- returns: type, reason, alone, is_mention, words
-- cites: Hodosh & Hockenmaier 2016, section 3.1: scene mentions have a head noun that refers to a location
--
-- Last words of phrases that a dictionary of types takes for people or scenes, and that name neither in most captions. Times,
-- adverbs and words for any place do say what the scene is (`is_mention`), but cannot stand for another, nor another for them.
-- Those that are `alone` count where they are the whole phrase: verbs, which have no article.
select type, reason, starts_with(reason, 'a verb') as alone, is_mention, words
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
        ('scene', true, 'may be said of any place', [
            'area', 'areas', 'setting', 'surroundings', 'environment', 'location', 'site', 'landscape', 'scenery', 'state', 'space', 'zone'
        ]),
        ('scene', false, 'part of a saying, or of a place that is named after it', [
            'place', 'places', 'progress', 'front', 'right', 'left', 'way', 'position', 'positions', 'public', 'focus', 'open', 'medium',
            'break', 'pass', 'passes', 'round', 'angle', 'point', 'view', 'tips', 'middle', 'center', 'edge', 'end', 'rest', 'forefront',
            'rear',
            'back', 'top', 'bottom', 'side', 'sides', 'distance', 'perspective', 'motion', 'spot', 'spots', 'climb', 'descent', 'recess',
            'destination', 'formation', 'states', 'opening', 'landing', 'tee', 'air', 'vault', 'flight', 'scene', 'rises', 'rise'
        ]),
        ('scene', false, 'a thing, or what it casts', [
            'laundry', 'crown', 'crowns', 'chaps', 'target', 'silhouette', 'shadow', 'shadows', 'hole', 'holes', 'sheet', 'sheets',
            'sack', 'sacks', 'binder', 'board', 'post', 'posts', 'crane', 'patch', 'blocks', 'bars', 'jet', 'tub', 'backdrop',
            'seat', 'seats'
        ]),
        ('scene', false, 'a verb without an article', [
            'slide', 'slides', 'land', 'lands', 'park', 'parks', 'stand', 'stands', 'train', 'trains', 'wave', 'waves',
            'track', 'dock', 'docks', 'field', 'fields', 'shop', 'shops', 'swing', 'swings', 'shower', 'farm', 'bar', 'crossing', 'range'
        ]),
        ('people', false, 'a verb without an article', [
            'cook', 'cooks', 'guard', 'guards', 'model', 'models', 'judge', 'judges', 'coach', 'coaches', 'crowd', 'crowds', 'fans', 'host'
        ]),
        ('people', false, 'a thing, an animal or a place by the same name', [
            'columns', 'strings', 'speakers', 'speaker', 'checkers', 'fliers', 'flyers', 'borders', 'jumpers', 'jumper', 'bush', 'london',
            'arm', 'counter', 'counters', 'heads', 'stroller', 'strollers', 'roller', 'coaster', 'coasters', 'roller-coaster',
            'rollercoaster', 'diner', 'diners', 'blinds', 'jam', 'flock', 'conference', 'section',
            'department'
        ]),
        ('people', false, 'what people do', ['parade', 'race', 'game', 'march', 'procession', 'marathon']),
        ('people', false, 'points back at people who were named', [
            'all', 'one', 'another', 'other', 'others', 'them', 'they', 'he', 'she', 'him', 'her', 'it', 'each', 'who', 'both', 'some',
            'himself', 'herself', 'themselves', 'two', 'three', 'four', 'five', 'many', 'several', 'everyone', 'everybody', 'ones',
            'his', 'their', 'theirs', 'hers', 'whom', 'anyone', 'nobody', 'most', 'few', 'i', 'we', 'you', 'us', 'me'
        ])
) as listed (type, is_mention, reason, words)
