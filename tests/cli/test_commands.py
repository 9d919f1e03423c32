"""The command line as a user meets it: exit codes, stdout is data, stderr is narration, one line for a mistake."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, asked, searching_for
from running import Run, run_auditor
from sizes import some

from auditor.cli import options
from auditor.cli.app import LISTED
from auditor.reports import terminal
from auditor.scoring.registry import METRICS, defaults

CAPTIONS = """a.jpg#0	A dog runs .
a.jpg#1	the dog is running
b.jpg#0	A cat sits .
b.jpg#1	a cat sits on a mat
c.jpg#0	alone
"""


def auditor_in(folder: Path) -> Callable[..., Run]:
    def run(*arguments: str, code: int = 0, stdin: bytes = b"", **environment: str) -> Run:
        done = run_auditor(*arguments, folder=folder, stdin=stdin, **environment)
        assert done.returncode == code, done.stderr + done.stdout
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture
def auditor(tmp_path: Path) -> Callable[..., Run]:
    return auditor_in(tmp_path)


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingested")
    (folder / "captions.token").write_text(CAPTIONS)
    auditor_in(folder)("ingest", "mine", "--from", "captions.token", "--format", "flickr")
    return folder


@pytest.fixture
def filled(auditor: Callable[..., Run], ingested: Path, tmp_path: Path) -> Callable[..., Run]:
    shutil.copytree(ingested, tmp_path, dirs_exist_ok=True)
    return auditor


def rows(done: Run, command: str) -> list[dict[str, object]]:
    return json.loads(done.stdout)[f"auditor.{command}/v3"]["rows"]


def test_ingest_says_what_it_read_and_refused(auditor: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "captions.token").write_bytes(
        CAPTIONS.replace("\n", " \n", 1).encode() + b"no tab\na.jpg#0\ttwice\nd.jpg#0\t \ne.jpg#0\tbro\xffken\n"
    )
    dirty = ("ingest", "mine", "--from", "captions.token", "--format", "flickr", "--max-rejected", "0.5")
    done = auditor(*dirty, "--json")
    assert rows(done, "ingest")[0] | {"version": ""} == {
        "dataset": "mine",
        "status": "new",
        "seq": 1,
        "version": "",
        "images": 3,
        "captions": 5,
        "read": 9,
        "normalized": 1,
        "rejected": 4,
        "added": 5,
        "removed": 0,
    }
    table = auditor(*dirty).stdout
    assert "unchanged v1" in table
    for line, reason in (
        (6, "no tab"),
        (7, "duplicate key a.jpg#0, first at 1"),
        (8, "empty caption"),
        (9, "not UTF-8"),
    ):
        assert f"captions.token:{line}" in table
        assert reason in table
    kept = rows(auditor("sql", "select line, reason from rejected order by line", "--json"), "sql")
    assert [row["line"] for row in kept] == [6, 7, 8, 9]


def test_too_many_refusals_name_the_first_ten_and_change_nothing(filled: Callable[..., Run], tmp_path: Path) -> None:
    lines = [f"i{n}.jpg#0\tcaption {n}\n" for n in range(1000)] + ["no tab\n"] * 12
    (tmp_path / "dirty.token").write_text("".join(lines))
    done = filled("ingest", "mine", "--from", "dirty.token", code=3)
    assert "12 of 1,012 records were rejected, more than 1.00% (--max-rejected); the store is unchanged" in done.stderr
    assert done.stderr.count("dirty.token:10") == 10
    assert done.stderr.count("\n") == 1
    assert len(rows(filled("datasets", "mine", "--json"), "datasets")) == 1
    assert rows(filled("ingest", "dirty", "--from", "dirty.token", "--max-rejected", "0.02", "--json"), "ingest")


def test_strict_takes_no_refusal(auditor: Callable[..., Run], tmp_path: Path) -> None:
    lines = [f"i{n}.jpg#0\tcaption {n}\n" for n in range(1000)] + ["no tab\n"]
    (tmp_path / "dirty.token").write_text("".join(lines))
    assert "1 of 1,001" in auditor("ingest", "mine", "--from", "dirty.token", "--strict", code=3).stderr
    auditor("ingest", "mine", "--from", "dirty.token")


def test_unknown_format_is_guessed_and_said(auditor: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CAPTIONS)
    (tmp_path / "b.txt").write_text('[{"image_id": 1, "caption": "x"}]')
    assert 'detected format "flickr"' in auditor("ingest", "a", "--from", "a.txt").stdout
    assert 'detected format "table"' in auditor("ingest", "b", "--from", "b.txt").stdout
    (tmp_path / "c.bin").write_bytes(bytes(range(256)))
    assert "unknown format" in auditor("ingest", "c", "--from", "c.bin", code=3).stderr


def test_standard_input_is_read(auditor: Callable[..., Run], tmp_path: Path) -> None:
    for name, content in (("plain", CAPTIONS.encode()), ("zipped", gzip.compress(CAPTIONS.encode()))):
        auditor("ingest", name, "--from", "-", stdin=content)
    versions = {row["version"] for row in rows(auditor("datasets", "--json"), "datasets")}
    assert len(versions) == 1


def test_pattern_reads_its_files_in_order(auditor: Callable[..., Run], tmp_path: Path) -> None:
    first, second = CAPTIONS.split("\n", 1)
    (tmp_path / "part-1.token").write_text(first + "\n")
    (tmp_path / "part-2.token").write_text(second)
    (tmp_path / "whole.token").write_text(CAPTIONS)
    auditor("ingest", "parts", "--from", "part-*.token")
    auditor("ingest", "whole", "--from", "whole.token")
    assert len({row["version"] for row in rows(auditor("datasets", "--json"), "datasets")}) == 1
    assert "no file matches" in auditor("ingest", "none", "--from", "nothing-*.token", code=3).stderr


def test_images_with_one_caption_are_named(auditor: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a.token").write_text(CAPTIONS + "alone.jpg#0\tonly one\n")
    assert (
        "a single caption, which has no reference and gets no score"
        in auditor("ingest", "a", "--from", "a.token").stdout
    )


def test_file_of_another_format_exits_3_and_makes_no_store_of_it(filled: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    done = filled("ingest", "mine", "--from", "picture.png", "--format", "flickr", code=3)
    assert done.stdout == ""
    assert done.stderr.startswith('error: picture.png: not of format "flickr"')
    assert done.stderr.count("\n") == 1
    assert len(rows(filled("datasets", "mine", "--json"), "datasets")) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["bounds"], 2, "Missing argument"),
        (["bounds", "nope"], 2, "the store holds mine"),
        (["bounds", "mine", "-m", "bertscore"], 5, "unknown metric"),
        (["bounds", "mine", "--tokenizer", "nope"], 2, "no such tokenizer"),
        (["bounds", "nope", "--format", "none"], 2, "unknown format"),  # before it looks at the store
        (["bounds", "mine", "mine"], 2, "name each once"),
        (["profile", "mine", "mine@v1"], 2, "name each once"),
        (["bounds", "nope", "-o", "none/x.csv"], 2, "cannot be written: the folder none does not exist"),
        (["bounds", "nope", "-o", "."], 2, "cannot be written: it is a folder"),
        (["bounds", "nope", "--seed", "9223372036854775807"], 2, "expected 0 to 2^62"),
        (["bounds", "nope", "--seed", "-1"], 2, "expected 0 to 2^62"),
        (["reproduce", "bleu", "--seed", "-1"], 2, "expected 0 to 2^62"),
        (["bounds", "nope", "--references", "99999999999"], 2, "--references 99999999999: expected 1 to 2,147,483,646"),
        (["bounds", "mine", "--nope"], 2, "auditor bounds --help"),
        (["ingest", "mine", "--config", "."], 2, "--config .: is a folder; name another file"),
        (["ingest", "mine", "--config", "/dev/null"], 2, "/dev/null: not a regular file; name another file"),
        (["findings", "mine", "--verdicts", "captions.token"], 2, "captions.token: not a folder; name another folder"),
        (["score", "mine", "--candidates", "mine"], 2, "against itself"),
        (["bounds", "mine:test"], 2, "it has no splits"),
        (["compare", "mine"], 2, "two or more datasets"),
        (["datasets", "--store", "none.duckdb"], 4, "no store here"),
        (["ingest", "nope"], 2, "not declared in datasets.toml"),
        (["ingest", "flickr8k"], 3, "no such file"),
        (["ingest", "mine", "--from", "none", "--format", "flickr"], 3, "no such file"),
        (["ingest", "mine", "--from", "captions.token", "--format", "nope"], 2, "unknown format"),
        (["sql", "select nothing from nowhere"], 5, "nowhere"),
        (["sql", "delete from caption"], 5, "read-only"),
        (["sql", "copy (select 1) to 'audit.duckdb'"], 5, "read-only"),
        (["sql", "attach 'other.duckdb'"], 5, "read-only"),
        (["sql", "select 1; select 2"], 2, "expected one statement"),
        (["sql", ""], 2, "expected one statement"),
        (["sql", "selec 1"], 5, "syntax error"),
        (["sql"], 2, "set one query"),
        (["sql", "select $x", "-p", "x"], 2, "expected name=value"),
        (["metrics", "nope"], 5, "unknown metric"),
        (["score", "mine", "--candidates", "nope"], 2, "not in"),
        (["diff", "mine@v1", "mine@v2"], 2, "there are @v1"),
        (["diff", "mine", "mine", "--depth", "words"], 2, "expected quality, totals, images, text"),
    ],
)
def test_mistake_gets_one_line_and_its_code(
    filled: Callable[..., Run], arguments: list[str], code: int, words: str
) -> None:
    done = filled(*arguments, code=code)
    assert words in done.stderr
    assert done.stdout == ""


def test_bounds_rows_have_the_agreed_columns_in_every_format(filled: Callable[..., Run]) -> None:
    asked = ("bounds", "mine", "-c", "human", "-c", "intra")
    done = filled(*asked, "--json")
    document = json.loads(done.stdout)["auditor.bounds/v3"]
    columns = "dataset version metric candidate level n mean sd median min max".split()
    assert all(list(row)[: len(columns)] == columns for row in document["rows"])
    assert {row["candidate"] for row in document["rows"]} == {"human", "intra"}
    assert {row["level"] for row in document["rows"]} == {"caption", "image", "image-sd"}
    assert document["signatures"]["cider-d"].startswith("cider-d|tok:bare|refs:loo|")
    assert document["versions"][0]["dataset"] == "mine"
    assert {row["metric"] for row in document["rows"]} == set(defaults())
    as_csv = list(csv.DictReader(io.StringIO(filled(*asked, "--format", "csv").stdout)))
    assert [row["metric"] for row in as_csv] == [row["metric"] for row in document["rows"]]
    assert [float(row["mean"]) for row in as_csv] == [row["mean"] for row in document["rows"]]


def test_image_with_one_caption_gets_no_score_and_is_reported(filled: Callable[..., Run]) -> None:
    done = filled("score", "mine", "-m", "bleu-1", "--json")
    assert {row["image"] for row in rows(done, "score")} == {"a.jpg", "b.jpg"}
    assert list(rows(done, "score")[0]) == "dataset version split image slot candidate metric value".split()
    noted = filled("bounds", "mine", "-m", "bleu-1", "--json")
    assert "1 image has a single caption" in noted.stderr


def test_dataset_of_single_captions_is_refused_by_name(auditor: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "captions.token").write_text("a.jpg#0\tone\nb.jpg#0\ttwo\n")
    auditor("ingest", "mine", "--from", "captions.token", "--format", "flickr")
    done = auditor("score", "mine", "-m", "bleu-1", code=5)
    assert "needs two captions per image" in done.stderr


def test_system_output_is_scored_against_all_captions(filled: Callable[..., Run], tmp_path: Path) -> None:
    output = [
        {"image_id": "a.jpg", "caption": "A dog runs."},
        {"image_id": "b.jpg", "caption": ""},
        {"image_id": "z.jpg", "caption": "x"},
    ]
    (tmp_path / "output.json").write_text(json.dumps(output))
    filled("ingest", "system", "--from", "output.json", "--format", "coco", "--kind", "candidates")
    done = filled("score", "mine", "--candidates", "system", "-m", "bleu-1", "--json")
    values = {row["image"]: row["value"] for row in rows(done, "score")}
    assert values == {"a.jpg": 1.0, "b.jpg": 0.0}
    assert "refs:all" in done.stdout
    assert "1 image of mine has no caption in system: c.jpg" in done.stderr
    assert "1 image of system is not in mine: z.jpg" in done.stderr
    (tmp_path / "folders.csv").write_text("image,caption\n/data/a.jpg,A dog runs.\n")
    filled("ingest", "folders", "--from", "folders.csv")
    assert (
        "folders and mine write image IDs differently: 1 of 1 match"
        in filled("score", "mine", "--candidates", "folders").stdout
    )


def test_compare_ranks_by_metric(filled: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "other.token").write_text(
        "".join(f"{i}.jpg#{s}\tthe same words again\n" for i in range(3) for s in range(3))
    )
    filled("ingest", "other", "--from", "other.token", "--format", "flickr")
    found = rows(filled("compare", "mine", "other", "-m", "bleu-1", "--json"), "compare")
    assert list(found[0])[:7] == "dataset metric statistic value low high rank".split()
    homogeneity = {
        row["dataset"]: (row["value"], row["rank"])
        for row in found
        if row["statistic"] == "homogeneity" and row["against"] is None
    }
    assert homogeneity["other"] == (1.0, 1)
    assert homogeneity["mine"][1] == 2


def test_log_and_diff_tell_what_changed(filled: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "captions.token").write_text(CAPTIONS.replace("alone", "together") + "d.jpg#0\tnew\n")
    filled("ingest", "mine", "--from", "captions.token", "--format", "flickr", "--note", "one word mended")
    found = rows(filled("datasets", "mine", "--json"), "datasets")
    assert [(row["seq"], row["note"], row["captions"]) for row in found] == [(2, "one word mended", 6), (1, None, 5)]
    changes = {
        row["change"]: row["captions"]
        for row in rows(filled("diff", "mine@v1", "mine", "--depth", "totals", "--json"), "diff")
    }
    assert (changes["added"], changes["edited"], changes["removed"]) == (1, 1, 0)
    images = rows(filled("diff", "mine@v1", "mine", "--depth", "images", "--json"), "diff")
    assert [(row["image"], row["added"], row["edited"]) for row in images] == [("c.jpg", 0, 1), ("d.jpg", 1, 0)]
    texts = rows(filled("diff", "mine@v1", "mine", "--depth", "text", "--json"), "diff")
    assert [(row["change"], row["old_text"], row["new_text"]) for row in texts] == [
        ("edited", "alone", "together"),
        ("added", None, "new"),
    ]


def test_diff_exits_1_on_a_change_at_a_depth_of_captions(filled: Callable[..., Run], tmp_path: Path) -> None:
    assert "contain the same captions" in filled("diff", "mine", "mine@v1", "--exit-code").stdout
    (tmp_path / "captions.token").write_text(CAPTIONS.replace("alone", "together"))
    filled("ingest", "mine", "--from", "captions.token", "--format", "flickr")
    for depth in ("totals", "images", "text"):
        filled("diff", "mine@v1", "mine@v2", "--exit-code", "--depth", depth, code=1)


def test_verify_passes_on_a_whole_store_and_exits_4_on_a_damaged_one(
    filled: Callable[..., Run], tmp_path: Path
) -> None:
    assert "ok" in filled("store", "verify").stdout
    import duckdb

    with duckdb.connect(str(tmp_path / "audit.duckdb")) as connection:
        connection.execute("update caption set text = 'tampered' where caption_id = 1").complete()
    done = filled("store", "verify", code=4)
    assert "DAMAGED" in done.stdout
    assert "damaged" in done.stderr


def test_sql_takes_parameters_and_files(filled: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "query.sql").write_text("select text from captions where image = $image order by slot")
    done = filled("sql", "-f", "query.sql", "-p", "image=a.jpg", "--format", "csv")
    assert done.stdout.splitlines() == ["text", "A dog runs .", "the dog is running"]


def test_sql_carries_columns_of_any_name_and_type(filled: Callable[..., Run]) -> None:
    query = """select 1 as a, 2 as a, interval 1 day as d, {'x': 1} as s, [1, 2] as l, ['nan'::double] as n, 'inf'::double as i,
        5::uhugeint as u, sum(3) as z, map {'k': 1} as m, 'x'::blob as b, uuid() is null as e, 1.5::decimal(5, 2) as c"""
    row = rows(filled("sql", query, "--json"), "sql")[0]
    expected = {"a": 1, "a_2": 2, "d": "1 day", "s": "{'x': 1}", "l": [1, 2], "n": [None], "i": None, "u": "5", "z": 3}
    assert row == expected | {"m": "{k=1}", "b": "x", "e": False, "c": 1.5}
    for name in ("csv", "md", "latex", "table"):
        assert "a_2" in filled("sql", query, "--format", name).stdout.replace("\\", "")


def test_tables_never_cut_a_number(filled: Callable[..., Run]) -> None:
    done = filled("sql", "select 123456789 as n1, 123456789 as n2, 123456789 as n3, 123456789 as n4", COLUMNS="20")
    assert done.stdout.count("123,456,789") == 4
    listed = filled("datasets", COLUMNS="40").stdout
    assert all(column in listed for column in ("seq", "images", "captions", "created_at"))


def test_text_is_never_read_as_markup_or_emoji(auditor: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "c.token").write_text("[red]a#0\t:train: [bold]x\n[red]a#1\t:train: [bold]y\nb#0\tz\nb#1\tz\n")
    (tmp_path / "datasets.toml").write_text('[m]\nformat = "flickr"\npath = "c.token"\nsplits = { train = "list" }\n')
    (tmp_path / "list").write_text("[red]a\n")
    auditor("ingest", "m")
    shown = auditor("score", "m:train", "-m", "bleu-1")
    assert ":train: [bold]x" in shown.stdout
    assert "m:train: with one image" in shown.stdout or "m:train = m@v1" in shown.stdout


def test_output_is_utf8_data_and_legible_tables_on_any_terminal(auditor: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "c.token").write_text("a#0\tcafé 日本\na#1\tcafé\n", encoding="utf-8")
    auditor("ingest", "m", "--from", "c.token", "--format", "flickr", PYTHONIOENCODING="ascii")
    assert "café" in auditor("sql", "select text from captions", "--json", PYTHONIOENCODING="latin-1").stdout
    assert "caf" in auditor("score", "m", "-m", "bleu-1", PYTHONIOENCODING="ascii").stdout


def test_reader_that_leaves_early_is_no_error(filled: Callable[..., Run], tmp_path: Path) -> None:
    bounds, much = "bounds mine -m bleu-1 --format", "sql 'from range(300000)' --format"
    calls = [f"{bounds} table", f"{much} csv", f"{bounds} json", f"{much} csv -o /dev/stdout", f"{bounds} csv"]
    for call in some(calls, 3):
        command = f"{sys.executable} -m auditor {call} | head -1 > out; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert "Traceback" not in done.stderr
        assert "rror" not in done.stderr


@searching_for("captions-at-several-images", "padded-images", "markup")
def test_finding_fails_though_the_reader_leaves_early(filled: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "datasets.toml").write_text("[mine.check]\nimages.min = 9\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "show", lambda *_, **__: (_ for _ in ()).throw(BrokenPipeError))
        patch.setattr(options, "mute", lambda _: None)
        filled("findings", "mine", "--fail-on", "info", code=1)
        filled("check", "mine", code=1)
        filled("captions.token", "--fail-on", "info", code=1)
    assert (tmp_path / "captions.token.audit.html").exists()


@pytest.mark.parametrize("name", ["FILE", *LISTED])
def test_usage_error_is_one_sentence(name: str, tmp_path: Path) -> None:
    words = [] if name == "FILE" else name.split()
    without = [] if name == "demo" else [[]]  # a demonstration needs no argument
    for wrong in (*without, ["--nosuch"], ["--store"], ["--wait", "x"], ["a", "b", "c", "--quiet=x"], [*"abcdefgh"]):
        done = run_auditor(*words, *wrong, folder=tmp_path)
        if done.returncode == 2 and wrong + words:
            assert re.fullmatch(r"error: (?!.*([.:,]['\"]?[.;]|\s[.;,]|  )).*[^.]\n", done.stderr), done.stderr


@pytest.mark.parametrize("after", some([0.05, 0.4, 0.8, 1.2], 2))
def test_interrupt_exits_130_and_says_so(auditor: Callable[..., Run], tmp_path: Path, after: float) -> None:
    lines = (f"i{i}.jpg#{slot}\tcaption {i * 7 % 1000} {slot} {i}\n" for i in range(80000) for slot in range(5))
    (tmp_path / "big.token").write_text("".join(lines))
    command = [sys.executable, "-m", "auditor", "ingest", "big", "--from", "big.token", "--format", "flickr"]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        deadline = time.monotonic() + 20
        while not (tmp_path / "audit.duckdb").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(after)
        if process.poll() is not None:
            pytest.skip("the ingest was done before it could be interrupted")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    assert process.returncode == 130
    assert told.startswith("interrupted")


def test_split_of_a_system_is_obeyed(filled: Callable[..., Run], tmp_path: Path) -> None:
    output = [{"image_id": image, "caption": "A dog runs."} for image in ("a.jpg", "b.jpg")]
    (tmp_path / "output.json").write_text(json.dumps(output))
    (tmp_path / "train").write_text("a.jpg\n")
    (tmp_path / "datasets.toml").write_text(
        '[sys]\nkind = "candidates"\nformat = "list"\npath = "output.json"\nsplits = { train = "train" }\n'
    )
    told = filled("ingest", "sys", "--json")
    assert "1 image is in no split list" in told.stderr
    done = filled("score", "mine", "--candidates", "sys:train", "-m", "bleu-1", "--json")
    assert [row["image"] for row in rows(done, "score")] == ["a.jpg"]


def test_two_versions_and_two_splits_can_be_compared(filled: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "captions.token").write_text(CAPTIONS.replace("sits", "sleeps"))
    filled("ingest", "mine", "--from", "captions.token", "--format", "flickr")
    found = rows(filled("compare", "mine@v1", "mine@v2", "-m", "bleu-1", "--json"), "compare")
    assert {row["dataset"] for row in found} == {"mine"}
    assert len({row["version"] for row in found}) == 2
    assert "mine@v1" in filled("profile", "mine@v1", "mine@v2").stdout


def test_record_of_a_json_file_is_called_a_record(auditor: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('[\n{"image_id": 1, "caption": "x"},\n{"image_id": 1, "caption": ""}]')
    assert "r.json, record 2" in auditor("ingest", "m", "--from", "r.json", "--max-rejected", "0.5").stdout
    (tmp_path / "r.json").write_text('[{"image_id": 1, "caption": ""}]')
    refused = auditor("ingest", "m", "--from", "r.json", "--format", "list", code=3)
    assert "m: all 1 records were rejected: r.json, record 1: empty caption" in refused.stderr


def test_captions_as_long_as_metrics_align_are_scored(auditor: Callable[..., Run], tmp_path: Path) -> None:
    word = "dog " * 4_095
    (tmp_path / "c.token").write_text(f"a#0\t{word}\na#1\t{word}\na#2\tdog\nb#0\tcat\nb#1\tcat\n")
    auditor("ingest", "m", "--from", "c.token", "--format", "flickr")
    values = {
        row["slot"]: row["value"]
        for row in rows(auditor("score", "m", "-m", "cider", "--json"), "score")
        if row["image"] == "a"
    }
    assert values[0] == pytest.approx(0.625)


def test_sql_schema_explains_every_table(filled: Callable[..., Run]) -> None:
    listed = rows(filled("sql", "--schema", "--json"), "sql")
    relations = {row["relation"] for row in listed if row["column"] is None}
    wanted = "dataset version caption membership vocabulary caption_tokens token ngram rejected"
    assert set(wanted.split()) <= relations
    assert all(row["meaning"] for row in listed if not str(row["relation"]).startswith("cache."))


def test_output_file_gets_the_format_of_its_ending(filled: Callable[..., Run], tmp_path: Path) -> None:
    done = filled("bounds", "mine", "-m", "bleu-1", "-o", "bounds.tex")
    assert done.stdout == ""
    assert "written: bounds.tex" in done.stderr
    assert r"\toprule" in (tmp_path / "bounds.tex").read_text()
    filled("bounds", "mine", "-m", "bleu-1", "-c", "human", "-o", "bounds.parquet")
    import polars as pl

    assert pl.read_parquet(tmp_path / "bounds.parquet").height == len(["caption", "image", "image-sd"])


def test_metric_card_explains_parameters_and_citation(auditor: Callable[..., Run]) -> None:
    card = auditor("metrics", "cider-d").stdout
    for words in (
        "sigma",
        "Vedantam",
        "@inproceedings",
        "sql/metrics/cider/cider.sql",
        "cider-d|tok:bare",
        "consensus",
        "none, with",
    ):
        assert words in card
    assert len(rows(auditor("metrics", "--json"), "metrics")) == len(METRICS)


def test_demo_says_what_was_found_and_leads_on(auditor: Callable[..., Run], tmp_path: Path) -> None:
    shown = auditor("demo", AUDITOR_DATA=str(tmp_path)).stdout
    for words in (
        "92%  of the captions match a frequent template",
        "0.204  homogeneity",
        "777  different words; sample-narrow has 73",
        "4  captions also occur at another image, word for word",
        "3  captions repeat an earlier caption of their image",
        "1  pair of captions is swapped: flawed-007 and flawed-023",
        "2  records are empty",
    ):
        assert words in shown
    assert len(shown.splitlines()) <= 48 - 2 * 2  # two screens of 24 lines, with the prompt
    assert max(map(len, shown.splitlines())) <= 100
    assert f"page: {Path('auditor-demo', 'audit.html')}" in shown
    page = (tmp_path / "auditor-demo" / "audit.html").read_text()
    assert "Audit of sample-narrow" in page
    assert "1 pair appears to be swapped" in page
    assert not list(tmp_path.glob("*.duckdb"))
    assert "Next:\n  cd auditor-demo\n  auditor findings sample-flawed\n" in shown
    found = auditor("findings", "sample-flawed", "--store", str(Path("auditor-demo", "audit.duckdb"))).stdout
    assert "flawed-011" in found
    assert "flawed-007#3: fits flawed-023 better, by 35 bits" in found


def test_demo_where_nothing_can_be_written_says_so(auditor: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "auditor-demo").write_text("mine")
    assert "name another with --folder" in auditor("demo", code=2).stderr


def test_bug_is_logged_and_exits_70(auditor: Callable[..., Run], tmp_path: Path) -> None:
    crash = "import auditor.studies.metrics as m; m.metric_cards = lambda: 1 / 0; from auditor.cli.app import main; main(['metrics'])"
    done = subprocess.run(
        [sys.executable, "-c", crash],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 70
    assert done.stderr.startswith("error: this is a bug in auditor (division by zero)")
    log = next(tmp_path.glob("auditor-*.log"))
    assert "ZeroDivisionError" in log.read_text()
    assert str(log) in done.stderr


def test_log_of_a_bug_is_its_owners_alone_and_holds_no_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    address = "https://ann:hunter2@example.org/captions.csv"

    def crash(*_: object) -> None:
        """Crash."""
        raise RuntimeError(f"{address} gave nothing")

    monkeypatch.setattr("auditor.studies.ingest.study._rows", crash)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["auditor", "ingest", "x", "--from", address])
    assert asked("ingest", "--formats") == 70
    (log,) = tmp_path.glob("auditor-*.log")
    said = capsys.readouterr().err
    assert str(log) in said
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    for text in (said, log.read_text()):
        assert "https://***@example.org/captions.csv" in text
        assert "hunter2" not in text


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom auditor.cli.app import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'polars', 'duckdb', 'numpy', 'rich.progress'} & set(sys.modules)\n"
        "print('heavy:', sorted(heavy), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "heavy: []\n"


def test_version_is_the_packages(auditor: Callable[..., Run]) -> None:
    import auditor as package

    assert auditor("--version").stdout == f"auditor {package.__version__}\n"


@pytest.mark.parametrize(
    "command",
    "demo fetch ingest export datasets diff profile words bounds score compare sql metrics store".split(),
)
def test_every_command_explains_itself(auditor: Callable[..., Run], command: str) -> None:
    assert "Usage" in auditor(command, "--help").stdout
    assert f"auditor {command}" in (ROOT / "docs" / "commands" / f"{command}.md").read_text()
