"""Results of studies in the cache, kept whole with frames in Arrow format.

A key hashes the captions, the settings and the program with its SQL: a changed input is another key.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import StoreError
from auditor.model import Selection
from auditor.result import Figure, Finding, Result, Sentence, Table
from auditor.result.portraits import Portrait, Quoted
from auditor.result.sentences import Role, with_role
from auditor.store import kept, versions
from auditor.store.connection import Store
from auditor.store.sqlfiles import catalogue, sql_root

_RELATION = "study_result"

#: Errors of unpacking damaged rows.
_DAMAGE = (
    ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError, StopIteration,
    pl.exceptions.PolarsError, pl.exceptions.PanicException,
)  # fmt: skip

#: The rooms that only show results.
_SHOWING = ("cli", "reports", "sample")


def kept_result(
    store: Store,
    study: str,
    selections: Sequence[Selection],
    settings: Mapping[str, Any],
    make: Callable[[], Result],
    *,
    beside: Sequence[Selection] = (),
) -> Result:
    """Return the kept result of a study; compute and keep it if there is none: see `kept_results`."""
    (result,) = kept_results(store, {study: settings}, selections, lambda _: make(), beside=beside)
    return result


def kept_results(
    store: Store,
    studies: Mapping[str, Mapping[str, Any]],
    selections: Sequence[Selection],
    make: Callable[[str], Result],
    *,
    beside: Sequence[Selection] = (),
) -> Iterator[Result]:
    """Yield the kept result of each study; compute and keep those that are missing.

    `studies` are their settings, by name: everything that can change the result, in addition to the captions of
    `selections`, other captions (`beside`, corpora, related datasets) and the program. A new result is packed and
    unpacked like a kept one, so that both are equal to the last bit.

    Raises `StoreError` for a kept result that cannot be read.
    """
    facts = {
        "selections": [
            [
                (selection.version.dataset, selection.version.version, selection.split, selection.label)
                for selection in part
            ]
            for part in (selections, beside)
        ],
        "around": _around(store, [*selections, *beside]),
        "program": program(),
    }
    entries = {
        study: kept.key(store, selections[0], params={**facts, "study": study, "settings": settings})
        for study, settings in studies.items()
    }
    held = kept.get(store, dict.fromkeys(entries.values(), _RELATION))
    for study, entry in entries.items():
        rows = held.get(entry)
        if rows is None:
            rows = _packed(store.recorded(partial(make, study)))
            kept.put(store, selections[0], _RELATION, entry, rows)
        try:
            result = _unpacked(rows)
        except _DAMAGE as error:
            fault = f"{store.path}: damaged: a result in the cache cannot be read"
            raise StoreError(f"{fault}; run `auditor store gc --all`, which empties the cache without loss") from error
        store.record(*result.sql)
        yield replace(result, selections=tuple(selections))


def _around(store: Store, selections: Sequence[Selection]) -> list[tuple[Any, ...]]:
    """List what else a study may read in the store: corpora, vectors, and related datasets.

    The list also has the languages, rejected records and tags of the datasets themselves.
    """
    own = [selection.version.dataset for selection in selections]
    beside = {name for dataset in own for name in versions.related(store, dataset)}
    log = versions.log_rows(store)
    kinds = log["kind"].is_in(["corpus", "wordlist", "vectors"]) | log["dataset"].is_in([*beside, *own])
    held = log.filter(kinds).sort("dataset", "seq").select("dataset", "seq", "version", "rejected", "tags")
    spoken = store.known("select dataset, language from dataset order by all")
    return [*held.rows(), *spoken.filter(pl.col("dataset").is_in([*beside, *own])).rows()]


@cache
def program() -> str:
    """Hash the code that computes results, every SELECT, and the patterns of findings."""
    package = Path(__file__).parents[1]
    code = {
        path.relative_to(package).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.suffix in (".py", ".toml") and path.relative_to(package).parts[0] not in _SHOWING
    }
    statements = {name: file.statement.encode() for name, file in catalogue().items()}
    data = {path.name: path.read_bytes() for path in (sql_root() / "macros.sql", *sql_root().rglob("*.toml"))}
    digest = hashlib.sha256()
    for name, text in sorted([*code.items(), *statements.items(), *data.items()]):
        digest.update(f"{name} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def _packed(result: Result) -> pl.DataFrame:
    """Write a result as rows: first a JSON object without frames, then the frames. Columns: part, body."""
    head = {
        "command": result.command,
        "signatures": dict(result.signatures),
        "lead": [_told(text, "answer", result.findings) for text in result.lead],
        "notes": [_told(text, "note", ()) for text in result.notes],
        "sql": result.sql,
        "portraits": list(map(asdict, result.portraits)),
        "quoted": list(map(asdict, result.quoted)),
        "findings": [asdict(finding) for finding in result.findings],
        "tables": [_without_frame(table) for table in result.tables],
        "figures": [_without_frame(figure) for figure in result.figures],
    }
    frames = [result.frame, *(table.frame for table in result.tables), *(figure.frame for figure in result.figures)]
    body = [json.dumps(head).encode(), *map(_bytes, frames)]
    return pl.DataFrame({"part": range(len(body)), "body": body}, schema={"part": pl.Int32, "body": pl.Binary})


def _unpacked(rows: pl.DataFrame) -> Result:
    head, *frames = rows.sort("part")["body"].to_list()
    fields_of = json.loads(head)
    read = iter([pl.read_ipc(io.BytesIO(frame)) for frame in frames])
    findings = tuple(Finding(**_tuples(fields)) for fields in fields_of["findings"])
    numbered = dict(enumerate(findings))
    lead, notes = (
        tuple(Sentence(text, role, numbered.get(number), label) for text, role, number, label in fields_of[name])
        for name in ("lead", "notes")
    )
    return Result(
        fields_of["command"],
        next(read),
        signatures=fields_of["signatures"],
        tables=tuple(Table(frame=next(read), **_tuples(fields)) for fields in fields_of["tables"]),
        figures=tuple(Figure(frame=next(read), **_tuples(fields)) for fields in fields_of["figures"]),
        lead=lead,
        notes=notes,
        sql=tuple(fields_of["sql"]),
        portraits=tuple(Portrait(**_tuples(fields)) for fields in fields_of["portraits"]),
        quoted=tuple(Quoted(**fields) for fields in fields_of["quoted"]),
        findings=findings,
    )


def _told(text: str, role: Role, findings: Sequence[Finding]) -> tuple[str, Role, int | None, str]:
    """Return a sentence as its text, its role, the number of the finding that it repeats, and its dataset."""
    sentence = with_role(text, role)
    number = findings.index(sentence.finding) if sentence.finding in findings else None
    return sentence.text, sentence.role, number, sentence.label


def _without_frame(part: Table | Figure) -> dict[str, Any]:
    return {name: value for name, value in asdict(replace(part, frame=pl.DataFrame())).items() if name != "frame"}


def _tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields with their lists turned back into tuples."""
    return {name: _tuple(value) for name, value in fields.items()}


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


def _bytes(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_ipc(file, compression="zstd")
    return file.getvalue()
