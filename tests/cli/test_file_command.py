"""`auditor FILE`: findings on the terminal, a page next to the file, and nothing else left behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from asked import Report
from conftest import searching_for
from running import run_auditor
from test_progress import check_progress

from auditor.cli.app import main
from auditor.model import Progress
from auditor.studies.report import steps_of

ROWS = ["image,caption", *(f"{n}.jpg,a dog number {n % 7} runs over grass {n}" for n in range(40))]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text("\n".join([*ROWS, "40.jpg,As an AI language model I cannot see the image"]) + "\n")
    return path


def test_a_file_is_audited_and_leaves_only_its_page(file: Path, tmp_path: Path) -> None:
    ran = run_auditor("mine.csv", folder=tmp_path)
    assert ran.returncode == 0
    assert "refusals" in ran.stdout
    assert "`auditor findings mine.csv -o findings.csv`" in ran.stderr
    assert "add -o FILE.csv" not in ran.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "mine.csv.audit.html"]
    assert "<title>Audit of mine" in (tmp_path / "mine.csv.audit.html").read_text()


@searching_for("refusals", "markup")
def test_severity_decides_the_exit_code_and_an_option_names_the_page(file: Path, tmp_path: Path) -> None:
    ran = run_auditor(str(file), "--fail-on", "notice", "-o", "page.html", "--quiet", folder=tmp_path)
    assert ran.returncode == 1
    assert (tmp_path / "page.html").exists()


@searching_for("refusals", "markup")
def test_a_file_without_ending_is_a_file_unless_a_command_has_its_name(file: Path, tmp_path: Path) -> None:
    for name in ("captions", "report"):
        (tmp_path / name).write_bytes(file.read_bytes())
    assert run_auditor("captions", "-q", folder=tmp_path).returncode == 0
    assert "Missing argument" in run_auditor("report", folder=tmp_path).stderr
    assert run_auditor("./report", "-q", folder=tmp_path).returncode == 0
    assert (tmp_path / "report.audit.html").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.csv"], 3, "none.csv: no such file"),
        (["mine.csv", "--fail-on", "bad"], 2, "--fail-on bad: expected error"),
        (["mine.csv", "-o", "mine.csv"], 2, "mine.csv: cannot be written: dataset mine.csv is read from it"),
        (["mine"], 2, "mine is not a command"),
    ],
)
def test_what_cannot_be_audited_has_one_line_and_leaves_nothing(
    arguments: list[str], code: int, said: str, file: Path, tmp_path: Path
) -> None:
    ran = run_auditor(*arguments, folder=tmp_path)
    assert (ran.returncode, list(tmp_path.iterdir())) == (code, [file])
    assert said in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


@searching_for("rejected-records", "refusals")
def test_a_dirty_file_is_audited_and_says_what_could_not_be_read(tmp_path: Path) -> None:
    rows = [f"{n}.jpg,{'' if n % 7 == 0 else f'a dog of kind {n} runs'}" for n in range(700)]
    (tmp_path / "dirty.csv").write_text("\n".join(["image,caption", *rows]) + "\n")
    ran = run_auditor("dirty.csv", folder=tmp_path)
    assert ran.returncode == 0
    assert "100 of 700 records (14.3%) were rejected: empty caption 100" in " ".join(ran.stdout.split())
    assert "dirty.csv:2" in ran.stdout
    assert run_auditor("dirty.csv", "--fail-on", "error", "-q", folder=tmp_path).returncode == 1
    (tmp_path / "empty.csv").write_text("image,caption\n1.jpg,\n2.jpg,\n")
    assert run_auditor("empty.csv", folder=tmp_path).returncode == 3


@searching_for("refusals", "markup")
def test_a_file_is_read_with_the_options_of_ingest(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("\n".join(f"p{n};a dog of kind {n} runs;x" for n in range(40)))
    told = ("--format", "table", "--columns", "where,said,more", "--image-col", "where", "--caption-col", "said")
    ran = run_auditor("odd.txt", *told, "--option", "delimiter=;", folder=tmp_path)
    assert (ran.returncode, "40 images, 40 captions" in ran.stderr) == (0, True)


@searching_for("markup", "web-address", "personal-data", "placeholders", "loops", "markdown-or-json")
def test_json_is_brief_and_has_the_command_for_the_rest(file: Path, tmp_path: Path) -> None:
    long = [
        f"{n}.jpg,{'**A dog** ' + 'runs on and on ' * 60}{n} <unk> www.a{n}.com &amp; a@b{n}.com" for n in range(60)
    ]
    (tmp_path / "long.csv").write_text("\n".join(["image,caption", *long]) + "\n")
    ran = run_auditor("long.csv", "--json", "-q", folder=tmp_path)
    assert len(ran.stdout.encode()) <= 20_000
    (body,) = json.loads(ran.stdout).values()
    assert body["cut"]["command"] == "auditor findings long.csv --json"
    assert body["cut"]["lists"]["rows"]["of"] > len(body["rows"]) > 0
    assert "markup" in {finding["kind"] for finding in body["findings"]}


@searching_for("refusals", "common-openings")
def test_known_findings_are_not_listed_again(file: Path, tmp_path: Path) -> None:
    write = run_auditor("mine.csv", "--baseline", "known.json", "--write-baseline", "-q", folder=tmp_path)
    again = run_auditor("mine.csv", "--baseline", "known.json", "--fail-on", "notice", "-q", folder=tmp_path)
    assert (write.returncode, again.returncode) == (0, 0)
    assert "refusals" not in again.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("This item is sold out.", "“This item is sold out.” 501 times, 20.0%"),
        ("Video not available.", "a placeholder: 501 of 2,505 (20.0%)"),
    ],
)
def test_copies_of_a_caption_are_named_and_left_out_but_for_one(tmp_path: Path, text: str, says: str) -> None:
    texts = [f"a dog of kind {n} runs over field {n * 7 % 2003}" for n in range(2004)]
    rows = [f"{n}.jpg,{text}" for n, text in enumerate([text] * 501 + texts)]
    (tmp_path / "copies.csv").write_text("\n".join(["image,caption", *rows]) + "\n")
    ran = run_auditor("findings", "copies.csv", "--captions-only", folder=tmp_path)
    first = " ".join(ran.stdout.split())[:1500]  # below the six dimensions
    assert says in first
    store = ("--store", "s.duckdb")
    assert run_auditor("ingest", "copies", "--from", "copies.csv", *store, folder=tmp_path).returncode == 0
    without = ("--without", "findings", "-o", "clean.csv", *store)
    assert run_auditor("export", "copies", *without, folder=tmp_path).returncode == 0
    assert (tmp_path / "clean.csv").read_text().count(text) == 1


@searching_for("refusals", "swapped-captions")
@pytest.mark.parametrize(("command", "first"), [("mine.csv", {"Reading", "Problems"}), ("demo", {"Reading"})])
def test_its_steps_are_counted_from_the_file_to_the_page(
    command: str, first: set[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[Report] = []

    @contextmanager
    def recorded() -> Iterator[Progress]:
        yield lambda *report: reports.append(report)

    monkeypatch.setattr("auditor.cli.options.progressing", recorded)
    monkeypatch.chdir(file.parent)
    with pytest.raises(SystemExit):
        main([command])
    assert check_progress(reports) == {*first, *steps_of()}


def test_page_goes_to_the_working_folder_if_that_of_the_file_is_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from auditor.cli.commands.file import page_of

    (file := tmp_path / "captions.csv").write_text("image,caption\n1,a\n", encoding="utf-8")
    assert page_of(str(file)) == tmp_path / "captions.csv.audit.html"
    monkeypatch.setattr("os.access", lambda *_: False)
    assert page_of(str(file)) == Path("captions.csv.audit.html")
