"""The kinds of findings: what each means, how it is measured, what to do. `docs/findings.md` is made of this list.

A kind is a stable code: programs select findings by it, and sentences may be worded anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.findings_of_captions import CAPTION_KINDS, CaptionKind


@dataclass(frozen=True)
class Kind:
    """One kind of finding, for its page. `commands` find it; `values` says what its numbers are, by name.

    `consequence` says in one sentence what follows for whoever trains or evaluates on the captions.
    """

    meaning: str
    measured: str
    advice: str
    example: str
    commands: tuple[str, ...]
    values: Mapping[str, str]
    consequence: str = ""


def _by_share(kind: CaptionKind) -> str:
    """Say from which share on a finding is a warning or an error."""
    limits = [
        f"{'an' if name == 'error' else 'a'} {name} from {share:g} of them on" if share else "always a warning"
        for name, share in (("warning", kind.warning), ("error", kind.error))
        if share is not None
    ]
    return f"; it is {', '.join(limits)}" if limits else "; it is a notice"


#: What `auditor` finds, by code.
KINDS: Mapping[str, Kind] = {
    "near-duplicate-across-splits": Kind(
        "Captions of a test split occur, exactly or nearly, in a train split: a system may have learnt them by heart, "
        "and its test scores say less than they seem to.",
        "Exactly: the same tokens, whatever the case, punctuation and blanks. Nearly: of the words of both captions "
        "together at least the share `--near` is in both. The search leaves out no pair that qualifies. `n` is the "
        "captions of the test split that have a word; it is a warning where any was found.",
        "Read `auditor duplicates DATASET --pairs`, leave these captions or their images out of the test split, or "
        "report scores with and without them. Short captions such as “a man rides a bike” meet by chance: look first "
        "at long ones and at pairs of the same image.",
        "set:test: captions that also occur in set:train: 12 of 1,000 (1.2%), 4 of them exactly, 8 nearly",
        ("duplicates",),
        {"exact": "captions found exactly", "near": "captions found nearly", "share": "share of both"},
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
    ),
    "identical-captions": Kind(
        "Captions of one image are the same, token for token.",
        "Tokens are compared within each image. `n` is the images.",
        "Expect maxima of BLEU and METEOR there. Look at `auditor identical DATASET -o pairs.csv`: short captions of "
        "plain images are alike by chance, long ones were copied.",
        "set: images with identical captions: 3 of 1,000 (captions: 6, pairs: 3); with all captions identical: 0",
        ("identical",),
        {
            "images_with_twins": "images with any",
            "twins": "captions that have one",
            "pairs": "pairs of them",
            "images_all_identical": "images all of whose captions are identical",
            "wordless": "captions without a word, which are not compared",
        },
    ),
    "swapped-captions": Kind(
        "Captions that seem to describe another image than their own: two that changed places, or one gone astray.",
        "Among the tenth of the captions (`--share`) least like the others of their image, the words of each are put "
        "against those of every image: a caption is told where another image explains its words better by more than "
        "`bits`. `n` is the captions that have a score; it is a warning where any was found.",
        "Look at the listed captions with their images: almost identical images bring such findings too. Correct the "
        "source and ingest again, or leave the images out.",
        "set: of the 500 captions (of 5,000) least like the others of their image, 2 pairs seem to have changed places "
        "and 3 seem to be of another image: by more than 16 bits a caption; near-identical images bring such findings "
        "too, look at them",
        ("outliers",),
        {
            "swapped_pairs": "pairs that seem to have changed places",
            "elsewhere": "captions that seem to be of another image",
            "looked_into": "captions that were looked into",
            "bits": "evidence needed for one caption",
        },
    ),
    "scores-all-equal": Kind(
        "A metric gives every caption the same score, so that it can tell none apart.",
        "The leave-one-out scores of all captions have one value. `n` is the scores.",
        "Do not rank by this metric. CIDEr is 0 where captions share no n-gram that other images lack: with very few "
        "images, or where all captions are alike.",
        "set: cider: every caption has the same score",
        ("bounds", "compare", "outliers"),
        {},
    ),
    "templated-captions": Kind(
        "How many captions are made of a template: a sequence of tokens that many captions hold, but for one of them.",
        "A template is five to seven tokens in a row, or four to seven with one open, that `--least` of the captions "
        "hold. A caption is made of one where it covers half of its tokens and four at least. `n` is the captions.",
        "Where the share is large, look at the templates: written by a program, by instruction, or by one annotator? "
        "Scores against such references reward the template.",
        "set: 6.7% of the captions are made of one of 15 templates, first “there is a * in the” (1.2% hold it); 14.1% "
        "begin with one of ten openings of 3 tokens",
        ("templates",),
        {
            "share": "share of captions made of a template",
            "templates": "how many templates there are",
            "opening_top_10": "share of captions with one of the ten most frequent openings",
        },
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
        "images of which that can be told; told from one half on.",
        "Do not take slots for annotators: draw references by seed, not by place, and do not read results by slot.",
        "set: captions are sorted by length (longer) in 97% of the images: slots are no annotators",
        ("templates",),
        {"order": "which way they go", "share": "share of images"},
    ),
    "more-homogeneous": Kind(
        "One dataset's captions tell its images apart less than another's: a caption of another image scores nearly "
        "what a caption of the image itself does.",
        "Homogeneity is intra / upper (errors: upper / intra) by each metric. One dataset is ahead on a metric where "
        "the bootstrap interval of the difference is above 0. Datasets follow each other by mean rank; `n` is the "
        "metrics.",
        "For work that must tell images apart, prefer the less homogeneous dataset. Compare datasets of unequal size "
        "with `--equalise`.",
        "one is more homogeneous than other on 3 of 4 metrics beyond sampling error; other than one on 1",
        ("compare",),
        {"ahead": "metrics on which it is ahead", "behind": "metrics on which the other is; null without resamples"},
    ),
    "more-specific": Kind(
        "One dataset's captions are more like each other, compared with captions of other datasets, than another's.",
        "Specificity is intra - inter (errors: inter - intra) by each metric; told as more-homogeneous is.",
        "Read it as a narrower domain: results on it transfer less to others.",
        "one is more specific than other on 4 of 4 metrics beyond sampling error",
        ("compare",),
        {"ahead": "metrics on which it is ahead", "behind": "metrics on which the other is; null without resamples"},
    ),
    "order-changed-by-equalising": Kind(
        "Whether datasets keep their order once each has equally many images and captions.",
        "Ranks by each metric, raw and equalised, are put side by side. `n` is the metrics; it is a warning where any "
        "order changed.",
        "Where the order changes, the raw difference is one of size: report the equalised one.",
        "equalised, the order by homogeneity is another on 1 of 4 metrics: bleu-4",
        ("compare",),
        {"metrics": "the metrics with another order", "changed": "how many these are"},
    ),
    "unequal-captions-per-image": Kind(
        "Images of one dataset have many more captions than those of another, which moves some numbers by itself.",
        "Mean captions an image of each dataset, in `values` by dataset; told where the largest is half as large again "
        "as the smallest (compare) or a tenth larger (diversity). `n` is the datasets.",
        "Draw equally many with `--references`, or compare with `--equalise`.",
        "captions per image differ (one 5.0, other 48.0): BLEU grows with the number of references: draw equally many "
        "with --references; ROUGE and CIDEr average over them (Wang & Gaizauskas 2016, section 4.1)",
        ("compare", "diversity"),
        {"DATASET": "mean captions an image of it"},
    ),
    "order-changed-by-repeats": Kind(
        "Whether datasets keep their order once each text is counted once per image.",
        "Ranks by each metric, raw and distinct, are put side by side. `n` is the metrics; it is a warning where any "
        "order changed.",
        "Where the order changes, the raw difference is one of copies: report the distinct one.",
        "distinct, the order by homogeneity is another on 1 of 4 metrics: bleu-4",
        ("compare",),
        {"metrics": "the metrics with another order", "changed": "how many these are"},
    ),
    "repeated-captions": Kind(
        "Captions repeat another of their image: held out, they find themselves among the references, and what a human "
        "scores is too high.",
        "Tokens of the tokenizer are compared within each image; the first of those that are the same repeats nothing. "
        "`n` is the captions. Told where more than 1 % repeat another, as a warning, and with `--distinct` always.",
        "Ask again with `--distinct`: each text then counts once per image, and the rows stand beside the raw ones. "
        "Look with `auditor identical REF` whether captions were copied to fill up images.",
        "set: 3,065 of 10,921 captions repeat another of their image: the human bound is inflated; --distinct takes "
        "each text once",
        ("bounds", "compare", "score"),
        {"captions": "captions that repeat another of their image", "images": "images that have such"},
    ),
    "one-caption-images": Kind(
        "Images have one caption only: it has no reference, gets no score, and is left out.",
        "Counted. `n` is the images.",
        "Say in a paper how many images were left out. If all should have several captions, look for a file that was "
        "not read, or images whose names differ between files.",
        "set: 7 images have one caption only, which has no reference and gets no score",
        ("ingest", "bounds", "compare", "correlate", "outliers", "probe", "rank", "diversity", "reproduce"),
        {"images": "images with one caption"},
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
    "captions-too-long": Kind(
        "Captions have more words than the metrics align, so that their images have no scores.",
        "Counted by the tokenizer; `most_words` is the limit.",
        "Such texts are no captions: look whether a whole document, or a file without line ends, was read as one.",
        "set: 1 caption has more than 10,000 words, which no metric aligns: neither they nor what would meet them gets "
        "a score: 17#0 (48,211)",
        ("bounds", "compare", "outliers", "probe", "references", "score", "rank", "agree", "consensus", "correlate"),
        {"captions": "how many there are", "most_words": "words that are aligned at most"},
    ),
    "too-few-captions": Kind(
        "Images have fewer captions than a draw of references needs, and are left out.",
        "Counted; `captions_needed` is the references and the caption itself. `n` is the images.",
        "Ask for fewer `--references`, or say how many images were left out.",
        "set: 12 images have fewer than 5 captions and no score",
        ("bounds", "compare", "correlate", "references", "score", "rank"),
        {"images": "images with fewer", "captions_needed": "captions that an image needs"},
    ),
    "images-without-references": Kind(
        "Rated or compared captions are of images that the references do not describe: they have no scores.",
        "The images of both are put side by side. `n` is the images that were rated or compared.",
        "Name other references with `--against`, or ingest the missing captions.",
        "ratings: 3 images have no references in set and no scores: 17, 18, 19",
        ("agree", "consensus"),
        {"images": "images without references"},
    ),
    "images-not-shared": Kind(
        "Two sides that are put against each other do not describe the same images; only shared ones count.",
        "The images of both are put side by side.",
        "Name the split that the system was run on. Where names differ (`12.jpg` and `12`), ingest one side with "
        "`basename` or rename its images.",
        "12 images of set have no caption in system: 17, 18, 19, …",
        ("score", "diversity", "missed", "keyness"),
        {"images": "images that one side lacks"},
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
    "metric-not-installed": Kind(
        "A metric that is measured by default was left out, since a part that it needs is not installed.",
        "Asked of the installation.",
        "Install what the sentence names, or name metrics with `-m` so that none is left out in silence.",
        "left out: meteor needs its tables of synonyms: `auditor fetch meteor`",
        ("bounds", "compare", "correlate", "score", "probe", "references", "agree", "consensus", "check"),
        {},
    ),
    "favours-length": Kind(
        "A metric puts the longer, or the shorter, captions of an image first.",
        "Spearman's rho of rank and length within each image, mean over the `n` images; the metrics with the greatest "
        "and the least are told.",
        "Compare systems of unequal caption length with care by this metric, or by several.",
        "bleu-4 favours short captions most (rho of rank and length -0.31)",
        ("rank",),
        {"favours": "long or short", "length_rho": "mean Spearman's rho"},
    ),
    "component-effect": Kind(
        "Which metric reacts most, and which least, where a component is taken from captions.",
        "Each caption is scored before and after; relative is the change of the mean, as a share of the mean before. "
        "`n` is the captions.",
        "Choose a metric that reacts to what your question is about.",
        "set: nouns moves cider (-71.2%) most, rouge-l (-38.0%) least",
        ("probe",),
        {
            "most": "the metric that reacts most",
            "most_relative": "its relative change",
            "least": "the metric that reacts least",
            "least_relative": "its relative change",
        },
    ),
    "component-without-effect": Kind(
        "No caption has the component, so that nothing was changed.",
        "Captions that differ after the change are counted.",
        "Read nothing into the unchanged scores.",
        "set: adjectives changed no caption",
        ("probe",),
        {},
    ),
    "gamed-metric": Kind(
        "A metric scores most captions higher after a change that makes them no better, such as a word said twice.",
        "The share of changed captions that gain, in `values` by metric; told above one half.",
        "Do not optimise a system on this metric alone.",
        "set: repeated-word games rouge-l (63% of captions)",
        ("probe",),
        {"METRIC": "share of captions that gain"},
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
    "enough-references": Kind(
        "How many references a metric needs before its mean stops rising.",
        "The least number with 95 % of the rise of the mean from one reference to `n`, in `values` by metric.",
        "Collect, or draw, as many references; fewer make systems look worse than they are.",
        "set: references that give 95 % of the mean's rise from 1 to 40: 9 for bleu-4; 21 for meteor",
        ("references",),
        {"METRIC": "references that are enough"},
    ),
    "stable-ranking": Kind(
        "How many references rank captions nearly as all do.",
        "The least number whose scores have a Spearman's rho of .95 or more with those against all `n`, by metric.",
        "To compare captions, as many references do.",
        "set: references that rank captions as all 40 do (rho .95): 12 for bleu-4, cider",
        ("references",),
        {"METRIC": "references that rank as all do"},
    ),
    "flat-mean": Kind(
        "The mean of a metric hardly moves with the number of references: it averages over them.",
        "The mean against one reference and against `n` differ by less than 5 %.",
        "Its means may be compared across datasets with unlike numbers of references.",
        "set: cider: the mean hardly moves with references (by less than 5 %)",
        ("references",),
        {},
    ),
    "closest-metric": Kind(
        "Which metric agrees most with people's ratings, and which least.",
        "The correlation of each metric's scores with the ratings. `n` is the metrics.",
        "Look at the intervals, and at the table of neighbours, before one metric is called better than the next.",
        "ratings: meteor is closest to people (spearman 0.524, moderate), ter the least (-0.279, weak)",
        ("agree",),
        {
            "most": "the metric closest to people",
            "value": "its coefficient",
            "least": "the metric least close",
            "least_value": "its coefficient",
        },
    ),
    "unsure-correlations": Kind(
        "How many correlations with people chance could make.",
        "p of each coefficient, ratings taken as independent, which they are not. `n` is the coefficients.",
        "Trust the intervals, which are drawn by images; claim nothing of the unsure ones.",
        "ratings: 2 of 30 correlations with people have a p of 0.05 or more; p takes ratings as independent, which "
        "they are not: trust the intervals",
        ("agree",),
        {"unsure": "coefficients with a large p", "largest_p": "the largest p"},
    ),
    "own-references": Kind(
        "Captions that are scored are word for word references of their image, so that a metric only finds them again.",
        "Tokens are compared. `n` is the captions, or pairs, in question.",
        "Leave them out (`--without-own-references`), or say how many there are.",
        "system: of 1,000, 12 captions are word for word a reference of the image in set: scored against itself; "
        "--without-own-references leaves them out",
        ("score", "agree", "consensus"),
        {"captions": "captions that are references (score, agree)", "pairs": "pairs with one (consensus)"},
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
    "counts-not-declared": Kind(
        "A dataset has more or fewer images or captions than its declaration says.",
        "Counted after the ingest.",
        "Is a file missing, or is it another release? Correct the file or the declaration.",
        "set: 4,990 captions, 10 fewer than the 5,000 declared",
        ("ingest", "verify"),
        {"images": "images found", "captions": "captions found", "declared": "what was declared"},
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
    "signs-of-dirt": Kind(
        "What may be wrong with single captions and images: empty ones, repeats, mark-up, letters encoded twice.",
        "Counted by `auditor profile`, in `values` by statistic, those that are not 0. `n` is the captions.",
        "Look at some of each: `auditor sql` finds them. A sign of dirt is a reason to look, no proof.",
        "set, to be looked at: captions that stand at several images: 32; captions with line breaks: 2",
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
    "bound-upside-down": Kind(
        "A caption scores no more against the captions of its own image than one of another image does.",
        "The means of candidates human and intra (`auditor bounds`), by each metric that rises with likeness. `n` is "
        "the captions.",
        "Ask how the captions were collected: parts of one text, a dialogue, or different questions about one picture "
        "are no paraphrases. Do not use the captions of an image as references for each other.",
        "set: a caption of the image scores no more than a caption of another image, by cider-d (0.012 and 0.015 by "
        "cider-d): the captions of an image do not say the same",
        ("findings",),
        {"human": "mean of captions against their own image", "intra": "mean of captions of other images"},
        "Metrics that compare a caption with these references measure nothing of its image.",
    ),
    **{
        code: Kind(
            kind.meaning,
            f"{kind.measured} `n` is the {kind.of}{_by_share(kind)}.",
            kind.advice,
            f"set: {kind.said}: 12 of 40,460 (0.03%)",
            kind.commands,
            {kind.of: "how many there are", "share": "share of all"},
            kind.consequence,
        )
        for code, kind in CAPTION_KINDS.items()
    },
}

#: Kinds whose code is no title.
_TITLES: Mapping[str, str] = {
    "near-duplicate-across-splits": "Test captions that occur in train",
    "copied-slots": "Slots that say the same",
    "swapped-captions": "Captions of another image",
    "unlike-slot": "A slot unlike the others",
    "bound-upside-down": "Captions of an image that do not agree",
    "templated-captions": "Captions made from templates",
    "padded-images": "Images padded with repeated captions",
    "misspellings": "Words that seem misspelt",
    "truncated-captions": "Captions that break off",
    "uneven-captions": "Uneven numbers of captions",
    "web-address": "Addresses of pages",
}


def title(kind: str) -> str:
    """Give the words that stand above a finding."""
    return _TITLES.get(kind, kind.replace("-", " ").capitalize())
