-- name: symmetric_link
-- version: 1
-- grain: pattern
-- returns: reason, pattern
-- cites: Hodosh & Hockenmaier 2016, section 3.1: captions whose role reversal is equivalent to the original are filtered out
--
-- What stands between two mentions of people where one cannot be put for the other: patterns of the words between them, in
-- lower case, each with the reason. The paper prunes by hand.
select reason, pattern
from (
    values
        ('nothing but a comma: a list, or a second name', '(^|[\p{P}])$'),
        ('joined: both do it', '(^|\s)(and|or|but|nor|as well as|along with|together with|and also|plus)$'),
        ('joined: both do it', '^(and|or)\s'),
        ('side by side', '\b(next to|beside|besides|near|nearby|alongside|along side|close to|opposite|across from|amid|adjacent to)$'),
        ('side by side', '\b(stand|sit|walk|lie|lay|lean|kneel|squat|pose|wait|relax|run)\w* (right )?by$'),
        ('in company', '\bwith$'),
        ('against each other', '\b(against|versus|vs|vs\.|battles|faces|facing|fights|fighting|fight|boxes|boxing|wrestles|wrestling)$'),
        ('talk goes both ways', '\b(talk|speak|chat|convers|argu|gossip|debat)\w*( \w+)? (to|with)$'),
        ('embraces go both ways', '^(is |are )?(\w+ly )?(kiss|hug|embrac|cuddl|snuggl|marry|marri|meet)\w*$'),
        ('facing each other', '\bface to face\b|\bback to back\b|\bhand in hand\b|\beach other\b|\bone another\b|\btogether\b'),
        ('one and the same', '^(is|are|was|were|,? ?(who|that) (is|are))$|\b(dress|act|pos|work|same|such|well|serv)\w* as$'),
        ('likeness', '\b(like|than|resembling|including|named|called|plus)$'),
        ('part of it, or of its name', '\b(in|of|from|on|among|amongst|within|amidst|inside|''s|that says?|reads?|reading|" \w*)$'),
        ('belongs to the other', '^''s?\b')
) as listed (reason, pattern)
