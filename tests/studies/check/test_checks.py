"""Gates: each measures what its study says, limits are inclusive, what cannot be answered is never a pass."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT, Rows, ingest_rows, searching_for

import auditor
from auditor import config, reports
from auditor.cli.app import main
from auditor.errors import SqlError, UsageError
from auditor.model import Gate, Source
from auditor.result import Result
from auditor.statistics.cards import explained
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.studies.check import gates, measures
from auditor.studies.check.measures import MeasureRequest
from auditor.studies.check.study import check
from auditor.studies.duplicates.study import duplicates
from auditor.studies.templates.study import templates

ROWS: Rows = [
    ("a", 0, "a red kite over the blue water"), ("a", 1, "A red kite over the blue water."), ("a", 2, "one boat"),
    ("b", 0, "a red kite over the blue water"), ("b", 1, "ein Café"), ("b", 2, "two dogs run"),
    ("c", 0, "a man"), ("c", 1, "..."), ("c", 2, "the man sits there"),
]  # fmt: skip
SPLITS = {"train": ["a"], "test": ["b", "c"]}


def gate(name: str, limit: object, dataset: str | None = None) -> Gate:
    return Gate(dataset, tuple(name.split(".")), limit, Path("datasets.toml"))


def statement(sql: str, dataset: str | None = None, name: str = "a check") -> Gate:
    return Gate(dataset, ("sql", name), sql, Path("datasets.toml"))


def checked(
    store: Store, *demanded: Gate, refs: tuple[str, ...] = ("set",), strict: bool = False
) -> list[dict[str, Any]]:
    return check(store, *refs, gates=demanded, strict=strict).frame.to_dicts()


@pytest.fixture
def held(store: Store) -> Store:
    ingest_rows(store, ROWS, splits=SPLITS)
    return store


def test_gates_measure_what_their_names_say_and_limits_are_inclusive(held: Store) -> None:
    values = {
        "images.min": 3,
        "captions_per_image.min": 3,
        "captions_per_image.max": 3,
        "length.asl.max": (7 + 7 + 2 + 7 + 2 + 3 + 2 + 0 + 4) / 9,
        "empty.max": 1 / 9,
        "duplicates_within_image.max": 1 / 8,
        "duplicates_across_images.exact.max": 3 / 8,
        "leakage.max": 1 / 5,
        "leakage.exact.max": 1 / 5,
    }
    rows = checked(held, *(gate(name, value) for name, value in values.items()))
    assert {row["gate"]: row["value"] for row in rows} == values
    assert {row["verdict"] for row in rows} == {"passed"}
    beyond = {
        name: math.nextafter(value, math.inf * (1 if name.endswith("min") else -1)) for name, value in values.items()
    }
    rows = checked(held, *(gate(name, value) for name, value in beyond.items()))
    assert {row["verdict"] for row in rows} == {"failed"}
    assert all(("at least" in row["reason"]) == row["gate"].endswith("min") for row in rows)


def test_a_near_leak_is_a_leak_though_no_exact_one(store: Store) -> None:
    rows: Rows = [
        ("a", 0, "a man rides a brown horse along the beach"),
        ("b", 0, "a man rides a black horse along the beach"),
    ]
    ingest_rows(store, rows, splits={"train": ["a"], "test": ["b"]})
    near, exact = checked(store, gate("leakage.max", 0), gate("leakage.exact.max", 0))
    assert (near["value"], near["verdict"], exact["value"], exact["verdict"]) == (1.0, "failed", 0.0, "passed")


def test_split_that_counts_as_train_can_leak(store: Store) -> None:
    ingest_rows(store, ROWS, splits={"restval": ["a"], "test": ["b", "c"]})
    declared = {"set": Source("set", "captions", "literal", (), split_roles={"restval": "train"})}
    result = check(store, "set", gates=[gate("leakage.max", 0)], config=declared)
    failed = not result.holds
    assert failed
    assert result.frame["value"].to_list() == [0.2]


def test_numbers_are_those_of_the_studies(held: Store) -> None:
    asked = MeasureRequest(Captions(held, auditor.store.versions.resolve(held, "set"), "bare"), {}, lambda *_: None)
    shares = duplicates(held, "set").frame.filter(statistic="captions", match="any", scope="across-images")
    shares = shares.filter(shares["slot"].is_null())
    found = measures.repetition(asked).filter(statistic="across-images")
    assert found["value"].to_list() == shares["value"].to_list()
    made = templates(held, "set", metric="bleu-1").frame.filter(statistic="templated")
    assert measures.templates(asked)["value"].to_list() == made["value"].to_list()


def test_homogeneity_is_judged_by_the_upper_end_of_its_interval(store: Store) -> None:
    nouns = ("dog", "kite", "man", "boat", "tree", "girl", "cow", "hat", "sun", "cat")
    rows = [
        (f"i{n}", slot, f"a {noun} {'on the water'[: 4 * slot]}") for n, noun in enumerate(nouns) for slot in (0, 1, 3)
    ]
    ingest_rows(store, rows)
    (row,) = checked(store, gate("homogeneity.bleu-1.high.max", 0.0))
    assert (row["metric"], row["statistic"]) == ("bleu-1", "homogeneity")
    assert row["signature"].startswith("bleu-1|")
    between = (row["value"] + row["high"]) / 2
    assert row["low"] <= row["value"] < between < row["high"]
    (row,) = checked(store, gate("homogeneity.bleu-1.high.max", between))
    assert row["verdict"] == "failed"


def test_metric_with_a_dot_in_its_name_needs_no_quotes() -> None:
    bare, quoted = "homogeneity.rouge-w-1.2.high.max".split("."), ("homogeneity", "rouge-w-1.2", "high", "max")
    written = [Gate(None, tuple(keys), 1, Path("datasets.toml")) for keys in (bare, quoted)]
    assert {one.metric for one in gates.understood(written).demands} == {"rouge-w-1.2"}


def test_drift_is_since_the_version_before_or_what_is_named(held: Store) -> None:
    first = gate("drift.js.max", 0.0)
    assert "first version" in checked(held, first)[0]["reason"]
    ingest_rows(held, [*ROWS, ("d", 0, "entirely other words")], splits=SPLITS)
    (row,) = checked(held, first)
    assert row["verdict"] == "failed"
    assert row["value"] > 0
    assert f"|since:set@{row['version'][:12]}|" not in row["signature"]
    (row,) = checked(held, first, gate("drift.against", f"set@{row['version'][:12]}"))
    assert f"|since:set@{row['version'][:12]}|" in row["signature"]
    assert (row["verdict"], row["value"]) == ("passed", 0)
    (row,) = checked(held, first, gate("drift.against", "nowhere"))
    assert (row["verdict"], row["value"]) == ("not answerable", None)
    assert "nowhere: not in" in row["reason"]


@pytest.mark.parametrize("before", ["set@v1", "set", "set:test"])
def test_drift_since_the_checked_version_is_no_pass(held: Store, before: str) -> None:
    demanded, ref = (gate("drift.js.max", 0.0), gate("drift.against", before)), before.replace("@v1", "")
    (row,) = checked(held, *demanded, refs=(ref,))
    assert (row["verdict"], row["value"]) == ("not answerable", None)
    assert row["reason"].startswith(f"{before} is the version that is checked; keep the store between runs")
    (row,) = checked(held, *demanded, refs=(ref,), strict=True)
    assert row["verdict"] == "failed"


def test_what_cannot_be_answered_says_why_and_fails_only_if_strict(held: Store) -> None:
    ingest_rows(held, [("a", 0, "one caption"), ("b", 0, "another one")], dataset="lone")
    ingest_rows(held, [("a", 0, "one caption"), ("a", 1, "another one")], dataset="single")
    words = {
        ("set:test", "leakage.max"): "check the whole dataset",
        ("set:test", "msttr.min"): "tokens",
        ("lone", "leakage.max"): "needs the splits test and train: it has no splits",
        ("lone", "outliers.max"): "needs two captions per image",
        ("lone", "homogeneity.bleu-1.high.max"): "needs two captions per image",
        ("single", "homogeneity.bleu-1.high.max"): "has only one image with captions",
    }
    for ref in ("set:test", "lone", "single"):
        demanded = [gate(name, 1) for whose, name in words if whose == ref]
        result = check(held, ref, gates=demanded)
        failed = not result.holds
        rows = result.frame.to_dicts()
        assert not failed
        assert [(row["verdict"], row["value"]) for row in rows] == [("not answerable", None)] * len(demanded)
        assert all(words[ref, row["gate"]] in row["reason"] for row in rows)
        result = check(held, ref, gates=demanded, strict=True)
        failed = not result.holds
        assert failed
        assert result.frame["reason"].str.starts_with("not answerable: ").all()


def test_value_that_is_not_a_number_is_no_pass(held: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (math.nan, math.inf, None):
        rule = gates.GateRule(lambda _, v=value: measures._row("images", v, "s"), "images")  # type: ignore[misc]
        monkeypatch.setitem(gates.GATES, "images.min", rule)  # type: ignore[arg-type]
        (row,) = checked(held, gate("images.min", 5))
        assert row["verdict"] == "not answerable"


def test_only_what_gates_ask_for_is_computed(held: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("duplicates", "templates", "outliers", "score_sets", "drifted", "diversity_of"):
        monkeypatch.setattr(measures, name, None)
    assert checked(held, gate("images.min", 1), gate("length.asl.max", 1))[0]["verdict"] == "passed"


@searching_for("personal-data", "markup", "uneven-captions", "padded-images")
def test_worst_finding_is_gated_and_named_and_a_kind_that_is_accepted_is_told(store: Store) -> None:
    texts = ("a dog runs home", "two cats sleep", "the boat leaves early", "rain falls on roofs", "children play chess")
    rows = [
        (f"i{n}", slot, f"{text} {'again' if (slot + n) % 2 else ''}")
        for n, text in enumerate(texts)
        for slot in (0, 1)
    ]
    ingest_rows(store, [*rows, ("z", 0, "write to ann@example.org"), ("z", 1, "a cat")])
    worst = gate("findings.max_severity", "notice")
    (row,) = checked(store, worst)
    assert (row["verdict"], row["value"]) == ("failed", 2.0)
    assert "severity is warning, expected at most notice: set: captions with an e-mail address" in row["reason"]
    accepted = check(store, "set", gates=[worst, gate("ignore.personal-data", "an example address")])
    assert accepted.holds, accepted.frame["reason"].to_list()
    assert "set: personal-data is ignored: an example address" in accepted.notes
    rows = checked(store, gate("findings.personal-data.max", 1 / 12), gate("findings.markup.max", 0))
    assert [(row["value"], row["verdict"]) for row in rows] == [(1 / 12, "passed"), (0.0, "passed")]


@searching_for("personal-data")
def test_a_severity_is_named_and_a_share_is_in_percent_wherever_people_read(store: Store) -> None:
    ingest_rows(store, [*ROWS, ("d", 0, "write to ann@example.org")])
    demanded = [
        gate("findings.max_severity", limit, dataset) for limit, dataset in (("notice", "set"), ("info", "gone"))
    ]
    demanded += [gate("duplicates_across_images.exact.max", 0.25), gate("leakage.max", 0.5), gate("images.min", 2)]
    result = check(store, gates=demanded)
    named = dict(result.tables[0].frame.select("gate", pl.concat_str("value", "limit", separator=" of ")).iter_rows())
    assert named["duplicates_across_images.exact.max"] == "33.3% of 25%"
    assert named["images.min"] == "4 of 2"
    limits = result.tables[0].frame.filter(gate="findings.max_severity")["limit"].to_list()
    assert (named["findings.max_severity"], limits) == (None, ["notice", "info"])
    assert result.frame.filter(gate="findings.max_severity")["limit"].to_list() == [1, 0]
    for name in ("md", "latex", "html", "junit", "github", "sarif"):
        shown = reports.TEXT_FORMATS[name](result).replace("\\%", "%").replace("%25", "%")
        assert "severity is warning, expected at most notice" in shown, name
        assert "across-images-exact is 33.3%, expected at most 25%" in shown, name
        assert not re.search(r"(value:|limit:|[>|&]) *[0-3]\.0+\b", shown), name


def test_values_are_written_with_enough_digits_to_tell_them_apart() -> None:
    assert gates.written("leakage", 0.134396, 0.05, None) == ["13.4%", "5%", None]
    assert gates.written("leakage", 0.050001, 0.05) == ["5.0001%", "5%"]
    assert gates.written("images", 1234567.0, 0.5) == ["1,234,567", "0.5"]


def test_a_gate_is_on_the_side_that_the_card_of_its_statistic_calls_worse() -> None:
    for name, rule in gates.GATES.items():
        card = explained(rule.statistic)
        assert card is not None, name
        assert card.better != ("lower" if name.endswith(".min") else "higher"), name


def test_own_gate_replaces_that_of_all(held: Store) -> None:
    demanded = (gate("images.min", 9), gate("images.min", 3, "set"), statement("select $dataset as d"))
    demanded += (statement("select 1 where false", "set"),)
    assert [row["verdict"] for row in checked(held, *demanded)] == ["passed", "passed"]


def test_failed_gates_come_first_on_screen(held: Store) -> None:
    demanded = [gate("images.min", 1), gate("images.min", 1, "gone"), gate("duplicates_across_images.exact.max", 0.01)]
    result = check(held, gates=demanded)
    assert result.tables[0].frame["verdict"].to_list() == ["failed", "not answerable", "passed"]
    assert result.frame["verdict"].to_list() == ["passed", "failed", "not answerable"]


def test_without_names_every_dataset_of_captions_is_checked_and_those_with_own_gates(held: Store) -> None:
    ingest_rows(held, [("x", 0, "made by a system")], dataset="output", kind="candidates")
    ingest_rows(held, [("x", 0, "a sentence")], dataset="words", kind="corpus")
    rows = checked(held, gate("images.min", 1), gate("images.min", 2, "output"), gate("images.min", 1, "gone"), refs=())
    found = {row["dataset"]: (row["verdict"], row["version"] is None) for row in rows}
    assert found == {"set": ("passed", False), "output": ("failed", False), "gone": ("not answerable", True)}
    assert "auditor ingest gone" in rows[-1]["reason"]


def test_sql_is_asked_of_each_dataset_where_it_names_one_else_once(held: Store) -> None:
    ingest_rows(held, [("a", 0, "x")], dataset="other")
    shouting = statement("select image, text from captions where dataset = $dataset and seq_of($seq) = 1", name="b")
    with pytest.raises(SqlError, match=r"datasets.toml: \[check\]: check 'b': .*seq_of"):
        checked(held, shouting)
    empty = statement("select image, slot from captions where dataset = $dataset and text = '...'", name="empty")
    once = statement("select dataset from latest where seq > 1", name="once")
    result = check(held, "set", "other", gates=[empty, once])
    failed = not result.holds
    assert failed
    told = result.frame.select("dataset", "gate", "value", "verdict").rows()
    assert told == [
        ("set", "sql.empty", 1, "failed"),
        ("other", "sql.empty", 0, "passed"),
        (None, "sql.once", 0, "passed"),
    ]
    assert result.frame["reason"][0] == "1 row, expected none; the first: image = c, slot = 1"
    assert result.tables[1].frame.rows() == [("c", 1)]


def test_rows_of_sql_have_an_order_of_their_own_unless_they_are_ordered(held: Store) -> None:
    for sql, first in {
        "select i, [i] as l, {'a': i} as s from range(9) as r (i) where random() >= 0": "i = 0, l = [0]",
        "select i from range(9) as r (i) order by i desc": "i = 8",
        "select [i] as l from range(1) as r (i)": "l = [0]",
    }.items():
        (row,) = checked(held, statement(sql))
        assert f"the first: {first}" in row["reason"]


def test_sql_that_fails_is_named_with_its_place(held: Store) -> None:
    faults = {
        "selec 1": "syntax error",
        "delete from caption": "read-only",
        "select 1; select 2": "one statement",
        "select $other": r"unknown parameter \$other; use \$dataset",
        "from nothing": "no table nothing; ",
    }
    for sql, words in faults.items():
        with pytest.raises(SqlError, match=rf"datasets.toml: \[check\]: check 'a check': .*{words}") as caught:
            checked(held, statement(sql))
        assert caught.value.exit_code == 5


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            gate("images.most", 1),
            r"datasets.toml: \[check\]: unknown gate images.most; use images.min, captions_per_image.min",
        ),
        (gate("images", 5), "unknown gate images;"),
        (gate("drift.cider.js.max", 1), "unknown gate"),
        (gate("images.min", "many"), "expected a number, not 'many'"),
        (gate("images.min", True), "expected a number, not True"),
        (gate("images.min", math.nan), "expected a number, not nan"),
        (gate("homogeneity.cidre.high.max", 1), r"datasets.toml: \[check\]: .*cidre: unknown metric"),
        (gate("drift.against", 3), "expected a version or a dataset"),
        (gate("findings.max_severity", "bad"), 'expected "info", "notice" or "warning", not .bad.'),
        (gate("findings.typos.max", 0), "KIND as in docs/findings.md"),
        (gate("ignore.typos", "known"), "unknown kind of finding"),
        (gate("ignore.placeholders", ""), "expected a reason"),
    ],
)
def test_wrong_gate_is_refused_with_its_place(wrong: Gate, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        gates.understood([gate("images.min", 1), wrong])


def test_nothing_to_check_is_no_pass(held: Store) -> None:
    with pytest.raises(UsageError, match=r"no gates are declared; add them to datasets.toml"):
        check(held, gates=[gate("drift.against", "set@v1")])
    with pytest.raises(UsageError, match="set: no gate is declared for it"):
        check(held, "set", gates=[gate("images.min", 1, "other")])


def test_a_dataset_without_a_gate_is_named_beside_one_that_has_some(held: Store) -> None:
    ingest_rows(held, ROWS, "other")
    notes = check(held, "set", "other", gates=[gate("images.min", 1, "set")]).notes
    assert [note for note in notes if "no gate" in note] == ["other: no gate is declared for this dataset"]


@pytest.mark.parametrize(("limit", "code"), [(3, 0), (4, 1)])
def test_command_ends_with_1_where_a_gate_fails(limit: int, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    Path("datasets.toml").write_text(f"[set.check]\nimages.min = {limit}\n")
    with Store.open(Path("audit.duckdb"), write=True) as opened:
        ingest_rows(opened, ROWS)
    with pytest.raises(SystemExit) as caught:
        main(["check", "--format", "github"])
    assert (caught.value.code or 0) == code
    out = capsys.readouterr().out
    assert out.startswith(
        "::error file=datasets.toml,line=2,title=set%3A images.min::images is 3" if code else "::notice"
    )
    with auditor.open("audit.duckdb") as audit:
        result: Result = audit.check("set")
    assert result.frame["verdict"].to_list() == ["failed" if code else "passed"]


def test_mistake_in_the_file_comes_before_one_about_the_store(capsys: pytest.CaptureFixture[str]) -> None:
    Path("datasets.toml").write_text("\n[check]\nimages.most = 1\n")
    with pytest.raises(SystemExit) as caught:
        main(["check"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("error: datasets.toml: [check]: unknown gate images.most")


def test_gates_are_read_however_they_are_written() -> None:
    Path("datasets.toml").write_text(
        """# [check]
[settings]
data = "x"
[check]
images.min = 1   # comment
"empty" . max = 0
homogeneity."rouge-w-1.2".high.max = 0.5
length = { asl.min = 5, asl.max = 12 }

[[check.sql]]
sql = '''
select "[check]"
images.min = 5
\'\'\'
name = "é"
[flickr8k.check]
[flickr8k.check.images]
min = 3
[[flickr8k.check.sql]]
name = "a"
sql = ""
[[flickr8k.check.sql]]
name = "b"
sql = ""
[mine]
format = "list"
path = "a"
check.drift.against = "x"
"""
    )
    told = {(one.dataset, one.name): one.limit for one in config.gates()}
    assert told == {
        (None, "images.min"): 1, (None, "empty.max"): 0, (None, "homogeneity.rouge-w-1.2.high.max"): 0.5,
        (None, "length.asl.min"): 5, (None, "length.asl.max"): 12, (None, "sql.é"): 'select "[check]"\nimages.min = 5\n',
        ("flickr8k", "images.min"): 3, ("flickr8k", "sql.a"): "", ("flickr8k", "sql.b"): "",
        ("mine", "drift.against"): "x",
    }  # fmt: skip
    declared = config.sources()
    assert declared["flickr8k"].format == "flickr"
    assert declared["mine"].format == "list"
    assert "check" not in declared


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("check = 5", r"datasets.toml: \[check\]: check must be a table"),
        ("[check]\nsql = 'select 1'", r"datasets.toml: \[check\]: \[\[check.sql\]\] needs name"),
        ("[check]\n[[check.sql]]\nname = 'a'", r"datasets.toml: \[check\]: .* needs name"),
        ("[[check.sql]]\nname = 'a'\nsql = 5", r"datasets.toml: \[check\]: .* needs name"),
        (
            "[[a.check.sql]]\nname='a'\nsql=''\n[[a.check.sql]]\nname='a'\nsql=''",
            r"datasets.toml: \[a.check\]: two checks are called",
        ),
    ],
)
def test_check_that_cannot_be_read_is_refused(content: str, words: str) -> None:
    Path("datasets.toml").write_text(content)
    with pytest.raises(UsageError, match=words):
        config.gates()


PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


def test_page_explains_every_gate_and_its_example_is_understood() -> None:
    for name in gates.GATES:
        stem, _, bound = name.rpartition(".")
        assert f"`{name}`" in PAGE or (f"`{stem}.min`" in PAGE and f"`.{bound}`" in PAGE)
    example, *_ = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    Path("datasets.toml").write_text(example)
    wanted = gates.understood(config.gates())
    assert len(wanted.demands) + len(wanted.statements) == 10
    assert wanted.since == {"mine": "published"}
    assert {"mine", "published"} <= config.sources(Path("datasets.toml")).keys()


def test_snippets_are_yaml() -> None:
    yaml = pytest.importorskip("yaml")
    workflow, action, hooks = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
    runs = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    assert "auditor check mine --strict --format github" in runs
    assert action["jobs"]["findings"]["steps"][-1]["uses"] == "./auditor"
    assert "auditor check" in hooks["repos"][0]["hooks"][0]["entry"]


def test_the_page_has_the_values_of_versions_that_were_checked(tmp_path: Path) -> None:
    path, demanded = tmp_path / "audit.duckdb", [gate("images.min", 3), gate("duplicates_within_image.max", 0.2)]
    pages = []
    for rows, is_checked in ((ROWS, True), (ROWS[:-1], False), (ROWS[:6], True)):
        with Store.open(path, write=True) as store:
            ingest_rows(store, rows)
            pages += [check(store, "set", gates=demanded).page] if is_checked else []
    assert [table.name for table in pages[0]] == ["gates"]
    (history,) = (table.frame for table in pages[1] if table.name == "history")
    assert history.rows() == [
        ("images.min", "3", "3", "not measured", "2"),
        ("duplicates_within_image.max", "20%", "12.5%", "not measured", "16.7%"),
    ]
