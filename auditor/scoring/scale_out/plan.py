"""The plan of work: captions, metrics, buckets; the same on every machine."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditor.errors import MetricError
from auditor.metrics import idf
from auditor.model import Selection, Version
from auditor.plugins import typed
from auditor.scoring.registry import MetricRequest, References, are_ours, request_of_file
from auditor.scoring.scores import signatures
from auditor.store import ngrams
from auditor.store.sqlfiles import catalogue, fingerprint
from auditor.store.workspace import Workspace, is_read
from auditor.version import VERSION

#: The number of buckets whose partial sums fill one partition.
_BUCKETS_OF_A_PARTITION = 4

#: The modes of idf that count no documents over all buckets.
_WITHIN_A_BUCKET = ("none",)


@dataclass(frozen=True)
class Written:
    """A plan that is written next to the work."""

    def written(self) -> str:
        """Return the plan as text; equal plans have equal texts."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, indent=1)

    @property
    def digest(self) -> str:
        """The sha256 of the plan."""
        return hashlib.sha256(self.written().encode()).hexdigest()


@dataclass(frozen=True)
class Plan(Written):
    """All settings that determine the bytes of a result.

    `buckets` are the numbers of the first and the last image of each. `partitions` is the number of parts that n-grams
    are summed in, 0 if no metric weighs them by document frequency. `images` counts all images of the selection.
    """

    dataset: str
    seq: int
    version: str
    split: str | None
    tokenizer: str
    metrics: tuple[str, ...]
    signatures: Mapping[str, str]
    images: int
    captions: int
    buckets: tuple[tuple[int, int], ...]
    partitions: int
    sql: Mapping[str, str]
    auditor: str

    @property
    def requests(self) -> list[MetricRequest]:
        """The requests of its metrics."""
        return [request_of_file(text) for text in self.metrics]

    @property
    def of(self) -> Version:
        """The version of the dataset, with what workers need."""
        made = datetime.datetime.fromtimestamp(0, datetime.UTC)
        return Version(
            self.dataset, self.seq, self.version, made, "", "", (self.tokenizer,), self.images, self.captions
        )


def read(text: str) -> Plan:
    """Parse the text of `Plan.written`. Raises one of `FORGED` for any other text."""
    fields = json.loads(text)
    fields["buckets"] = tuple(tuple(bucket) for bucket in fields["buckets"])
    return typed(Plan(**{**fields, "metrics": tuple(fields["metrics"])}))


#: Errors of reading a record that `auditor` did not write.
FORGED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


def made(
    workspace: Workspace, selection: Selection, tokenizer: str, metrics: Sequence[MetricRequest], captions: int
) -> Plan:
    """Plan the scores of a selection by buckets of about `captions` each.

    Raises `MetricError` for a metric that needs more than a bucket of images and its document frequencies.
    """
    for metric in metrics:
        if (why := _refusal(metric)) is not None:
            raise MetricError(f"{metric.label}: cannot be computed in stages: {why}; use `auditor bounds`")
    weighs = any(_counts_all(metric) for metric in metrics)
    buckets = ngrams.buckets(workspace, captions_at_once=captions)
    images, held = workspace.query("select coalesce(max(image_no), 0), count(*) from reference").row(0)
    return Plan(
        selection.version.dataset,
        selection.version.seq,
        selection.version.version,
        selection.split,
        tokenizer,
        tuple(metric.label for metric in metrics),
        signatures(metrics, tokenizer, References("loo")),
        images,
        held,
        tuple((bucket.first, bucket.last) for bucket in buckets),
        -(-len(buckets) // _BUCKETS_OF_A_PARTITION) if weighs else 0,
        _statements(metrics),
        VERSION,
    )


def weighed_by(metric: MetricRequest, idf_mode: str) -> MetricRequest:
    """Set the idf mode of a metric that counts documents over all buckets."""
    if not _counts_all(metric):
        return metric
    return dataclasses.replace(metric, settings={**metric.settings, "idf": idf_mode})


def _counts_all(metric: MetricRequest) -> bool:
    spec = metric.counting
    return is_read("document_frequency", spec.relations) and spec.idf_mode not in _WITHIN_A_BUCKET


def _refusal(metric: MetricRequest) -> str | None:
    """Return why stages cannot compute a metric; null if they can."""
    spec = metric.counting
    if not are_ours([metric]):
        return "workers cannot run user-defined metrics"
    if metric.metric.sees_images:
        return "it reads vectors of images"
    weighs = is_read("document_frequency", spec.relations) or is_read("collection", spec.relations)
    if weighs and spec.idf_mode not in (idf.DATASET, *_WITHIN_A_BUCKET):
        return "its idf counts documents other than the images of the dataset"
    if _counts_all(metric) and spec.normalization is not None:
        return "its document frequencies count stems instead of words"
    return None


def _statements(metrics: Sequence[MetricRequest]) -> dict[str, str]:
    """Return the fingerprints of the SELECTs that count: a change in one of them changes the plan."""
    named = {relation for metric in metrics for relation in metric.counting.relations}
    named |= {file.name for file in catalogue().values() if file.path.parent.name == "scale_out"}
    return {name: fingerprint(name) for name in sorted(named)}
