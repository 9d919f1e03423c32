-- name: person_word
-- version: 1
-- grain: list
-- returns: words
--
-- Nouns that name people, or a group of them, where they are the last word of a phrase, in the singular where they have one: what
-- tells phrases apart that a pipeline finds and nobody has marked.
select words
from (
    values
        ([
            'man', 'woman', 'boy', 'girl', 'child', 'children', 'grandchildren', 'schoolchildren', 'kid', 'baby', 'infant',
            'toddler', 'newborn', 'person', 'people', 'adult', 'human', 'individual', 'lady', 'gentleman', 'guy', 'dude', 'fellow',
            'male', 'female', 'youth', 'youngster', 'teen', 'teenager', 'adolescent', 'preteen', 'elder', 'senior', 'someone',
            'somebody', 'folk', 'peoples', 'lad', 'lass', 'gal', 'twin', 'triplet', 'kiddo', 'tot', 'mother', 'father', 'mom',
            'mommy', 'mum', 'dad', 'daddy', 'parent', 'son', 'daughter', 'brother', 'sister', 'sibling', 'grandmother',
            'grandfather', 'grandparent', 'grandma', 'grandpa', 'grandson', 'granddaughter', 'grandchild', 'uncle', 'aunt',
            'cousin', 'nephew', 'niece', 'wife', 'husband', 'spouse', 'bride', 'groom', 'bridegroom', 'bridesmaid', 'groomsman',
            'couple', 'family', 'relative', 'friend', 'buddy', 'pal', 'girlfriend', 'boyfriend', 'neighbor', 'neighbour',
            'stranger', 'companion', 'partner', 'lover', 'newlywed', 'fiance', 'group', 'crowd', 'team', 'band', 'audience',
            'class', 'crew', 'gang', 'troupe', 'choir', 'orchestra', 'squad', 'mob', 'throng', 'gathering', 'trio', 'quartet',
            'duo', 'worker', 'laborer', 'labourer', 'builder', 'carpenter', 'plumber', 'electrician', 'mechanic', 'welder',
            'painter', 'engineer', 'technician', 'repairman', 'workman', 'craftsman', 'handyman', 'roofer', 'bricklayer', 'mason',
            'blacksmith', 'carver', 'potter', 'weaver', 'tailor', 'seamstress', 'cobbler', 'butcher', 'baker', 'chef', 'cook',
            'waiter', 'waitress', 'server', 'bartender', 'barista', 'barber', 'hairdresser', 'hairstylist', 'stylist', 'beautician',
            'masseuse', 'cashier', 'clerk', 'salesman', 'saleswoman', 'salesperson', 'seller', 'vendor', 'merchant', 'shopkeeper',
            'storekeeper', 'peddler', 'customer', 'shopper', 'client', 'buyer', 'consumer', 'businessman', 'businesswoman',
            'businessperson', 'executive', 'manager', 'boss', 'owner', 'employee', 'employer', 'secretary', 'receptionist',
            'accountant', 'banker', 'lawyer', 'judge', 'politician', 'president', 'senator', 'mayor', 'minister', 'diplomat',
            'delegate', 'official', 'officer', 'police', 'policeman', 'policewoman', 'cop', 'sheriff', 'deputy', 'detective',
            'guard', 'bodyguard', 'lifeguard', 'soldier', 'sailor', 'marine', 'troop', 'warrior', 'knight', 'general', 'veteran',
            'captain', 'commander', 'cadet', 'recruit', 'firefighter', 'fireman', 'paramedic', 'doctor', 'nurse', 'surgeon',
            'dentist', 'physician', 'patient', 'therapist', 'veterinarian', 'scientist', 'researcher', 'professor', 'teacher',
            'instructor', 'tutor', 'coach', 'trainer', 'student', 'pupil', 'schoolboy', 'schoolgirl', 'schoolchild', 'classmate',
            'graduate', 'scholar', 'librarian', 'principal', 'lecturer', 'speaker', 'presenter', 'announcer', 'reporter',
            'journalist', 'photographer', 'cameraman', 'camerawoman', 'filmmaker', 'director', 'producer', 'actor', 'actress',
            'performer', 'entertainer', 'artist', 'sculptor', 'musician', 'singer', 'vocalist', 'guitarist', 'bassist', 'drummer',
            'pianist', 'violinist', 'cellist', 'saxophonist', 'trumpeter', 'flutist', 'flautist', 'accordionist', 'bagpiper',
            'fiddler', 'harpist', 'percussionist', 'conductor', 'composer', 'rapper', 'dj', 'dancer', 'ballerina', 'model', 'mime',
            'clown', 'juggler', 'magician', 'acrobat', 'contortionist', 'busker', 'comedian', 'celebrity', 'host', 'hostess',
            'emcee', 'idol', 'player', 'athlete', 'sportsman', 'runner', 'jogger', 'sprinter', 'racer', 'cyclist', 'bicyclist',
            'biker', 'motorcyclist', 'rider', 'horseman', 'horsewoman', 'equestrian', 'jockey', 'cowboy', 'cowgirl', 'bullfighter',
            'matador', 'swimmer', 'diver', 'snorkeler', 'surfer', 'windsurfer', 'kitesurfer', 'kiteboarder', 'bodyboarder',
            'wakeboarder', 'waterskier', 'kayaker', 'canoeist', 'canoer', 'rower', 'rafter', 'boater', 'paddler', 'skier',
            'snowboarder', 'sledder', 'skater', 'skateboarder', 'rollerblader', 'rollerskater', 'boxer', 'wrestler', 'fighter',
            'fencer', 'archer', 'golfer', 'gymnast', 'cheerleader', 'climber', 'mountaineer', 'hiker', 'backpacker', 'trekker',
            'camper', 'walker', 'wader', 'bather', 'sunbather', 'fisherman', 'fisher', 'angler', 'hunter', 'paraglider',
            'parachutist', 'skydiver', 'goalie', 'goalkeeper', 'goaltender', 'quarterback', 'linebacker', 'receiver', 'kicker',
            'catcher', 'pitcher', 'batter', 'hitter', 'baseman', 'outfielder', 'infielder', 'shortstop', 'bowler', 'cricketer',
            'footballer', 'lineman', 'defender', 'forward', 'striker', 'cornerback', 'basketballer', 'volleyballer', 'ballplayer',
            'hurdler', 'vaulter', 'jumper', 'weightlifter', 'bodybuilder', 'teammate', 'opponent', 'competitor', 'contestant',
            'participant', 'winner', 'champion', 'finalist', 'referee', 'umpire', 'linesman', 'spectator', 'onlooker', 'bystander',
            'observer', 'viewer', 'watcher', 'listener', 'fan', 'supporter', 'protester', 'protestor', 'demonstrator', 'marcher',
            'activist', 'picketer', 'pedestrian', 'passenger', 'commuter', 'traveler', 'traveller', 'tourist', 'visitor',
            'sightseer', 'passerby', 'passersby', 'motorist', 'driver', 'pilot', 'astronaut', 'stewardess', 'chauffeur', 'guest',
            'patron', 'diner', 'drinker', 'eater', 'partygoer', 'concertgoer', 'reveler', 'attendee', 'member', 'volunteer',
            'farmer', 'rancher', 'gardener', 'herder', 'shepherd', 'goatherd', 'harvester', 'picker', 'villager', 'native',
            'tribesman', 'tribeswoman', 'nomad', 'resident', 'citizen', 'inhabitant', 'immigrant', 'refugee', 'pilgrim',
            'worshipper', 'priest', 'monk', 'nun', 'pastor', 'preacher', 'bishop', 'rabbi', 'imam', 'pope', 'beggar', 'hobo',
            'homeless', 'vagrant', 'smoker', 'sleeper', 'reader', 'writer', 'author', 'poet', 'caller', 'leader', 'follower',
            'assistant', 'helper', 'attendant', 'caretaker', 'babysitter', 'nanny', 'maid', 'janitor', 'cleaner', 'housekeeper',
            'sweeper', 'mailman', 'postman', 'deliveryman', 'doorman', 'bellboy', 'usher', 'hippie', 'punk', 'goth', 'hipster',
            'nerd', 'redhead', 'brunette', 'blonde', 'blond', 'king', 'queen', 'prince', 'princess', 'pirate', 'santa', 'superhero',
            'wizard', 'witch', 'zombie', 'scout', 'boyscout', 'american', 'african', 'asian', 'caucasian', 'indian', 'chinese',
            'hispanic', 'latino', 'amish', 'caucasians', 'foreigner', 'schoolkid', 'preschooler', 'kindergartner', 'personnel',
            'staff', 'civilian', 'medic', 'miner', 'logger', 'lumberjack', 'snowmobiler', 'longboarder', 'bmxer', 'mourner',
            'celebrant', 'paraders', 'trickster', 'stuntman', 'strongman', 'swordsman', 'gunman', 'spokesman', 'spokeswoman',
            'chairman', 'craftswoman', 'sportswoman', 'policeofficer', 'choirboy', 'farmhand', 'horserider', 'colleague',
            'farmworker', 'florist', 'woodcarver', 'geisha', 'maker', 'grandkid', 'widow', 'ref', 'victim', 'tribe',
            'choreographer', 'goer', 'carnivalgoer', 'beachgoer', 'churchgoer', 'theatergoer', 'moviegoer', 'swinger', 'sitter',
            'bystanders', 'brunet'
        ])
) as listed (words)
