"""Kinds of findings on files, versions, gates and papers."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.findings.kind import Kind

KINDS: Mapping[str, Kind] = {
    "one-caption-images": Kind(
        "Images have one caption only: it has no reference, gets no score, and is left out. Where no image has two, "
        "`bounds` scores substitutes against the one caption.",
        "Counted. `n` is the images.",
        "Say in a paper how many images were left out. If all should have several captions, look for a file that was "
        "not read, or images whose names differ between files.",
        "set: 7 images have one caption only, which has no reference and gets no score",
        (
            *("ingest", "bounds", "compare", "correlate", "outliers", "probe", "rank", "references", "diversity"),
            "reproduce",
        ),
        {"images": "images with one caption"},
    ),
    "captions-without-blanks": Kind(
        "Captions are written without blanks between words, and so are counted in characters where no tokenizer is "
        "named.",
        "The language that is declared, or the scripts of more than half of the captions.",
        "Nothing, or name a tokenizer that splits the language into words.",
        "set has 4 of 4 captions in scripts without blanks between words: studies count by tokenizer char, of "
        "characters, where --tokenizer names no other",
        ("ingest",),
        {},
    ),
    "file-cut-off": Kind(
        "The last line of a text file has no end, as where copying was interrupted.",
        "The last byte of each file.",
        "Compare the file's size with its source's; fetch it again if they differ.",
        "set: the last line has no line end, as where a file is cut off in copying: captions.txt:5000",
        ("ingest",),
        {"files": "files that end so"},
    ),
    "images-without-vector": Kind(
        "Images of a dataset of captions have no vector among those that were read.",
        "Ids are compared when vectors are read. `n` is the images of the dataset. A warning where none has one.",
        "Where all lack one, the ids differ in form: basename, image_suffix and coco_ids bring them together. Where "
        "some do, scores by vectors are of the others alone.",
        "set: 2 images have no vector in clip (a, b), 8 have one",
        ("ingest",),
        {"images": "images without a vector", "vectors_of_no_image": "vectors of images that the dataset has not"},
    ),
    "counts-not-declared": Kind(
        "A dataset has more or fewer images or captions than its declaration says.",
        "Counted after the ingest.",
        "Is a file missing, or is it another release? Correct the file or the declaration.",
        "set: 4,990 captions, 10 fewer than the 5,000 declared",
        ("ingest", "verify"),
        {"images": "images found", "captions": "captions found", "declared": "what was declared"},
    ),
    "ratings-not-read": Kind(
        "A file of captions has columns of ratings, which a dataset of plain captions does not hold.",
        "Names of columns: score, rating, judgement, also in the plural, numbered or with `human` before.",
        "If annotators rated the captions, read the file with --format judgements; else nothing.",
        "set: captions are stored without the ratings in column rating: if annotators rated them, read the file with "
        "--format judgements",
        ("ingest",),
        {"columns": "columns of ratings"},
    ),
    "records-left-out": Kind(
        "Records were left out as the source's options ask: another language, no votes.",
        "Counted while reading.",
        "Nothing, if the number is what you expect.",
        "set: 2 records left out: of another language, or of none",
        ("ingest",),
        {"records": "records left out"},
    ),
    "split-lists-do-not-match": Kind(
        "The lists of splits name images without captions, or captions have images that no list names.",
        "Names of both are put side by side.",
        "Compare how images are named (`split_suffix`, `basename`): one unlike ending leaves all splits empty.",
        "set: 12 images are in no split list",
        ("ingest",),
        {"without_caption": "listed images without a caption", "unlisted": "images that no list names"},
    ),
    "unchanged": Kind(
        "Two versions, or two datasets, do not differ in what was compared: captions, words, or lengths.",
        "What `--depth` names is compared whole, nothing is drawn.",
        "Nothing. Another depth may tell them apart: equal words in another order are equal words.",
        "set@v1 and set@v2 hold the same captions",
        ("diff",),
        {},
    ),
    "changed-words": Kind(
        "How many words came, went, or are said more or less often, from one version or dataset to another.",
        "Words whose count of occurrences changed, by how it did. `n` is these words.",
        "Read those that moved most; a few new words in a large dataset are chance.",
        "words: 12 new, 3 gone, 40 more, 38 less",
        ("diff",),
        {
            "new": "words that only the second has",
            "gone": "words that only the first has",
            "more": "words that are more frequent",
            "less": "words that are less frequent",
        },
    ),
    "images-without-question": Kind(
        "Of some images no question can be asked of people: they lack candidates, or captions to compare them with.",
        "Counted. `n` is the images.",
        "Name candidates that describe these images, ask for fewer `--references`, or say that they were left out.",
        "3 images have no two candidates: 17, 18, 19",
        ("tasks",),
        {"images": "images without a question"},
    ),
    "fewer-questions-than-asked": Kind(
        "Fewer images have questions than `--images` asked for.",
        "Counted. `n` is the images of the dataset.",
        "Ask for fewer, or name more of the dataset.",
        "--images 100: only 80 images have questions",
        ("tasks",),
        {"images": "images with questions", "images_asked": "images that were asked for"},
    ),
    "pairs-left-out": Kind(
        "Pairs of captions leave judges nothing to choose: both are equal, or one is empty.",
        "Texts are compared without the blanks around them. `n` is the pairs.",
        "Many equal pairs say that the candidates are alike: report how many there are beside the votes.",
        "12 pairs of equal captions left out: nothing to choose",
        ("tasks",),
        {"empty": "pairs with an empty caption", "equal": "pairs of equal captions"},
    ),
    "gates": Kind(
        "How many demands of datasets.toml hold, how many do not, and how many cannot be answered.",
        "Each gate measures its number anew and compares it with its limit. `n` is the gates; it is an error where one "
        "fails, and the exit code is 1.",
        "Read the reason beside each failed gate. `--strict` counts what cannot be answered as failed.",
        "12 passed, 1 failed, 0 not answerable",
        ("check",),
        {"passed": "gates that hold", "failed": "gates that do not", "not answerable": "gates without a number"},
    ),
    "old-schema": Kind(
        "The store was made by an older release, and lacks tables or columns of this one.",
        "The store's own number of its schema.",
        "`auditor store migrate` brings it up to date and keeps the old file.",
        "of schema 8: `auditor store migrate` brings it to 9",
        ("store",),
        {"schema": "of the store", "newest": "of this release"},
    ),
    "damaged-store": Kind(
        "The file of the store is not what was written: facts cannot be read, or what was counted of them cannot.",
        "Every table is read whole.",
        "Restore a backup, or ingest again into a new store. A cache may be dropped: `auditor store gc --all`.",
        "only the cache is damaged, which may be dropped without loss: `auditor store gc --all`",
        ("verify",),
        {},
    ),
    "tokens-not-compared": Kind(
        "Stored tokens could not be compared with their texts, since their tokenizer is not installed.",
        "Asked of the installation.",
        "Install what the sentence names, and verify again.",
        "tokens of text profile spacy were not compared with their texts: it needs the extra spacy",
        ("verify",),
        {},
    ),
    "tokens-of-another-version": Kind(
        "Stored tokens are others than the installed version of their tokenizer gives now.",
        "Every stored text is tokenised again. `n` is the texts.",
        "Numbers from these tokens hold for the version that made them; ingest into a new store for those of today.",
        "tokens of text profile spacy were made by another version of spaCy",
        ("verify",),
        {"texts": "texts with other tokens"},
    ),
    "published-figures": Kind(
        "Whether the figures of a paper are reached.",
        "Each figure is measured again and compared with the print, within a declared band. `n` is the checks; it is "
        "an error where one is outside.",
        "Read the table: each figure outside its band has its reason beside it, where one is known.",
        "wang2016: 402 checks, 380 within, 22 not answerable; they are of 61 published statements, 58 within, 3 not "
        "answerable",
        ("reproduce",),
        {
            "within": "checks within their bands",
            "outside": "checks outside",
            "not answerable": "checks without a number",
        },
    ),
    "card-numbers": Kind(
        "Whether the numbers of a published card still hold.",
        "Each is made again from the version and with the settings that the card names. `n` is its numbers; it is an "
        "error where one is another.",
        "Write the card again, or ask who changed it.",
        "set: of 32 numbers of README.md, 31 hold, 1 do not: profile/asl",
        ("verify",),
        {"hold": "numbers that hold", "do not": "numbers that are others", "not answerable": "numbers not to be had"},
    ),
}
