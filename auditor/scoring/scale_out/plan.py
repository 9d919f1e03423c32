"""What work consists of: the captions, the metrics, the buckets; the same on every machine."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from auditor.errors import MetricError
from auditor.metrics import idf
from auditor.model import Selection, Version
from auditor.plugins import typed
from auditor.scoring import frequencies
from auditor.scoring.registry import MetricRequest, References, are_ours, request_of_file
from auditor.scoring.scores import signatures
from auditor.store import ngrams
from auditor.store.sqlfiles import catalogue, fingerprint
from auditor.store.workspace import Workspace

#: Partial sums of so many buckets are as many rows as one partition holds.
_BUCKETS_OF_A_PARTITION = 4

#: Documents are counted over all buckets by this reading of idf alone.
_WITHIN_A_BUCKET = ("none",)


@dataclass(frozen=True)
class Plan:
    """Everything that decides the bytes of a result.

    `buckets` are the numbers of the first and the last image of each. `partitions` is how many parts n-grams are summed
    in, 0 where no metric weighs them by the documents that hold them. `images` are all images of the selection.
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

    def written(self) -> str:
        """Spell it, the same for the same plan."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, indent=1)

    @property
    def digest(self) -> str:
        """Name it: its sha256."""
        return hashlib.sha256(self.written().encode()).hexdigest()

    @property
    def requests(self) -> list[MetricRequest]:
        """Read its metrics."""
        return [request_of_file(text) for text in self.metrics]

    @property
    def of(self) -> Version:
        """Describe the version that it is about, as far as workers need it."""
        made = datetime.datetime.fromtimestamp(0, datetime.UTC)
        return Version(
            self.dataset, self.seq, self.version, made, "", "", (self.tokenizer,), self.images, self.captions
        )


def read(text: str) -> Plan:
    """Read what `Plan.written` has spelled. Raises one of `FORGED` for anything else."""
    fields = json.loads(text)
    fields["buckets"] = tuple(tuple(bucket) for bucket in fields["buckets"])
    return typed(Plan(**{**fields, "metrics": tuple(fields["metrics"])}))


#: What reading a record raises that nobody here has written.
FORGED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


def made(
    workspace: Workspace, selection: Selection, tokenizer: str, metrics: Sequence[MetricRequest], captions: int
) -> Plan:
    """Plan the scores of a selection by buckets of some `captions` each.

    Raises `MetricError` for a metric that needs more than a bucket of images and the documents that hold its n-grams.
    """
    for metric in metrics:
        if (why := _refusal(metric)) is not None:
            raise MetricError(f"{metric.label}: cannot be had in stages: {why}; ask `auditor bounds`")
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
        version("auditor"),
    )


def weighed_by(metric: MetricRequest, idf_mode: str) -> MetricRequest:
    """Let a metric that counts documents over all buckets take them from a mode."""
    if not _counts_all(metric):
        return metric
    return dataclasses.replace(metric, settings={**metric.settings, "idf": idf_mode})


def _counts_all(metric: MetricRequest) -> bool:
    spec = metric.counting
    return frequencies.is_read_by(spec.relations) and spec.idf_mode not in _WITHIN_A_BUCKET


def _refusal(metric: MetricRequest) -> str | None:
    """Return what a metric needs that stages lack."""
    spec = metric.counting
    if not are_ours([metric]):
        return "workers know no metrics of your own"
    if metric.metric.sees_images:
        return "it reads vectors of images"
    weighs = frequencies.is_read_by(spec.relations) or frequencies.counts_documents(spec.relations)
    if weighs and spec.idf_mode not in (idf.DATASET, *_WITHIN_A_BUCKET):
        return "its idf counts documents that are no images of the dataset"
    if _counts_all(metric) and spec.normalization is not None:
        return "its document frequencies are of stems, not of words as they stand"
    return None


def _statements(metrics: Sequence[MetricRequest]) -> dict[str, str]:
    """Fingerprint the SELECTs that count: a change in one of them is another plan."""
    named = {relation for metric in metrics for relation in metric.counting.relations}
    named |= {file.name for file in catalogue().values() if file.path.parent.name == "scale_out"}
    return {name: fingerprint(name) for name in sorted(named)}
