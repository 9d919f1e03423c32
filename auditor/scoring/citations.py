"""How to cite numbers: BibTeX entries of the program and of the metrics, with versions and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import distributions

from auditor.metrics.card import Metric
from auditor.result import Result, program
from auditor.scoring.registry import METRICS
from auditor.version import DATED, VERSION


def _program() -> str:
    """Return the entry of the program, with the address that a release puts into the metadata."""
    urls = [url for one in distributions(name="auditor") for url in one.metadata.get_all("Project-URL", ())]
    address = "".join(f",\n  url = {{{url[12:]}}}" for url in urls if url.startswith("Repository, "))
    return f"""@software{{auditor,
  title = {{auditor}}, author = {{{{The auditor authors}}}}, version = {{{VERSION}}}, year = {{{DATED[:4]}}},
  note = {{Audits of image-caption datasets}}{address}
}}"""


def entries(metrics: Iterable[Metric]) -> dict[str, list[str]]:
    """Return the BibTeX entries, each with what it is of: the program, then the metrics that have one."""
    named: dict[str, list[str]] = {_program(): [program()]}
    for metric in metrics:
        if metric.bibtex:
            named.setdefault(metric.bibtex, []).append(metric.name)
    return named


def citation(result: Result) -> Iterator[str]:
    """Yield the lines that cite the numbers of a result: program, versions, signatures, BibTeX."""
    yield f"Cite: {program()}"
    for selection in result.selections:
        yield f"{selection.label}: version {selection.version.version}"
    yield from result.signatures.values()
    names = (signature.partition("|")[0] for signature in result.signatures.values())
    yield from entries(METRICS[name] for name in names if name in METRICS)
