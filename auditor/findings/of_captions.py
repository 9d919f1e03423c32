"""Kinds of findings on captions and words, beside those that list captions one by one."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.findings.kind import Kind

KINDS: Mapping[str, Kind] = {
    "pipeline-of-another-language": Kind(
        "Captions were tagged and parsed by a pipeline of another language.",
        "The language that is declared, or the scripts of more than half of the captions. `n` is the captions.",
        "Leave out what depends on tags and trees, or declare the language of the dataset in datasets.toml.",
        "set: the pipeline is English, and the captions are declared as de: its tags say little of them",
        ("syntax",),
        {},
    ),
    "near-duplicate-across-splits": Kind(
        "Captions of a test split occur, exactly or nearly, in a train split: a system may have learnt them by heart, "
        "and its test scores say less than they seem to.",
        "Exactly: the same tokens, whatever the case, punctuation and blanks. Nearly: of the words of both captions "
        "together at least the share `--near` is in both. The search leaves out no pair that qualifies. `n` is the "
        "captions of the test split that have a word; it is a warning where any was found. `auditor findings` puts "
        "the train captions that occur at other train images beside them, as many as chance brings: it is a warning "
        "beyond three standard errors of that and 0.2 % of the captions, an error from 5 % on.",
        "Read `auditor duplicates DATASET --pairs`, leave these captions or their images out of the test split, or "
        "report scores with and without them. Short captions such as “a man rides a bike” meet by chance: look first "
        "at long ones and at pairs of the same image.",
        "set:test: captions that also occur in set:train: 12 of 1,000 (1.2%), 4 of them exactly, 8 nearly",
        ("duplicates",),
        {
            "exact": "captions found exactly",
            "near": "captions found nearly",
            "share": "share of both",
            "exact_by_chance": "share of the train captions found exactly at another train image (`findings`)",
            "share_by_chance": "share of them found exactly or nearly (`findings`)",
        },
        "A system may know these captions by heart: its test scores are too good.",
    ),
    "copied-slots": Kind(
        "The captions of two slots say the same of many images: one annotator may have copied the other, or one file "
        "was read twice.",
        "For each two slots, the share of images with words in both whose two captions are exact or near duplicates; "
        "told from 10 % of the images and from 20 images on. `n` is the images that have words in both slots.",
        "Look at the examples. If one was copied, leave one of the two slots out: the upper bound and agreement within "
        "images are too high with it.",
        "set: slots 0 and 4 say the same, or nearly, of 18.3% of their images: did one copy the other?",
        ("duplicates",),
        {"exact": "images exactly alike", "near": "images nearly alike", "share": "share of both"},
        "A caption that is held out finds its copy among its references: human bounds are too high.",
    ),
    "identical-captions": Kind(
        "Captions of one image are the same, token for token.",
        "As `padded-images` are (`sql/facts/repeat.sql`). `n` is the images.",
        "Expect maxima of BLEU and METEOR there. Look at `auditor identical DATASET -o pairs.csv`: short captions of "
        "plain images are alike by chance, long ones were copied.",
        "set: 3 of 5,000 captions repeat another of their image, at 3 of 1,000 images; captions in groups of equal "
        "captions: 6, in pairs: 3; images with all captions identical: 0",
        ("identical",),
        {
            "repeats": "captions that repeat an earlier one of their image",
            "letter_repeats": "those that are equal letter for letter",
            "images_with_repeats": "images with any",
            "in_groups": "captions in groups of equal captions: the first ones too",
            "pairs": "pairs of equal captions",
            "images_all_equal": "images all of whose captions are equal",
            "wordless": "captions without a word, which are not compared",
        },
    ),
    "swapped-captions": Kind(
        "Captions that seem to describe another image than their own: two that changed places, or one gone astray.",
        "Among the tenth of the captions (`--share`) least like the others of their image, the words of each are put "
        "against those of the images like it, and so are decoys: captions put at an image that is not theirs. Pairs "
        "and captions are told from those bits on by which at least 80 % should be right, were chance to bring what it "
        "may; where no evidence is enough, none is told. Of planted faults 84 to 100 % of what is told was right "
        "(ABSTRACT-50S 84 %, the others 95 % and more, but for six of COCO; the limits were chosen looking at these), "
        "a quarter of them was found in Flickr8k and a tenth in Flickr30k, and in the untouched datasets none was "
        "told. Sets of captions exchanged as a whole support each other and are missed: `exchanged-images`. `n` is the "
        "captions that have a score; it is a warning where any was found.",
        "Look at the listed captions with their images. Correct the source and ingest again, or leave the images out.",
        "set: of the 500 captions (of 5,000) least like the others of their image, 12 pairs seem to have changed "
        "places, of which about 11 should be right and 3 seem to be of another image, of which about 3 should be right",
        ("outliers",),
        {
            "captions": "captions that are told, of both",
            "swapped_pairs": "pairs that seem to have changed places",
            "elsewhere": "captions that seem to be of another image",
            "expected_right": "captions, of both, that are expected to be told rightly",
            "looked_into": "captions that were looked into",
            "pair_bits": "evidence needed for each caption of a pair; null where none is told",
            "lead_bits": "lead needed for one caption; null where none is told",
            "found": "share of captions put elsewhere on purpose that would be told by so many bits",
        },
    ),
    "templated-captions": Kind(
        "How many captions are made of a template: a sequence of tokens that many captions hold, but for one of them.",
        "A template is five to seven tokens in a row, or four to seven with one open, that `--least` of the captions "
        "hold. A caption is made of one where it covers half of its tokens and four at least. `n` is the captions.",
        "Where the share is large, look at the templates: written by a program, by instruction, or by one annotator? "
        "Scores against such references reward the template.",
        "set: 6.7% of the captions are made of a frequent template, most of “there is a * in the” (1.2%; * is any "
        "word); 14.1% begin with one of ten openings of 3 tokens",
        ("templates",),
        {
            "share": "share of captions made of a template",
            "templates": "how many templates there are",
            "opening_top_10": "share of captions with one of the ten most frequent openings",
        },
        "Models learn the form, and scores against such references reward it; they say little of the single picture.",
    ),
    "unlike-slot": Kind(
        "The captions of one slot are longer, more formulaic or less like the others than those of the other slots.",
        "Each caption is compared with the others of its own image; `effect` is the mean difference in standard "
        "deviations of all captions (Cohen's d), told where its whole 95 % interval is beyond 0.2. `n` is the "
        "captions of the slot.",
        "If slots are annotators, read some captions of this one. If they are not, ask how the file was ordered before "
        "comparing by slot.",
        "set: slot 2 is longer (effect +0.41)",
        ("templates",),
        {"effect": "standardised difference", "low": "lower end of its interval", "high": "upper end"},
        "Who takes one slot as the reference, or the candidate, measures its style too.",
    ),
    "slots-alike": Kind(
        "No slot differs from the others by more than a small effect.",
        "As unlike-slot: no interval of an effect lies wholly beyond `least_effect`.",
        "Nothing: annotators, or places in the file, do not show.",
        "set: no slot is unlike the others by more than a small effect (0.2)",
        ("templates",),
        {"least_effect": "the effect beyond which a slot would be told"},
    ),
    "sorted-captions": Kind(
        "The captions of most images are sorted, so that their place says nothing of who wrote them.",
        "The share of images whose captions go from short to long, from long to short, or from a to z, among the `n` "
        "images of which that can be told; told of twenty images and more, from one half on of those that chance does "
        "not sort.",
        "Do not take slots for annotators: draw references by seed, not by place, and do not read results by slot.",
        "set: captions are sorted by length (longer) in 97% of the images (2% by chance): the place of a caption says "
        "nothing of who wrote it",
        ("templates",),
        {"share": "share of images", "by_chance": "share that chance sorts", "order": "which way they go"},
        "Slots are no annotators, and to take the first caption of every image is a biased choice.",
    ),
    "one-caption-per-image": Kind(
        "Every image has one caption, so that nothing within an image can be compared.",
        "Counted.",
        "Score a system against these captions with `auditor score DATASET --candidates SYSTEM` instead.",
        "set: one caption an image, so that none can occur twice within it",
        ("duplicates", "templates"),
        {},
    ),
    "one-image": Kind(
        "The selection holds one image, so that nothing across images can be compared.",
        "Counted.",
        "Name more of the dataset, or another split.",
        "set: one image, so that no caption can occur again at another",
        ("duplicates",),
        {},
    ),
    "no-splits": Kind(
        "No two splits of the dataset are known: leaks from train into test cannot be looked for.",
        "The splits that the source names.",
        "If there are splits, declare them in datasets.toml (`splits`), and ingest again.",
        "set: no two splits are known, so that leaks from one into another cannot be looked for",
        ("duplicates",),
        {},
    ),
    "file-order-unknown": Kind(
        "Published statistics walk through captions in the order of their file, which cannot be had here.",
        "Asked of the declared source.",
        "Fetch the file (`auditor fetch NAME`), or use the statistics over drawn orders, which need no file.",
        "set: the order of its file cannot be had (it is not in the data folder): captions are walked by image id, and "
        "ttr, mattr, mtld and the curve are not the published ones",
        ("diversity", "reproduce"),
        {},
    ),
    "datasets-reordered": Kind(
        "A choice of method (tokenizer, order, number of lists) changes which dataset is the more diverse.",
        "Each statistic is measured again with one factor changed; pairs of datasets that change places are counted. "
        "`n` is the pairs.",
        "Name the choice beside the number, and claim no order that it decides.",
        "ptb: mtld reorders most, 2 of 10 pairs of datasets change places, as one and other",
        ("robustness",),
        {"pairs_changed": "pairs that change places"},
    ),
    "best-predictor": Kind(
        "Which dataset a language model should be trained on to predict the captions of the others.",
        "Models of n-grams (Kneser-Ney) of each dataset are tested on halves of all; `ratio` is the perplexity of the "
        "dataset's model on the others over that of their own models, geometric mean. `n` is the datasets.",
        "Read it as breadth: its captions hold most of what the others say.",
        "one predicts the others best: its model is 2.1 times as perplexed as their own (geometric mean)",
        ("perplexity",),
        {"ratio": "perplexity on the others over that of their own models"},
    ),
    "most-predictable": Kind(
        "Whose captions say least that is new to a model of their own.",
        "Perplexity of the held-out half under the model of the other half. `n` is the datasets.",
        "Compare with the share of templated captions: text that repeats itself is predictable.",
        "one is the most predictable: perplexity 21.4 under its own model",
        ("perplexity",),
        {"perplexity": "of its own model"},
    ),
    "related-datasets": Kind(
        "Two datasets are of one source or declared as related, so that a model may know what it is tested on.",
        "The names of the datasets, and `related` in datasets.toml.",
        "Do not read the perplexity between these two as one between unrelated datasets.",
        "one and other are declared as related: a model may know images it is tested on",
        ("perplexity",),
        {},
    ),
    "signs-of-dirt": Kind(
        "What may be wrong with single captions and images: empty ones, repeats, mark-up, letters encoded twice.",
        "Counted by `auditor profile`, in `values` by statistic, those that are not 0. `n` is the captions.",
        "Look at some of each: `auditor sql` finds them. A sign of dirt is a reason to look, no proof.",
        "set, to be looked at: captions whose text occurs at several images: 32; captions with line breaks: 2",
        ("profile",),
        {"STATISTIC": "how many there are"},
    ),
    "omitted-words": Kind(
        "How many words a system could have learnt, and people say, that it never says.",
        "Words of the training data and of people's captions that no caption of the system has; of several systems "
        "together, those that none has. `n` is the learnable words.",
        "Read the most frequent ones: what does the system avoid? Compare systems on the same images only.",
        "system: 1,204 of 3,310 learnable words are omitted",
        ("omitted",),
        {"omitted": "learnable words that are never said"},
    ),
    "bound-upside-down": Kind(
        "A caption scores no more against the captions of its own image than one of another image does.",
        "The means of candidates human and intra (`auditor bounds`), by each metric that rises with likeness: the "
        "first is above the second by less than a tenth, and by less than three standard errors, of 40 captions or "
        "more. `n` is the captions.",
        "Ask how the captions were collected: parts of one text, a dialogue, or different questions about one picture "
        "are no paraphrases. Do not use the captions of an image as references for each other.",
        "set: a caption of the image scores no more than a caption of another image, by cider-d (0.012 and 0.015 by "
        "cider-d): the captions of an image do not say the same",
        ("findings",),
        {"human": "mean of captions against their own image", "intra": "mean of captions of other images"},
        "Metrics that compare a caption with these references measure nothing of its image.",
    ),
    "captions-at-several-images": Kind(
        "Captions occur word for word at more than one image, and others look like captions of other images.",
        "Shares of the captions with a word, by `auditor duplicates` across images. `n` is these captions; it is a "
        "notice from 5 % on, a warning from 20 %.",
        "Short captions of plain images meet by chance. Where the share is large, captions name a class (“many planes "
        "are at an airport”), not a picture: read `auditor duplicates DATASET --pairs`.",
        "set: 550 of 40,460 captions (1.4%) occur word for word at another image too, and 8.7% look like one there",
        ("findings",),
        {"captions": "captions found", "share": "their share", "look_alike": "share that looks like one elsewhere"},
        "Retrieval counts such a caption wrong for all images but one, and a system that says it names no image.",
    ),
    "metrics-not-for-language": Kind(
        "Metrics cannot read the captions: their words are English, or they know Latin letters alone.",
        "By the declared language, and by the letters of the captions. `n` is the metrics.",
        "Use metrics that count tokens as they are: BLEU, CIDEr, chrF, ROUGE with `ascii=false`.",
        "set: metrics that cannot read these captions: meteor (its stems, synonyms and function words are English)",
        ("findings",),
        {"metrics": "how many cannot"},
        "Scores by them would be near 0 or by chance, and comparisons with English datasets false.",
    ),
    "vocabulary-collapse": Kind(
        "A version has far fewer different words than the one before, in hardly fewer captions.",
        "Different words of the tokenizer in both versions, where the newer has nine tenths of the captions or more: a "
        "warning below 80 % of the words, an error below half. `n` is the captions.",
        "Look at `auditor diff A B --depth vocabulary`: were captions rewritten by a program, or words replaced by "
        "`<unk>`?",
        "set@v2: 1,204 different words, where set@v1 had 8,489, in 40,460 captions (40,460)",
        ("findings",),
        {"words": "different words", "words_before": "those of the version before", "share_kept": "share of them"},
        "Systems trained on it will say less; diversity and coverage are not comparable with the earlier version.",
    ),
}
