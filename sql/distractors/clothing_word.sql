-- name: clothing_word
-- version: 1
-- grain: kind of word
-- returns: is_color, words
--
-- Nouns that name clothes where they are the last word of a phrase, in the singular where they have one; and what clothes are said to
-- be, as in "a man in red".
select is_color, words
from (
    values
        (false, [
            'shirt', 't-shirt', 'tshirt', 'tee-shirt', 'tee', 'undershirt', 'sweatshirt', 'sweater', 'cardigan', 'pullover',
            'hoodie', 'jumper', 'blouse', 'top', 'tank-top', 'tank', 'halter', 'turtleneck', 'polo', 'jersey', 'vest', 'waistcoat',
            'jacket', 'blazer', 'coat', 'overcoat', 'raincoat', 'parka', 'poncho', 'windbreaker', 'suit', 'tuxedo', 'tux',
            'pantsuit', 'dress', 'gown', 'sundress', 'skirt', 'miniskirt', 'kilt', 'robe', 'bathrobe', 'kimono', 'sari', 'tunic',
            'toga', 'cloak', 'cape', 'shawl', 'pants', 'trousers', 'jeans', 'khakis', 'slacks', 'shorts', 'leggings', 'tights',
            'sweatpants', 'sweatsuit', 'tracksuit', 'capris', 'overalls', 'coveralls', 'jumpsuit', 'bodysuit', 'leotard', 'tutu',
            'uniform', 'costume', 'outfit', 'clothes', 'clothing', 'attire', 'garb', 'apparel', 'wear', 'garment', 'getup',
            'ensemble', 'fatigues', 'scrubs', 'apron', 'smock', 'swimsuit', 'bikini', 'swimwear', 'trunks', 'speedo', 'wetsuit',
            'underwear', 'boxers', 'briefs', 'bra', 'lingerie', 'nightgown', 'pajamas', 'pyjamas', 'onesie', 'diaper', 'hat', 'cap',
            'beanie', 'beret', 'fedora', 'sombrero', 'turban', 'bonnet', 'hood', 'helmet', 'hardhat', 'headband', 'bandana',
            'bandanna', 'headscarf', 'headdress', 'scarf', 'veil', 'hijab', 'burka', 'burqa', 'tie', 'bowtie', 'necktie', 'glove',
            'mitten', 'mitt', 'belt', 'suspenders', 'sash', 'sock', 'stocking', 'shoe', 'sneaker', 'boot', 'sandal', 'heels',
            'flip-flop', 'slipper', 'cleats', 'loafer', 'glasses', 'eyeglasses', 'sunglasses', 'goggles', 'mask', 'wig', 'snowsuit',
            'formalwear', 'sportswear', 'activewear', 'streetwear', 'eveningwear', 'flannel', 'stripes', 'spandex', 'lycra'
        ]),
        (true, [
            'black', 'white', 'red', 'blue', 'green', 'yellow', 'orange', 'purple', 'pink', 'brown', 'gray', 'grey', 'tan', 'beige',
            'gold', 'silver', 'maroon', 'camouflage', 'camo', 'plaid', 'denim', 'leather'
        ])
) as listed (is_color, words)
