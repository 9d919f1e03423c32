"""The kinds of findings that name captions and images: what a curator would mend in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class CaptionKind(NamedTuple):
    """One kind that lists captions. `said` is what they are, for the sentence.

    `warning` and `error` are the shares `of` the captions, or images, from which on a finding is one; below, it is a
    notice. `commands` find it.
    """

    said: str
    meaning: str
    measured: str
    consequence: str
    advice: str
    warning: float | None
    error: float | None = None
    of: str = "captions"
    commands: tuple[str, ...] = ("findings",)


CAPTION_KINDS: Mapping[str, CaptionKind] = {
    "personal-data": CaptionKind(
        "captions with an e-mail address or a phone number",
        "Captions hold an e-mail address or a phone number.",
        "By patterns (`sql/facts/signs.toml`): an address with @, seven digits or more in the groupings of "
        "phone numbers.",
        "A model may learn to say them, and the law may forbid to pass them on.",
        "Take them out before the dataset is shared.",
        0.0,
    ),
    "web-address": CaptionKind(
        "captions with the address of a page",
        "Captions hold the address of a page: read off a sign in the picture, or left over from the page they were "
        "taken from.",
        "By a pattern (`sql/facts/signs.toml`).",
        "Where it is no text in the picture, the caption was copied from a page, and no picture shows it.",
        "Read them; keep those that a picture shows.",
        0.01,
        0.2,
    ),
    "file-names": CaptionKind(
        "captions with the name of a file",
        "Captions hold the name of a file, such as IMG_1234.jpg.",
        "By its ending, or as cameras number pictures (`sql/facts/signs.toml`).",
        "It says nothing of the picture, and a model learns to say it.",
        "Write a caption, or leave it out.",
        0.0005,
        0.05,
    ),
    "placeholders": CaptionKind(
        "captions with a placeholder in the place of words",
        "Captions stand where one should be written: N/A, test, XXXX, `<unk>`, “image not available”.",
        "By a list of patterns (`sql/facts/signs.toml`).",
        "Each is a reference that no good caption can match, and a sentence that a model learns.",
        "Leave them out, or ask for captions. `<unk>` says that somebody else's preprocessing was published: look for "
        "the captions as they were written.",
        0.0005,
        0.05,
    ),
    "markup": CaptionKind(
        "captions with mark-up",
        "Captions hold tags or entities of HTML, links of Markdown, or escapes such as `\\n`.",
        "By a pattern (`sql/facts/signs.toml`).",
        "Tokenizers make words of it, and models learn to write it.",
        "Decode entities and take tags out, then ingest again.",
        0.0005,
        0.2,
    ),
    "broken-characters": CaptionKind(
        "captions with characters that were decoded wrongly or cannot be seen",
        "Captions were decoded wrongly (“Ã©” for “é”, �) or hold characters that nobody can see.",
        "By the characters (`sql/facts/signs.toml`).",
        "Metrics and vocabularies take a word with them for another word.",
        "Read the file in its own encoding, and ingest again.",
        0.0005,
        0.2,
    ),
    "other-script": CaptionKind(
        "captions in letters that few captions are written in",
        "A few captions are written in another script than the others.",
        "Letters are counted by script; told are captions of a script that at most 2 % of the captions are written in "
        "(`sql/findings/other_script.sql`).",
        "They share no word with the other captions of their image, and score 0 against them.",
        "Translate them or leave them out; where a dataset has two languages, ingest each as its own.",
        0.0005,
    ),
    "other-language": CaptionKind(
        "captions in another language than the others",
        "A few captions are in another language than most.",
        "By py3langid (pip install 'auditor[language]'), for captions of three words and more: told where it gives .7 "
        "or more to a language that at most 10 % of the captions are in. Of 40,000 captions of Flickr8k and COCO, all "
        "English, it names none so.",
        "They share hardly a word with the other captions of their image, and score near 0 against them.",
        "Translate them or leave them out; where a dataset has two languages, ingest each as its own.",
        0.001,
    ),
    "truncated-captions": CaptionKind(
        "captions that seem to break off",
        "Captions end where captions go on: “a man in front of the”.",
        "By how often the last two words of a caption without a full stop end others, against how often captions seem "
        "to be cut, which is estimated; by a last word that is only the beginning of a usual one; by a length that "
        "many have and none exceeds (`sql/findings/truncated.sql`). Of captions cut at random six in ten are told "
        "(`benchmarks/planted.md`); of untouched ones 3 to 9 in 10,000, six in ten of these wrongly (“…pulls in”): "
        "below the threshold of a warning this says little.",
        "Models learn to stop there; where software cut long captions, more are cut than can be seen.",
        "Look for a limit of characters or words where the captions were written or exported.",
        0.002,
        0.05,
    ),
    "first-person-captions": CaptionKind(
        "captions that begin with I, we or you and tell nothing to be seen",
        "Captions begin with I, we, you, my, our or let me, and do not go on to what there is to see.",
        "By the first words (`sql/facts/signs.toml`); “we see a dog” describes it and does not count.",
        "They say what somebody thinks or would like, which no picture shows.",
        "Read them; leave out what describes nothing.",
        0.005,
        0.05,
    ),
    "repeated-words": CaptionKind(
        "captions that say the same again and again",
        "Captions say a phrase again and again, or the whole caption twice.",
        "By runs of equal words (`sql/findings/repeated_words.sql`): two to six words three times in a row, one word "
        "four times, four to six words twice, or a second half like the first.",
        "Loops are what language models write and people do not: the captions may be a system's.",
        "Read them: were captions joined, or written by a system?",
        0.0005,
        0.02,
    ),
    "misspellings": CaptionKind(
        "captions with a word that seems misspelt",
        "Captions hold a rare word that is one letter away from a frequent one.",
        "Words in at most two captions, one edit away from a word of twenty times as many that fits between their "
        "neighbours, or is of five letters and more; unknown to the other datasets of the store "
        "(`sql/findings/misspelled.sql`). Of slips planted at random seven in ten are told; of what is told, about one "
        "in four is a word of its own (“prayer” for “player”), four in ten where the store has no other dataset.",
        "Each is a word that no metric matches, and a vocabulary is larger than it seems.",
        "Correct them where spelling matters; a few in a hundred captions are usual for captions of the crowd.",
        0.05,
    ),
    "listed-words": CaptionKind(
        "captions with a word of the list",
        "Captions hold a word of the list that was given with `--words`, as lists of profanity are.",
        "By words of the tokenizer (`sql/findings/listed_word.sql`).",
        "A model may learn to say them.",
        "Read them in their context, and leave out what should not be said.",
        0.0,
    ),
    "padded-images": CaptionKind(
        "captions that repeat another of their image",
        "Images have fewer different captions than captions: some were repeated, to make up the number.",
        "Captions with the tokens of an earlier caption of their image (`sql/facts/repeat.sql`), as a share of all "
        "captions. Tokens are those of `bare`, or `char` for scripts without blanks, whatever `--tokenizer` asks. "
        "Short captions of plain images meet by chance: of 50 an image, 2 or 3 %.",
        "A caption that is held out and scored finds its own words among the references: the more captions repeat, the "
        "more all human scores and agreement within images are too high.",
        "Let `auditor bounds --distinct` take each text of an image once, and say how many captions differ.",
        0.05,
        0.3,
    ),
    "templated-slots": CaptionKind(
        "captions of one slot with words in a row that other slots hardly have",
        "Captions of one slot, the first, second, … of each image, share a phrase that the other slots hardly have.",
        "Four words in a row, four in five times or more in one slot, and more often than chance brings "
        "(`sql/findings/templated_slot.sql`). Of Flickr8k's captions 0.2 % are told (“there is a "
        "man”, in the last slot), of COCO's none.",
        "One annotator, or a program, filled in a form: the slot says less of its images than the others, and is no "
        "reference like them.",
        "Read them; where a program wrote them, leave the slot out.",
        0.003,
    ),
    "uneven-captions": CaptionKind(
        "images with another number of captions than most of their split",
        "Images of one split differ in how many captions they have.",
        "Images whose number of captions is not the most frequent one of their split (`sql/facts/image_captions.sql`).",
        "Scores that take the best reference (BLEU, METEOR) are higher where there are more.",
        "Draw equally many: `--references K`.",
        0.1,
        of="images",
    ),
    "copied-images": CaptionKind(
        "images whose captions are those of another image",
        "Two images share captions that nobody else has: one picture under two ids, or captions given to the wrong "
        "image.",
        "Pairs of images that share two or more texts of four words and more, and half of the captions of either; "
        "texts on more than 20 images do not count (`sql/findings/copied_image.sql`). An error where the two are in "
        "different splits. Flickr8k, Flickr30k and half of COCO have none.",
        "The same picture is described twice: across splits, a system has seen what it is tested on.",
        "Keep one of the two, and in one split.",
        0.0,
        of="images",
    ),
    "exchanged-images": CaptionKind(
        "images whose captions a related dataset has for another image",
        "Sets of captions changed places: a related dataset of the same images has them for other ones.",
        "For every related dataset that has half of the shared images with a text in common: images without one, two "
        "texts or more of which are those of another image there (`sql/findings/exchanged_image.sql`).",
        "All captions of these images describe another picture.",
        "Look at the pictures, or at how the ids were joined; one of the two datasets is wrong.",
        0.0,
        0.01,
        of="images",
    ),
    "captions-without-word": CaptionKind(
        "captions without a word",
        "Captions have no word: empty, or nothing but punctuation.",
        "The tokenizer gives no token.",
        "They are scored 0 by every metric, or left out.",
        "Leave them out of the source, and ingest again.",
        0.001,
        0.05,
        commands=("findings", "duplicates", "diversity", "missed", "perplexity"),
    ),
}
