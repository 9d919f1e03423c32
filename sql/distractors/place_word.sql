-- name: place_word
-- version: 1
-- grain: kind of word
-- returns: after_preposition, words
--
-- Nouns that name a place, or what is all around, where they are the last word of a phrase, in the singular where they have one.
-- Some name one only after a preposition: people are on a boat, but row a boat.
select after_preposition, words
from (
    values
        (false, [
            'beach', 'shore', 'shoreline', 'seashore', 'seaside', 'coast', 'coastline', 'bay', 'harbor', 'harbour', 'port',
            'marina', 'dock', 'pier', 'wharf', 'jetty', 'boardwalk', 'waterfront', 'ocean', 'sea', 'lake', 'pond', 'river',
            'stream', 'creek', 'brook', 'canal', 'waterway', 'waterfall', 'water', 'lagoon', 'swamp', 'marsh', 'wetland', 'puddle',
            'fountain', 'pool', 'poolside', 'aquarium', 'waters', 'island', 'mountain', 'mountainside', 'mountaintop', 'hill',
            'hillside', 'hilltop', 'cliff', 'cliffside', 'valley', 'canyon', 'gorge', 'ravine', 'ridge', 'peak', 'summit', 'slope',
            'bluff', 'glacier', 'volcano', 'cave', 'desert', 'dune', 'prairie', 'plateau', 'wilderness', 'countryside', 'jungle',
            'forest', 'woods', 'woodland', 'rainforest', 'savanna', 'orchard', 'vineyard', 'meadow', 'pasture', 'field', 'farmland',
            'farm', 'ranch', 'barn', 'stable', 'corral', 'paddy', 'garden', 'greenhouse', 'yard', 'backyard', 'frontyard',
            'courtyard', 'lawn', 'grass', 'grassland', 'bushes', 'snow', 'snowbank', 'ice', 'dirt', 'terrain', 'park', 'playground',
            'sandbox', 'zoo', 'campground', 'campsite', 'camp', 'fairground', 'circus', 'festival', 'street', 'road', 'roadside',
            'roadway', 'highway', 'freeway', 'expressway', 'motorway', 'avenue', 'boulevard', 'lane', 'alley', 'alleyway',
            'driveway', 'path', 'pathway', 'trail', 'footpath', 'sidewalk', 'pavement', 'curb', 'crosswalk', 'crossing',
            'intersection', 'corner', 'roundabout', 'bridge', 'overpass', 'underpass', 'tunnel', 'walkway', 'lot', 'plaza',
            'square', 'crossroad', 'crossroads', 'track', 'racetrack', 'raceway', 'runway', 'railway', 'tracks', 'railroad', 'city',
            'town', 'village', 'downtown', 'neighborhood', 'neighbourhood', 'suburb', 'slum', 'district', 'metropolis', 'country',
            'skyline', 'cityscape', 'building', 'skyscraper', 'house', 'home', 'apartment', 'cottage', 'cabin', 'hut', 'shack',
            'shed', 'mansion', 'castle', 'palace', 'fort', 'fortress', 'tower', 'lighthouse', 'church', 'cathedral', 'chapel',
            'temple', 'mosque', 'synagogue', 'monastery', 'shrine', 'cemetery', 'graveyard', 'altar', 'schoolyard', 'classroom',
            'campus', 'library', 'museum', 'gallery', 'auditorium', 'theater', 'theatre', 'cinema', 'hall', 'hospital', 'clinic',
            'office', 'laboratory', 'lab', 'workshop', 'factory', 'warehouse', 'garage', 'studio', 'cubicle', 'quarry', 'room',
            'bedroom', 'bathroom', 'restroom', 'kitchen', 'kitchenette', 'lounge', 'attic', 'basement', 'cellar', 'closet',
            'hallway', 'corridor', 'lobby', 'foyer', 'entryway', 'entrance', 'doorway', 'stairwell', 'staircase', 'stairway',
            'stairs', 'escalator', 'elevator', 'porch', 'patio', 'balcony', 'deck', 'terrace', 'veranda', 'rooftop', 'roof',
            'gazebo', 'pavilion', 'tent', 'ballroom', 'nursery', 'playroom', 'cafeteria', 'store', 'shop', 'supermarket', 'market',
            'marketplace', 'mall', 'bookstore', 'bakery', 'boutique', 'salon', 'barbershop', 'laundromat', 'pharmacy', 'restaurant',
            'cafe', 'café', 'diner', 'pub', 'bar', 'bistro', 'nightclub', 'tavern', 'pizzeria', 'coffeehouse', 'brewery', 'hotel',
            'motel', 'casino', 'arcade', 'spa', 'sauna', 'gym', 'gymnasium', 'rink', 'arena', 'stadium', 'coliseum', 'ballpark',
            'ballfield', 'court', 'bleachers', 'dugout', 'stage', 'podium', 'catwalk', 'platform', 'station', 'subway', 'airport',
            'terminal', 'depot', 'hangar', 'booth', 'stall', 'kiosk', 'ramp', 'half-pipe', 'halfpipe', 'skatepark', 'bank', 'floor',
            'area', 'scaffolding', 'trench', 'ditch', 'ruins', 'rubble', 'gate', 'archway', 'arch', 'sky', 'newsstand', 'windmill',
            'shelter', 'setting', 'site', 'landscape', 'scenery', 'surroundings', 'location', 'space', 'zone', 'venue',
            'compartment', 'shrubbery', 'racecourse', 'rapids', 'boathouse', 'clubhouse', 'farmhouse', 'treehouse', 'townhouse',
            'firehouse', 'courthouse', 'schoolhouse', 'schoolroom', 'showroom', 'boardroom', 'courtroom', 'storefront', 'storeroom',
            'clearing', 'lakeside', 'riverside', 'riverbank', 'sandbar', 'reef', 'infield', 'outfield', 'sideline'
        ]),
        (true, [
            'boat', 'raft', 'train', 'bus', 'ferry', 'school', 'university', 'college', 'course', 'wave', 'surf', 'club'
        ])
) as listed (after_preposition, words)
