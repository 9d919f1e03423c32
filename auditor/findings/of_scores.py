"""Kinds of findings on metrics, scores and the people they are held against."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.findings.kind import Kind

KINDS: Mapping[str, Kind] = {
    "scores-all-equal": Kind(
        "A metric gives every caption the same score, so that it can tell none apart.",
        "The leave-one-out scores of all captions have one value. `n` is the scores.",
        "Do not rank by this metric. CIDEr is 0 where captions share no n-gram that other images lack: with very few "
        "images, or where all captions are alike.",
        "set: cider: every caption has the same score",
        ("bounds", "compare", "outliers"),
        {},
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
        "As `padded-images` are (`sql/facts/repeat.sql`), whatever `--tokenizer` asks. `n` is the captions. Listed "
        "where more than 1 % repeat another, as a warning, and with `--distinct` always.",
        "Ask again with `--distinct`: each text then counts once per image, and the rows stand beside the raw ones. "
        "Look with `auditor identical REF` whether captions were copied to fill up images.",
        "set: 3,065 of 10,921 captions repeat another of their image: the human bound is inflated; --distinct takes "
        "each text once",
        ("bounds", "compare", "score"),
        {
            "captions": "captions that repeat another of their image",
            "images": "images that have such",
            "equal_under_tokenizer": "captions that `--distinct` leaves out: equal under the tokenizer of the scores",
        },
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
}
