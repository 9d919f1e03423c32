"""Requests and signatures: exactly the parameters that matter, defaults printed, one builder."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from auditor.errors import MetricError, MissingExtraError
from auditor.model import Draw, Selection, Version
from auditor.scoring import registry
from auditor.scoring.registry import METRICS, References, lacking, request, requests

SIGNATURES = {
    "bleu-1": "bleu-1|tok:bare|refs:loo|smooth:paper|bp:closest|effective:false|weights:uniform|v:1",
    "bleu-4:smooth=mteval": "bleu-4|tok:bare|refs:loo|smooth:mteval|bp:closest|effective:false|weights:uniform|v:1",
    "bleu-4:smooth=none,bp=false": "bleu-4|tok:bare|refs:loo|smooth:none|bp:none|effective:false|weights:uniform|v:1",
    "bleu-4:smooth=floor": "bleu-4|tok:bare|refs:loo|smooth:floor|floor:0.1|bp:closest|effective:false|weights:uniform|v:1",
    "rouge-1": "rouge-1|tok:bare|refs:loo|measure:f|alpha:0.5|aggregate:pooled|stem:false|ascii:true|rounding:none|v:1",
    "rouge-l:ascii=FALSE,measure=recall": "rouge-l|tok:bare|refs:loo|measure:recall|aggregate:pooled"
    "|stem:false|ascii:false|rounding:none|v:1",
    "rouge-l:beta=1.2": "rouge-l|tok:bare|refs:loo|measure:f|beta:1.2|aggregate:pooled|stem:false|ascii:true|rounding:none|v:1",
    "rouge-w-1.2:weighting=paper": "rouge-w-1.2|tok:bare|refs:loo|measure:f|alpha:0.5|aggregate:pooled"
    "|stem:false|ascii:true|rounding:none|weighting:paper|v:1",
    "rouge-su4:last=counted,alpha=.2": "rouge-su4|tok:bare|refs:loo|measure:f|alpha:0.2|aggregate:pooled"
    "|stem:false|ascii:true|rounding:none|last:counted|skip:4|v:1",
    "cider": "cider|tok:bare|refs:loo|stem:false|n:all|combine:mean|references:mean|idf:dataset|scale:raw|v:1",
    "cider-d": "cider-d|tok:bare|refs:loo|stem:false|n:all|combine:mean|references:mean|tf:official|sigma:6|idf:dataset|scale:raw|v:1",
    "cider-d:sigma=6.0000001": "cider-d|tok:bare|refs:loo|stem:false|n:all|combine:mean|references:mean|tf:official|sigma:6.0000001|idf:dataset|scale:raw|v:1",
    "cider-d:sigma=2.5": "cider-d|tok:bare|refs:loo|stem:false|n:all|combine:mean|references:mean|tf:official|sigma:2.5|idf:dataset|scale:raw|v:1",
}


@pytest.mark.parametrize(("text", "signature"), SIGNATURES.items())
def test_signature_prints_every_parameter(text: str, signature: str) -> None:
    assert str(request(text).signature("bare", References())) == signature


def test_signature_prints_what_is_drawn_and_that_texts_are_once_per_image() -> None:
    drawn = References("all", drawn=4, seed=7, distinct="bare").parameters
    assert drawn == {"refs": "all", "distinct": True, "k": 4, "seed": 7}
    assert str(request("bleu-1").signature("bare", References(distinct="bare"))).startswith(
        "bleu-1|tok:bare|refs:loo|distinct:true|"
    )


def test_leave_one_out_draws_one_caption_more_than_references() -> None:
    version = Version("set", 1, "0" * 64, datetime.datetime.now(datetime.UTC), "0" * 64, "literal", (), 1, 5)
    whole = Selection(version)
    assert References("loo", drawn=4, seed=7, images=9).of(whole).draw == Draw(5, 7, images=9)
    assert References("all", drawn=4, seed=7).of(whole).draw == Draw(4, 7)
    assert References("loo", drawn=4).of(whole).draw is References("loo", seed=7).of(whole).draw is None


def test_a_variant_of_a_metric_is_counted_by_a_relation_of_its_own() -> None:
    counted = {text: request(text).counting.relation for text in ("cider", "cider:idf=fold", "bleu-1")}
    assert counted == {"cider": "cider", "cider:idf=fold": "cider_by_reference", "bleu-1": "bleu"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nope", "unknown metric; `auditor metrics` lists them all"),
        ("bleu-4:sigma=3", "has no parameter 'sigma'; it has smooth, floor, bp, effective, weights"),
        ("bleu-4:smooth=nope", "must be one of paper, mteval, none"),
        ("cider-d:sigma=0", "must be a positive number"),
        ("cider-d:sigma=wide", "must be a positive number"),
        ("cider-d:sigma=nan", "must be a positive number"),
        ("rouge-1:ascii", "must be one of true, false"),
        ("cider:idf=nope", "must be one of dataset, fold, run, none, of:DATASET, file:PATH"),
        ("cider:n=5", "must be one of all, 1, 2, 3, 4"),
    ],
)
def test_wrong_request_says_what_there_is(text: str, words: str) -> None:
    with pytest.raises(MetricError, match=words):
        request(text)


def test_default_written_out_is_the_default() -> None:
    assert request("cider-d:sigma=6").label == "cider-d"
    assert [asked.label for asked in requests(["cider-d", "cider-d:sigma=6", "cider-d:sigma=5"])] == [
        "cider-d",
        "cider-d:sigma=5",
    ]


def test_no_request_means_every_default_metric_that_can_be_had() -> None:
    meant = [name for name, metric in METRICS.items() if metric.default and lacking(metric) is None]
    assert [asked.label for asked in requests(None)] == meant
    assert {"bleu-4", "rouge-l", "cider-d"} <= set(meant)
    assert "chrf" not in meant


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_full_card(name: str) -> None:
    metric = METRICS[name]
    assert metric.summary
    assert metric.kind
    assert metric.range.startswith("-1 to 1" if name.startswith("vector-") else "0 ")
    assert metric.references
    assert metric.edge_cases
    assert metric.source
    assert metric.bibtex.startswith("@")
    assert all(parameter.meaning for parameter in metric.parameters.values())


def test_default_metric_that_cannot_be_had_is_left_out_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingExtraError("meteor: needs words")

    monkeypatch.setattr(registry, "METRICS", METRICS | {"meteor": replace(METRICS["meteor"], require=missing)})
    assert "meteor" not in [asked.label for asked in requests(None)]
    assert [str(one) for one in registry.left_out(None)] == ["skipped: meteor: needs words"]
    assert registry.left_out(["bleu-1"]) == []
    with pytest.raises(MissingExtraError, match="needs words"):
        requests(["meteor"])
