"""Runs one file of `sql/` on a small literal table of captions: what `tests/cases/**/*.toml` describe.

A case holds `captions` ([image, slot, text] or [image, slot, text, split], or a name of `captions.toml`), ingested as
dataset "case"; optionally
`candidate` (the SELECTs that make the candidates; default candidate_human), `tables` (relations given as literals), `params`,
and `rows`, what the file must return. What people query (`sql/people/`) is `asked` by a statement; `before` are the
captions of an earlier version. Rows are compared in order where the header declares one (`order`), else sorted.
Other versions stand beside the captions, unless the case is to be `alone`. Each `[[also]]` is the case again with what it changes, and its own `rows`.
"""

from __future__ import annotations

import datetime
import functools
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, ingest_rows

from auditor.scoring.candidates import CandidateSet, bind_candidates
from auditor.store import statements
from auditor.store.captions import NO_TEXT
from auditor.store.connection import MEMORY, Store
from auditor.store.readonly_sql import ask
from auditor.store.signs import bind_signs
from auditor.store.sqlfiles import SqlFile, catalogue, reads_of, sql_root
from auditor.store.versions import resolve
from auditor.store.workspace import Workspace
from auditor.studies.distractors.phrases import bind_words

CASES = ROOT / "tests" / "cases"

#: Captions that several cases name, and what of a case can be such a name.
SHARED = CASES / "captions.toml"
CAPTIONS_OF = ("captions", "system", "before")

PARAMS: dict[str, Any] = {
    "middle": 3.0,
    "against_all": False,
    "drawn": 2,
    "fewest": 2,
    "mirrored": 0,
    "drawn_images": None,
    "most_words": 4095,
    "first_candidate": 2,
    "last_candidate": 4,
    "first_place": 2,
    "last_place": 3,
    "draw_seed": 1,
    "at_random": 2,
    "of_kind": 2,
    "first_image": 1,
    "first_suspect": 1,
    "last_suspect": 100,
    "decoys": 2,
    "least_bits": 1,
    "slot_captions": 500,
    "last_image": 4294967295,
    "seed": 1,
    "sigma": 6.0,
    "clipped": True,
    "tf": "official",
    "folded": False,
    "first_caption": 1,
    "last_caption": 4294967295,
    "skip": 4,
    "words": 3,
    "most_drawn": 3,
    "draws_mean": False,
    "function_words": False,
    "label": "made",
    "last_text": 100,
    "as_text": False,
    "empty_allowed": False,
    "dataset": "case",
    "seq": 1,
    "split": None,
    "confirmed": None,
    "tokenizer": "bare",
    "key": "bare",
    "longest": 4,
    "system": "case",
    "system_seq": 1,
    "system_split": None,
    "selection_no": 0,
    "trained_no": 0,
    "trained_captions": 0,
    "order": 3,
    "importance": 2,
    "minimum": 1,
    "lists": 0,
    "as_written": False,
    "draws": 1,
    "side_no": 1,
    "rank": 1,
    "author": "machine",
    "kind": "triplets",
    "asked_images": None,
    "asked_references": None,
    "set_size": 3,
    "padded": False,
    "near": 700,
    "most_paired": 64,
    "most_texts": 2,
    "most_slots": 100,
    "examples": 2,
    "all_images": False,
    "mentioned": "person",
    "alone": False,
    "folds": 3,
    "trained_dataset": "case",
    "trained_seq": 1,
    "trained_split": None,
    "draw": "mentions",
    "pipeline": "one",
    "most_phrases": 20,
    "known_words": 100,
    "most_images": 100,
    "model_seed": 1,
    "vectors_seq": 1,
    "vectors": "vectors",
    "main": "en",
    "least": 1,
    "other_seq": 1,
    "rare": ["de"],
    "partitions": 2,
    "bucket": 3,
    "buckets": 4,
    "modified": True,
    "least_share": 0.1,
    "least_captions": 2,
    "pattern": "boat",
    "reading": "text",
    "removes": "",
    "loses": "",
    "needs": "",
    "unless": "",
    "fix": "ship",
    "leaking": None,
    "into": None,
}

#: Beside the captions of a case stand others that no file may take for them: what the version before held at their
#: places, what the version after holds there, and those of another dataset.
OTHER_VERSIONS = """
    insert into membership by name
    select m.dataset || o.suffix as dataset, m.image, m.slot, t.other as caption_id, m.split, o.from_seq, o.to_seq
    from membership as m
    join (select caption_id, coalesce(lead(caption_id) over (order by caption_id), 1) as other from caption) as t using (caption_id)
    cross join (values ('', 0, 1), ('', 2, null), (' other', 1, null)) as o (suffix, from_seq, to_seq);
"""


#: What a large store holds beside them: words of other texts, which are the captions of no image. Cases fill in low numbers.
MANY_WORDS = """
    insert into vocabulary
    select n.last + range + 1000, 'w' || range || 'x' from range(100000), (select coalesce(max(token_id), 0) as last from vocabulary) as n;
    insert into caption select n.last + range + 1000, 'w' || range || 'x'
    from range(100000), (select coalesce(max(caption_id), 0) as last from caption) as n;
    insert into caption_tokens
    select c.caption_id, 'bare', [v.token_id] from caption as c join vocabulary as v on v.token = c.text
    where regexp_full_match(c.text, 'w[0-9]+x');
    insert into dataset select 'far' || range, 'captions', 'en', [] from range(60);
"""


def path_of(file: SqlFile) -> Path:
    return CASES / file.path.relative_to(sql_root()).with_suffix(".toml")


def load(file: SqlFile) -> dict[str, Any]:
    case = path_of(file)
    assert case.exists(), f"write {case.relative_to(ROOT)} (CONTRIBUTING.md, Adding a study, step 2)"
    return with_captions(tomllib.loads(case.read_text(encoding="utf-8")), case)


def with_captions(case: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a case with the captions of `captions.toml` in place of their names."""
    for part in (case, *case.get("also", [])):
        for key in CAPTIONS_OF:
            if isinstance(name := part.get(key), str):
                if name not in shared_captions():
                    raise LookupError(
                        f"{path.relative_to(ROOT)}: {key} {name!r} is not in captions.toml; known: {', '.join(shared_captions())}"
                    )
                part[key] = shared_captions()[name]
    return case


@functools.cache
def shared_captions() -> dict[str, list[list[Any]]]:
    return tomllib.loads(SHARED.read_text(encoding="utf-8"))


@contextmanager
def workspace_of(
    file: SqlFile, case: dict[str, Any], beside: str = "", *, may_fail: bool = False
) -> Iterator[Workspace]:
    """Ingest the captions of a case, and what stands `beside` them, and bind what its file reads but does not define.

    In a workspace that `may_fail`, statements go on after one that the engine refuses: its store is no other case's.
    """
    with _opened(case, beside) if may_fail else _filled(case, beside) as store:
        workspace = Workspace(store, **{**PARAMS, **case.get("params", {})})
        if case["captions"]:
            version = resolve(store, "case").version.version
            workspace.params["version"] = workspace.params.get("version", version)
        for name, table in case.get("tables", {}).items():
            _literal(store, workspace, name, table)
        _bind_what_studies_bind(store, workspace, file, case)
        yield workspace


#: Stores by the captions that they hold: three cases of four have those of another one.
_stores: dict[str, Store] = {}

_MOST_STORES = 12


@contextmanager
def _filled(case: dict[str, Any], beside: str) -> Iterator[Store]:
    """Yield a store with the captions of a case, which is afterwards as it was."""
    key = repr((case["captions"], case.get("system"), case.get("alone", False), beside))
    store = _stores.pop(key, None) or _opened(case, beside)
    store.execute("begin transaction")
    try:
        yield store
    except BaseException:
        store.close()
        raise
    store.execute("rollback")
    store._again.clear()
    _stores[key] = store
    if len(_stores) > _MOST_STORES:
        _stores.pop(next(iter(_stores))).close()


def _opened(case: dict[str, Any], beside: str) -> Store:
    store = Store.open(MEMORY)
    store.execute("set threads = 2")  # tokens have numbers in the order in which threads find them
    _ingest(store, case["captions"], "case", kind="candidates")  # which lets an empty caption in
    if "system" in case:
        _ingest(store, case["system"], "system", kind="candidates")
    if not case.get("alone"):
        store.execute(OTHER_VERSIONS)
    if beside:
        store.execute(beside)
    return store


def returned(file: SqlFile, case: dict[str, Any], beside: str = "") -> tuple[list[str], list[tuple[Any, ...]]]:
    if file.name in statements.relations():
        return _asked(case)
    with workspace_of(file, case, beside) as workspace:
        return rows_in(workspace, file)


def rows_in(workspace: Workspace, file: SqlFile) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run a file in a workspace; return its columns, and its rows as a case writes them."""
    frame = workspace.rows(file.name)
    rows = [tuple(_plain(value) for value in row) for row in frame.rows()]
    return frame.columns, rows if file.order else sorted(rows, key=repr)


def variants(case: dict[str, Any]) -> list[dict[str, Any]]:
    """List a case as it stands, then with what each `[[also]]` changes; params and tables are replaced one by one."""
    first = {key: value for key, value in case.items() if key != "also"}
    merged = {key: first.get(key, {}) for key in ("params", "tables")}
    return [first] + [
        {**first, **also, **{key: {**values, **also.get(key, {})} for key, values in merged.items()}}
        for also in case.get("also", [])
    ]


def holds(file: SqlFile, case: dict[str, Any], beside: str = "") -> str:
    """Return where the rows of a file differ from those of its case, and all rows; empty where they are equal."""
    return "\n".join(
        filter(None, (difference(file, one["rows"], *returned(file, one, beside)) for one in variants(case)))
    )


def difference(file: SqlFile, expected: list[Any], columns: list[str], rows: list[tuple[Any, ...]]) -> str:
    """Return where rows differ from those that are expected, and all rows; empty where they are equal."""
    if tuple(columns) != file.returns:
        return f"columns {columns}, declared {file.returns}"
    wrong = [
        f"row {number}: returned {row}, expected {wanted}"
        for number, (row, wanted) in enumerate(zip_longest(rows, map(tuple, expected)), 1)
        if row is None or wanted is None or not _equal(row, wanted)
    ]
    return "\n".join([*wrong, "returned:", *map(str, rows)]) if wrong else ""


def _equal(row: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return bool(row == (pytest.approx(wanted, abs=1e-11) if any(isinstance(v, float) for v in wanted) else wanted))


def order_of(statement: str) -> str:
    """Return by what the outermost `order by` of a statement orders its rows; empty without one."""
    found = re.search(r"(?ms)^order by (.*)\Z", re.sub(r"--.*", "", statement))
    return " ".join(found[1].split()) if found else ""


def _asked(case: dict[str, Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
    with Store.open(MEMORY) as store:
        for captions in (case.get("before", []), case["captions"]):
            _ingest(store, captions, "case", kind="candidates")
        for name, table in case.get("tables", {}).items():
            _fill(store, name, table)
        frame = ask(store, case["asked"], {})
        rows = [tuple(_plain(value) for value in row) for row in frame.rows()]
        return frame.columns, rows if "order by" in case["asked"] else sorted(rows, key=repr)


def _count_ngrams(workspace: Workspace) -> None:
    workspace.params |= {"first_image": 1, "last_image": 4294967295}
    workspace.bind("selection_frequency")


def _bind_what_studies_bind(store: Store, workspace: Workspace, file: SqlFile, case: dict[str, Any]) -> None:
    if "annotated" not in workspace.bound:
        workspace.bind("annotated", "annotation_as_of")
    if {"word_class", "symmetric_link"} & reads_of(file.name):
        bind_words(workspace)
    if "phrase_at_work" in reads_of(file.name) and "content" in workspace.bound:
        workspace.bind("phrase_at_work", "annotated_phrase")
    if not case["captions"]:
        return
    if "made_text" not in workspace.bound:
        workspace.bind_rows("made_text", NO_TEXT)
    if "every_reference" not in workspace.bound:
        workspace.bind("every_reference", "reference")
    if "reference" not in workspace.bound and file.name != "reference":
        workspace.bind("reference")
    if "text_at_work" not in workspace.bound and file.name != "reference_text":
        workspace.bind("text_at_work", "reference_text")
    weighs = {"selection_frequency", "document_frequency", "collection"} & {*reads_of(file.name)}
    if weighs and "selection_frequency" not in workspace.bound and file.name != "selection_frequency":
        _count_ngrams(workspace)
    if "cache.ngram_frequency" in file.reads:
        _count_ngrams(workspace)
        kept = {name: workspace.params[name] for name in ("dataset", "version", "tokenizer")}
        columns = ", ".join(f"${name} as {name}" for name in kept)
        counted = workspace._held["selection_frequency"].table
        store.execute(f"insert into cache.ngram_frequency by name select {columns}, * from {counted}", kept)
    if "candidate" not in workspace.bound or "candidate" in case:
        bind_candidates(workspace, _candidate_sets(store, case))
        workspace.params["label"] = case.get("params", {}).get("label", PARAMS["label"])
    elif "text_at_work" not in case.get("tables", {}):
        workspace.bind("text_at_work", "reference_text", "candidate_text")
    if "every_candidate" in file.reads:
        workspace.bind("every_candidate", "candidate")
    if weighs and "document_frequency" not in workspace.bound:
        workspace.bind("document_frequency", "selection_frequency")
        workspace.bind_rows(
            "collection", workspace.query("select ln(max(image_no)::double) as log_documents from reference")
        )
    if "content_word" in reads_of(file.name) and "content_word" not in workspace.bound:
        workspace.bind("content_word", "content_word_by_list")
    if "duplicate" in reads_of(file.name):
        workspace.bind("duplicate", "duplicate_elsewhere", "duplicate_within")
    if "sign" in reads_of(file.name):
        bind_signs(workspace)


def _candidate_sets(store: Store, case: dict[str, Any]) -> list[CandidateSet]:
    """Make the sets of a case: substitutes come from dataset "system", made texts from the words of dataset "case"."""
    params = PARAMS | case.get("params", {})
    made = {"makes": "gibberish_text"}
    substitutes = {"drawn_from": (resolve(store, "system"),)} if "system" in case else {}
    beside = {**made, "makes": "changed_text", "references": "changed_reference"}
    further = {
        "candidate_made": made,
        "candidate_beside_changed": beside,
        "candidate_inter": substitutes,
        "candidate_brown": substitutes,
    }
    return [
        CandidateSet(file.removeprefix("candidate_"), file, params, **further.get(file, {}))
        for file in case.get("candidate", ["candidate_human"])
    ]


def _ingest(store: Store, captions: list[list[Any]], dataset: str, **options: Any) -> None:
    if captions:
        splits: dict[str, list[str]] = {}
        for image, _, _, *split in captions:
            if split and image not in splits.setdefault(split[0], []):
                splits[split[0]].append(image)
        rows = [(image, slot, text) for image, slot, text, *_ in captions]
        ingest_rows(store, rows, dataset, splits=splits, **options)


def _literal(store: Store, workspace: Workspace, name: str, table: dict[str, Any]) -> None:
    """Bind a relation with typed columns, or fill a table that the store has. Nested values are written as text."""
    if all(" " in column for column in table["columns"]):
        store.execute(f"create or replace temp table literal_{name} ({', '.join(table['columns'])})")
        _fill(store, f"literal_{name}", table)
        workspace._hold(name, f"from literal_{name}", {})
        workspace._is_bound(name)
    else:
        _fill(store, name, table)


def _fill(store: Store, name: str, table: dict[str, Any]) -> None:
    types = dict(
        store.query(
            "select column_name, data_type from duckdb_columns() where table_name = $name",
            {"name": name.removeprefix("cache.")},
        ).iter_rows()
    )
    columns = [column.partition(" ")[0] for column in table["columns"]]
    marks = ", ".join(f"$v{place}::{types[column]}" for place, column in enumerate(columns))
    for row in table["rows"]:
        values = {f"v{place}": None if value == "NULL" else value for place, value in enumerate(row)}
        store.execute(f"insert into {name} ({', '.join(columns)}) values ({marks})", values)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, float):
        return round(value, 12)
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value)):
        return str(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, datetime.datetime):
        return str(value)
    return "NULL" if value is None else value


def every_file() -> list[SqlFile]:
    return [*catalogue().values(), *(one.file for one in statements.relations().values())]
