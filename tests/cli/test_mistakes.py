"""Mistakes of users: the answer names what is wrong and where, in a line or two, and a command or a value that works."""

from __future__ import annotations

import json
import shlex
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import searching_for
from running import Run, run_auditor

pytestmark = pytest.mark.xdist_group("mistakes")  # one store is asked by all tests


@dataclass(frozen=True)
class Mistake:
    """What was typed, pieces of the answer and of a bad one; `right` is the advised call, which runs."""

    typed: str
    answer: tuple[str, ...]
    right: str = ""
    bad: tuple[str, ...] = ()
    code: int = 2


def one(typed: str, *answer: str, right: str = "", bad: tuple[str, ...] = (), code: int = 2) -> Mistake:
    return Mistake(typed, answer, right, bad, code)


#: The advised call is in the answer; it is shown by `typed` with a word replaced where the answer names that word alone.
MISTAKES = [
    # a word that is not a command
    one("stats mine", "stats is not a command", "How many images", right="profile mine", bad=("distractors", "tasks")),
    one("stats captions.csv", "auditor profile captions.csv", right="profile captions.csv"),
    one("lint", "not a command", "auditor findings mine", right="findings mine"),
    one("leaks", "near-duplicate-across-splits", right="duplicates mine other", bad=("tasks",)),
    one("fix mine", "auditor export mine --fix all -f csv -o fixed.csv", right="export mine --fix all -f csv -o fixed.csv"),
    one("clean mine", "--without findings", right="export mine -f csv -o clean.csv --without findings"),
    one("badge mine", "auditor report mine --format card", right="report mine --format card", bad=("--all",)),
    one("describe mine", "auditor profile mine", right="profile mine"),
    one("list", "auditor datasets", right="datasets", bad=("auditor ingest",)),
    one("plot", "-o figure.pdf", bad=("export?",)),
    one("delete mine", "auditor store drop mine", bad=("store info",)),
    one("store delete mine", "auditor store drop mine", bad=("store info", "store verify")),
    one("store list", "auditor datasets", right="datasets"),
    one("xyzzy", "is not a command, and fits no question; `auditor help`", right="help"),
    one("mine", "mine is a dataset, not a command", "auditor findings mine", right="profile mine", bad=("ingest",)),
    one("mine@v1", "is a dataset", "auditor bounds mine@v1 -c human", right="datasets mine@v1"),
    one("findngs mine", "did you mean `auditor findings`?", right="findings mine"),
    one("Profile mine", "did you mean `auditor profile`?", right="profile mine"),
    one("keyness mine other", "keyness is now: auditor words mine --against other", right="words mine --against other"),
    one("folder", "folder is a folder, not a command; `auditor folder/FILE` audits a file"),
    # options
    one("-version", "-version: no such option; did you mean --version?", right="--version"),
    one("--verison", "did you mean --version?", right="--version", bad=("--verbose",)),
    one("profile mine --jsn", "did you mean --json?", right="profile mine --json"),
    one("profile -store audit.duckdb mine", "-store: no such option; did you mean --store?"),
    one("findings mine --faill-on error", "did you mean --fail-on?", right="findings mine --fail-on error"),
    one("templates mine --share 90%", "--share: no such option", "templates --help", bad=("did you mean",)),
    one("bounds mine --resamples 10", "--resamples: no such option", right="bounds --help", bad=("--address",)),
    one("findings mine -k", "requires an argument", "-k near-duplicate-across-splits", right="findings mine -k truncated-captions"),
    one("findings mine --fail-on warnings", "did you mean warning?", right="findings mine --fail-on warning"),
    one("findings mine --kind placeholder", "did you mean placeholders?", right="findings mine --kind placeholders"),
    one("findings mine -k Placeholders", "did you mean placeholders?", right="findings mine -k placeholders"),
    one("score mine -m BLEU", "did you mean bleu-4?", "`auditor metrics`", right="score mine -m bleu-4", code=5),
    one("score mine -m BLEU-4", "did you mean bleu-4?", right="metrics bleu-4", code=5),
    one("score mine -m meteor2", "did you mean meteor?", right="metrics meteor", code=5),
    one("metrics nosuch", "unknown metric; `auditor metrics` lists them all", right="metrics", code=5),
    one("score mine --candidates system --preset COCO", "did you mean coco?", right="score mine --candidates system --preset coco"),
    one("bounds mine -c humans", "did you mean human?", right="bounds mine -c human -m bleu-1"),
    one("diversity mine -s nosuch", "expected tokens, types", "one of", "more", right="diversity mine -s types", bad=("coverage-decile-10",)),
    one("outliers mine --level images", "did you mean image?", right="outliers mine --level image"),
    one("duplicates mine --near 2", "--near 2: expected 0.501 to 1", right="duplicates mine --near 0.9"),
    one("diff mine@v1 mine --depth words", "expected quality, totals, images, text", right="diff mine@v1 mine --depth text"),
    one("probe mine -c nosuch", "expected reference-words, order"),
    one("export mine -o a.csv --fix everything", "unknown kind; expected all", bad=("captions-without-word",)),
    one("export mine -o a.csv --without finding", "did you mean findings?", right="export mine -o a.csv --without findings"),
    # formats and files of results
    one("export mine -o out.xlsx", "out.xlsx: no format has this ending; use .csv", right="export mine -o out.csv"),
    one("report mine -o a.docx", "unsupported report format; use .html", right="report mine -o a.md"),
    one("report mine --format pdf", "pdf: unsupported report format; use html"),
    one("profile mine --format pdf", "-o FILE"),
    one("profile mine --format xlsx", "xlsx: unknown format; use table, json, csv", right="profile mine --format csv"),
    one("profile mine -o none/a.csv", "the folder none does not exist"),
    # datasets, versions and stores
    one("profile othr", "the store holds", "did you mean other?", right="profile other", bad=("ingest",)),
    one("profile nosuch", "not in audit.duckdb; the store holds apart, mine, other, system; `auditor ingest nosuch`", bad=("try",)),
    one("profile mine@v9", "no such version; there are @v2", "@v1", right="profile mine@v1"),
    one("profile mine:test", "mine has no split 'test'; it has no splits", right="profile mine"),
    one("diff mine v1", "a version is written with its dataset, such as", "@v1", right="diff mine@v1 mine"),
    one("diff mine@v1", "Missing argument", "`auditor diff mine@v1 mine --exit-code`", right="diff mine@v1 mine"),
    one("compare mine", "needs two or more datasets", right="compare mine other -m bleu-1"),
    one("compare mine mine", "two of these name the same captions; name each once"),
    one("words mine other", "Missing option '--against'; for example `auditor words mine --against other`", right="words mine --against other"),
    one("score system mine", "`auditor score mine --candidates system --preset coco`", right="score mine --candidates system -m bleu-1"),
    one("score mine --candidates apart", "apart: no image in common with mine", "'x0.jpg'", "'0.jpg'"),
    one("score mine --candidates apart.json", "apart: no image in common with mine"),
    one("agree mine", "has no ratings (it is of kind captions); `auditor ingest NAME --from FILE --format judgements`"),
    one("choices mine", "has no forced-choice items (it is of kind captions)", "--format choices", bad=("try",)),
    one("objects mine", "Missing option '--objects'; for example `auditor objects system --objects"),
    one("report", "Missing argument", "`auditor report mine -o audit.html`"),
    one("check mine", "no gates are declared; add them to datasets.toml", "captions_per_image.min = 5"),
    one("correlate mine -m cider", "needs two or more metrics; add another -m", right="correlate mine -m bleu-1 -m rouge-1"),
    one("store tag mine", "set a tag, or a note with --note", right="store tag mine sent"),
    one("profile mine --store none.duckdb", "none.duckdb: no store here; make one with `auditor ingest NAME", code=4),
    one("profile mine --store captions.csv", "cannot be opened as a store", "it is another file", bad=("IO Error",), code=4),
    one("reproduce nosuch", "nosuch: no such paper; known are", right="reproduce --help"),
    # files of captions
    one("findings captions", "captions: not in audit.duckdb", "--from FILE"),
    one("nosuch.csv", "nosuch.csv: no such file", bad=("has its options",), code=3),
    one("empty.csv", "error: empty.csv: the file is empty\n", code=3),
    one("photo.jpg", "photo.jpg: a JPEG image, not a file of captions", bad=("utf-16",), code=3),
    one("captions.zip", "holds 2 tables: a.csv, b.csv; unpack it", code=3),
    one("ingest captions.csv", "`auditor ingest captions --from captions.csv`", right="ingest new --from captions.csv"),
    one("ingest new captions.csv", "`auditor ingest new --from captions.csv`", right="ingest new --from captions.csv"),
    one("ingest new --from nosuch.csv", "nosuch.csv: no such file", code=3),
    one("ingest new --from empty.csv", "empty.csv: the file is empty", code=3),
    one("ingest new --from head.csv", "it holds no records", code=3),
    one("ingest new --from latin.csv", "--encoding cp1252`", right="ingest latin --from latin.csv --encoding cp1252", code=3),
    one("ingest new --from cut.json", "cut.json:1: not JSON at column", code=3),
    one("ingest new --from folder", "folder: a folder that no format fits; name a file in it", bad=("karpathy",), code=3),
    one("ingest new --from captions.csv --format csv", "csv: unknown format", "CSV, JSON and Parquet need none", right="ingest new --from captions.csv"),
    one("ingest new --from captions.csv --kind caption", "unknown kind; did you mean captions?", right="ingest new --from captions.csv --kind captions"),
    one("ingest new --from captions.csv --caption-col text", "no column \"text\"; the columns are image, slot, caption", code=3),
    one("ingest new --from captions.csv --language klingon", "expected a BCP 47 tag such as de", right="ingest new --from captions.csv --language en"),
    one("ingest 'my data' --from captions.csv", "a dataset name can contain only letters", right="ingest my-data --from captions.csv"),
    # SQL
    one("sql", "set one query", right="sql --schema"),
    one("sql 'select * from mine'", "no table mine; captions('NAME')", "--schema", right="sql \"select * from captions('mine')\"", bad=("pg_index",), code=5),
    one("sql 'drop table caption'", "the store is read-only here", "`auditor store drop`", code=5),
    one("sql query.sql", "`auditor sql --file query.sql` runs", right="sql --file query.sql"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two versions, another dataset and outputs of two systems, one for other images; and files."""
    folder = tmp_path_factory.mktemp("mistakes")
    things, does = "dog cat bird horse child woman man boat".split(), "runs sits jumps eats".split()
    place = ["on grass", "near a lake", "in a park"]
    rows = [(f"{i}.jpg", s, f"A {thing} {does[(i + s) % 4]} {place[s]}.") for i, thing in enumerate(things) for s in (0, 1, 2)]  # fmt: skip
    texts = "".join(f"{image},{slot},{text}\n" for image, slot, text in rows)
    (folder / "captions.csv").write_text(f"image,slot,caption\n{texts}")
    (folder / "new.csv").write_text(f"image,slot,caption\n{texts}".replace("lake", "river"))
    (folder / "other.csv").write_text(f"image,slot,caption\n{texts}".replace("A ", "The big "))
    for name, sign in (("system", ""), ("apart", "x")):
        output = [{"image_id": f"{sign}{i}.jpg", "caption": f"a {thing} runs"} for i, thing in enumerate(things)]
        (folder / f"{name}.json").write_text(json.dumps(output))
    (folder / "empty.csv").touch()
    (folder / "head.csv").write_text("image,caption\n")
    (folder / "latin.csv").write_bytes("image,caption\n0.jpg,Un garçon à la plage\n".encode("latin-1"))
    (folder / "cut.json").write_text('[{"image_id": "0.jpg", "caption": "a dog"}, {"image_id"')
    (folder / "query.sql").write_text("select count(*) from captions('mine')")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(64))
    (folder / "folder").mkdir()
    with zipfile.ZipFile(folder / "captions.zip", "w") as archive:
        for name in ("a.csv", "b.csv"):
            archive.writestr(name, "image,caption\n")
    for call in (
        "ingest mine --from captions.csv",
        "ingest mine --from new.csv",
        "ingest other --from other.csv",
        "ingest system --from system.json --kind candidates",
        "ingest apart --from apart.json --kind candidates",
    ):
        assert run(folder, call).returncode == 0, call
    return folder


def run(folder: Path, call: str) -> Run:
    return run_auditor(*shlex.split(call), folder=folder)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.typed)
def test_mistake_gets_a_good_answer(mistake: Mistake, folder: Path) -> None:
    done = run(folder, mistake.typed)
    assert (done.returncode, done.stdout) == (mistake.code, ""), done.stderr
    (error,) = (line for line in done.stderr.splitlines() if line.startswith("error: "))
    assert len(error) <= 260, error
    assert error.count("try ") <= 1, error
    for words in mistake.answer:
        assert words in done.stderr, done.stderr
    for words in mistake.bad:
        assert words not in done.stderr, done.stderr


def test_table_has_the_mistakes_of_a_review() -> None:
    assert len(MISTAKES) == len({mistake.typed for mistake in MISTAKES}) >= 45


@pytest.mark.parametrize("right", sorted({mistake.right for mistake in MISTAKES if mistake.right}))
def test_advised_call_runs(right: str, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    with searching_for("placeholders"):
        assert run(tmp_path, right).returncode == 0
