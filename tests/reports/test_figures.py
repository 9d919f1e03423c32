"""Figures in every medium: as many marks as rows, no name that breaks a drawing, the same bytes for the same rows."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib as mpl
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from PIL import Image

from auditor.errors import UsageError
from auditor.reports import cells, terminal
from auditor.reports.figures import drawing, lettering, marks
from auditor.reports.html import document as html
from auditor.reports.html import plots
from auditor.result import Figure, Kind, Result, Table

SVG = "{http://www.w3.org/2000/svg}"
DATASETS = ("flickr8k", "flickr30k", "abstract-scenes", "a $very_long$ name of a dataset, with blanks")


def bars(**changes: object) -> Figure:
    rows = [{"d": d, "m": f"bleu-{n}", "v": 0.9 / n, "low": 0.1, "high": 0.95} for d in DATASETS for n in (1, 2, 3)]
    parts = {"frame": pl.DataFrame(rows), "x": "d", "y": "v", "series": "m"} | changes
    return Figure("figure-1", "Upper bound: BLEU", "bars", **parts)  # type: ignore[arg-type]


def heatmap(*values: float | None, span: tuple[float, float] | None = None) -> Figure:
    side = range(round(len(values) ** 0.5))
    frame = pl.DataFrame(
        {"a": [f"m{x}" for _ in side for x in side], "b": [f"m{y}" for y in side for _ in side], "v": values},
        schema_overrides={"v": pl.Float64},
    )
    return Figure("tau", "Kendall's tau", "heatmap", frame, "a", "b", value="v", span=span, caption="tau-b")


def curve(kind: Kind, *values: float | None, log_x: bool = False) -> Figure:
    frame = pl.DataFrame(
        {"x": range(len(values)), "y": values, "s": ["s"] * len(values)}, schema_overrides={"y": pl.Float64}
    )
    return Figure("curve", "A curve", kind, frame, "x", "y", "s", low="y", high="y", log_x=log_x)


def of(*figures: Figure) -> Result:
    return Result("bounds", pl.DataFrame(), figures=figures)


def drawn(figure: Figure) -> ET.Element:
    return ET.fromstring(drawing.draw(figure, "svg"))


def marked(root: ET.Element) -> list[str]:
    return [group.findtext(f"{SVG}title", "") for group in root.iter(f"{SVG}g") if group.get("class") == "mark"]


def test_every_row_is_a_bar_that_says_its_number() -> None:
    said = marked(drawn(bars()))
    assert len(said) == 12
    assert said[1] == "bleu-2, flickr8k: 0.45"


def test_interval_is_said_with_the_number() -> None:
    assert marked(drawn(bars(low="low", high="high")))[0] == "bleu-1, flickr8k: 0.9 (0.1 to 0.95)"


def test_null_is_a_gap_and_not_a_zero() -> None:
    frame = bars().frame.with_columns(v=pl.when(pl.col("m") != "bleu-2").then("v"))
    assert len(marked(drawn(bars(frame=frame)))) == 8
    assert len(marked(drawn(heatmap(1.0, None, float("nan"), -1.0)))) == 2


def test_every_point_is_a_marker_except_the_missing() -> None:
    root = drawn(curve("points", 1, 2, None, 4))
    (group,) = (group for group in root.iter(f"{SVG}g") if group.get("class") == "mark")
    assert len(list(group.iter(f"{SVG}use"))) == 3


def test_what_is_not_positive_has_no_place_on_a_logarithmic_axis() -> None:
    assert [mark.x for mark in marks.marks(curve("lines", 1, 2, 3, log_x=True)).drawn] == [1, 2]


def test_heatmap_writes_its_numbers_into_the_cells() -> None:
    root = drawn(heatmap(1.0, -0.5, -0.5, 1.0, span=(-1, 1)))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts.count("1.000") == texts.count("-0.500") == 2


def test_figures_of_a_page_have_ids_of_their_own() -> None:
    page = html.render(of(bars(), bars()))
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(ids)
    assert set(re.findall(r'href="#([^"]*)"', page)) <= set(ids)


@pytest.mark.parametrize("figure", [bars(frame=bars().frame.clear()), heatmap(), curve("lines"), curve("points", None)])
def test_figure_without_numbers_says_so(figure: Figure) -> None:
    assert "nothing to draw" in [text.text for text in drawn(figure).iter(f"{SVG}text")]
    assert "Nothing to draw." in html.render(of(figure))


def test_picture_is_described_for_those_who_do_not_see_it() -> None:
    root = drawn(bars(caption="Each caption against the others."))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Upper bound: BLEU"
    assert (
        root.findtext(f"{SVG}desc")
        == "Upper bound: BLEU: 12 bars for bleu-1, bleu-2, bleu-3. Each caption against the others."
    )
    labels = (root.get("aria-labelledby") or "").split()
    assert labels == [root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")]  # type: ignore[union-attr]


def test_names_are_never_read_as_formulas() -> None:
    figure = Figure("n", "$x_2$", "bars", pl.DataFrame({"d": ["$a_b$"], "v": [1]}), "d", "v", caption="\\frac{1}{2} $")
    texts = "".join(text.text or "" for text in drawn(figure).iter(f"{SVG}text"))
    assert "$x_2$" in texts
    assert "$a_b$" in texts
    assert "\\frac{1}{2} $" in texts


def test_picture_has_no_clock_and_no_style() -> None:
    svg = drawing.draw(bars(), "svg").decode()
    assert "metadata" not in svg
    assert "style" not in svg
    assert set(re.findall(r"https?://[^\"]*", svg)) == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


@pytest.mark.parametrize("names", [3, 8, 20, 60])
def test_names_under_an_axis_never_touch(names: int) -> None:
    frame = pl.DataFrame({"d": [f"dataset-{'x' * (n % 9)}{n}" for n in range(names)], "v": range(names)})
    with drawing._settled():
        picture, _ = drawing.laid_out(Figure("n", "t", "bars", frame, "d", "v"))
        picture.draw_without_rendering()
        labels = [label for label in picture.axes[0].get_xticklabels() if label.get_text()]
        turned = labels[0].get_rotation()
        boxes = [label.get_window_extent() for label in labels]
        assert labels
        if turned == 40:  # slanted lines are parallel: what counts is how far apart they begin
            apart = min(b.x1 - a.x1 for a, b in pairwise(boxes))
            assert apart > lettering.PLAIN * picture.dpi / 72 * 1.2 / 0.643
        else:
            assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_png_opens_at_the_size_that_its_width_and_dots_make() -> None:
    png = drawing.draw(bars(), "png")
    with Image.open(io.BytesIO(png)) as image:
        image.load()
        assert image.format == "PNG"
        assert 6 * 200 <= image.width <= 12 * 200
        assert round(image.info["dpi"][0]) == 200
        assert set(image.info) == {"dpi"}


def test_pdf_has_no_clock_and_text_that_can_be_searched() -> None:
    pdf = drawing.draw(bars(), "pdf")
    assert pdf.startswith(b"%PDF")
    assert b"/FontFile2" in pdf  # TrueType, not outlines of type 3
    assert not re.search(rb"/(CreationDate|Creator|Producer)", pdf)


_PROGRAM = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from test_figures import bars, curve, drawing, heatmap, html, of
result = of(bars(), heatmap(1, 2, 3, -4), curve("lines", 1, None, 3))
for form in ("svg", "png", "pdf"):
    for content in drawing.drawn(result, form).values():
        print(hashlib.sha256(content).hexdigest())
print(hashlib.sha256(html.render(result).encode()).hexdigest())
"""


def test_same_rows_give_the_same_bytes_in_any_process_under_any_settings(tmp_path: Path) -> None:
    found = set()
    for seed, language in (("1", "C"), ("2", "tr_TR.UTF-8")):
        config = tmp_path / f"matplotlibrc{seed}"
        config.write_text("font.size: 20\ntext.usetex: True\nsavefig.dpi: 33\n" if seed == "2" else "")
        settled = {"PYTHONHASHSEED": seed, "LC_ALL": language, "MATPLOTLIBRC": str(config)}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", _PROGRAM, str(Path(__file__).parent)],
            env=os.environ | settled | {"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_drawing_leaves_the_users_settings_alone() -> None:
    with mpl.rc_context({"font.size": 3.0, "text.parse_math": True}):
        drawing.draw(bars(), "svg")
        assert mpl.rcParams["font.size"] == 3.0
        assert mpl.rcParams["text.parse_math"] is True


names = st.one_of(
    st.none(), st.text(max_size=40), st.sampled_from(["_", "$", "$\\frac$", "\\", "日本", "‮x", "\x00", "\n"])
)
numbers = st.one_of(st.none(), st.floats(), st.floats(-1, 1))


@given(
    rows=st.lists(st.tuples(names, names, numbers, numbers), max_size=6),
    kind=st.sampled_from(["bars", "lines", "points", "heatmap"]),
    title=st.text(max_size=80),
)
@settings(max_examples=15, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_no_name_or_number_breaks_a_picture(
    rows: list[tuple[str | None, str | None, float | None, float | None]], kind: Kind, title: str
) -> None:
    schema = {"x": pl.String, "s": pl.String, "v": pl.Float64, "low": pl.Float64}
    frame = pl.DataFrame(
        [(_whole(x), _whole(s), v, low) for x, s, v, low in rows], schema=schema, orient="row"
    ).with_columns(high="v")
    y, series = ("s", None) if kind == "heatmap" else ("v", "s")
    figure = Figure("f", title, kind, frame, "x", y, series, value="v", low="low", high="high", x_label=title)
    root = drawn(figure)
    count = len(marks.marks(figure).drawn)
    if kind in {"bars", "heatmap"}:
        assert len(marked(root)) == count
    for picture in re.findall(r"<svg.*?</svg>", html.render(of(figure)), re.DOTALL):
        ET.fromstring(picture)


@pytest.mark.parametrize("kind", ["bars", "lines", "points"])
@pytest.mark.parametrize(
    "values", [[-4.9e16], [1e17, 1e17], [5e-324], [0.0, 5e-324], [-1e308, 1e308], [1e16, 1e16 + 2]]
)
def test_values_of_any_size_have_a_scale(values: list[float], kind: Kind) -> None:
    frame = pl.DataFrame({"x": [str(place) for place in range(len(values))], "v": values})
    page = html.render(of(Figure("f", "", kind, frame, "x", "v", None, value="v")))
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(picture)
        assert "nan" not in picture
        assert "inf" not in picture


def _whole(name: str | None) -> str | None:
    return name.encode("utf-8", "replace").decode() if name is not None else None


def test_terminal_says_how_to_see_figures() -> None:
    out = io.StringIO()
    terminal.show(of(*[bars()] * 5), terminal.Screen(out, color=False, width=100))
    assert out.getvalue() == "-o FILE.svg, .pdf, .png or .html draws 5 figures\n"


NASTY = "<script>alert('x')</script>&\"\x00\ud800"


def test_page_needs_nothing_else_and_runs_nothing() -> None:
    frame = pl.DataFrame({"name": ["<script>a</script>"], "n": [1], "share": [0.5]})
    table = Table("<b>", frame, bars=("share",), caption="<i>")
    figure = bars(caption=NASTY)
    page = html.render(Result("bounds", frame, {}, {"a": NASTY}, (table,), (figure,), (NASTY,)))  # type: ignore[arg-type]
    assert page.count("<script") == page.count("<script>") == 1
    assert "<b>" not in page
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    assert not re.search(r'\sstyle="|\son[a-z]+="|src=|@import', page)
    assert set(re.findall(r"https?://[^\"']*", page)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    page.encode()


def test_picture_of_no_figure_is_refused() -> None:
    with pytest.raises(UsageError, match="no figure to draw"):
        drawing.drawn(of(), "svg")


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_drawing_twice_gives_the_same(form: str) -> None:
    result = of(bars(), curve("lines", 1, None, 3))
    assert drawing.drawn(result, form) == drawing.drawn(result, form)


def test_dataset_has_one_color_in_every_figure_of_a_page() -> None:
    """The second figure lacks the first dataset; a metric of its name has nothing to do with it."""
    frame = pl.DataFrame({"dataset": ["a", "b", "c"], "metric": ["a", "m", "n"], "x": ["1"] * 3, "y": [1.0, 2.0, 3.0]})
    every = Figure("one", "One", "bars", frame, "x", "y", series="dataset")
    fewer = dataclasses.replace(every, frame=frame.filter(pl.col("dataset") != "a"))
    metrics = dataclasses.replace(every, series="metric", frame=frame.reverse())
    colors = marks.palette([every, fewer, metrics])
    assert colors == {"dataset": {"a": 0, "b": 1, "c": 2}, "metric": {"n": 0, "m": 1, "a": 2}}
    assert marks.marks(fewer, colors).colors == (1, 2)
    assert marks.marks(fewer).colors == (0, 1)
    page = plots.svg(fewer, "title", colors) + plots.legend(fewer, colors)
    assert re.findall(r'class="(s\d)"', page) == ["s1", "s2", "s1", "s2"]
    drawn = b"".join(drawing.drawn(Result("bounds", frame, figures=(every, fewer)), "svg").values()).decode()
    fills = re.findall(r'class="mark"><title>([abc]), .*?fill="(#\w{6}|url[^"]*)"', drawn, re.DOTALL)
    assert len(fills) == 5
    assert len(set(fills)) == 3


def test_settings_of_matplotlib_in_the_working_folder_are_not_read() -> None:
    Path("matplotlibrc").write_bytes(b"\xff")
    asked = "from auditor.reports.figures import drawing; import matplotlib; print(matplotlib.rcParams['font.size'])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("10.0\n", "")


def test_numbers_are_written_in_few_signs() -> None:
    values = (0, 0.25, 9.9996, 10, 12.34, 999.4, 1234.4, -1234.4, 12_345_678)
    assert [marks.shown(value) for value in values] == [
        "0", "0.250", "10.000", "10", "12.3", "999.4", "1,234", "-1,234", "1.23e+07",
    ]  # fmt: skip


def test_point_at_zero_says_so() -> None:
    assert "<title>s, 0: 4 (4 to 4)</title>" in plots.svg(curve("points", 4), "points")


def test_bars_of_a_column_stand_side_by_side_about_its_middle() -> None:
    groups = [group for group in drawn(bars()).iter(f"{SVG}g") if group.get("class") == "mark"]
    outlines = [next(group.iter(f"{SVG}path")).get("d", "") for group in groups]
    spans = [sorted({float(x) for x in re.findall(r"[ML] ?([0-9.]+) ", outline)}) for outline in outlines]
    columns = [spans[first : first + 3] for first in range(0, 12, 3)]
    assert all(left[-1] < right[0] for left, right in pairwise(spans))
    assert all(
        right[0] - left[0] == pytest.approx(spans[1][0] - spans[0][0], abs=0.01)
        for column in columns
        for left, right in pairwise(column)
    )
    middles = [(column[0][0] + column[-1][-1]) / 2 for column in columns]
    assert len({round(right - left) for left, right in pairwise(middles)}) == 1


ROLES = Figure(
    "roles", "Roles", "lines",
    pl.DataFrame([(name + role, x, 0.5) for name in ("b", "a") for role in ("", ", other") for x in (1, 2)], ["s", "x", "y"], orient="row"),
    "x", "y", "s", dashed=", other",
)  # fmt: skip


def test_role_is_the_style_and_dataset_the_color_on_a_page_and_in_a_file() -> None:
    read = marks.marks(ROLES, {"s": {"a": 0, "b": 1}})
    assert [(read.series[place], read.colors[place], read.dashed[place]) for place in read.legend] == [
        ("a", 0, False), ("b", 1, False), ("a, other", 0, True), ("b, other", 1, True),
    ]  # fmt: skip
    lines = [group for group in drawn(ROLES).iter(f"{SVG}g") if group.get("class") == "mark"]
    styles = {
        group.findtext(f"{SVG}title"): (path.get("stroke"), path.get("stroke-dasharray") is not None)
        for group in lines
        for path in [next(group.iter(f"{SVG}path"))]
    }
    first, second = marks.COLORS[:2]
    assert styles == {"b": (first, False), "a": (second, False), "b, other": (first, True), "a, other": (second, True)}
    page = plots.svg(ROLES, "title")
    assert re.findall(r'<path class="line ([^"]*)"', page) == ["s0", "s0 dashed", "s1", "s1 dashed"]


def test_eighth_dataset_is_paler_than_the_first_not_dashed() -> None:
    frame = pl.DataFrame(
        [(f"d{number}", x, number) for number in range(8) for x in (1, 2)], ["s", "x", "y"], orient="row"
    )
    figure = Figure("many", "Many", "lines", frame, "x", "y", "s")
    svg = drawing.draw(figure, "svg").decode()
    assert "stroke-dasharray" not in svg
    assert svg.count('stroke-opacity="0.5"') > svg.count('stroke-opacity="0.4"') == 0
    assert re.findall(r'<path class="line ([^"]*)"', plots.svg(figure, "title"))[::7] == ["s0", "hollow s0"]


def test_figures_of_one_name_have_files_of_their_own() -> None:
    assert [*drawing.drawn(of(bars(), bars(), curve("lines", 1, 2)), "svg")] == ["figure-1", "figure-1-2", "curve"]
    assert cells.distinct(["a", "A", "a-2", "a", "a/b c", "日本"]) == ["a", "A-2", "a-2-2", "a-3", "a-b-c", "日本"]


def test_lines_with_roles_have_a_row_for_each_color_and_no_legend() -> None:
    frame = pl.DataFrame(
        {"m": ["a", "a x", "b", "b x"] * 2, "s": [0, 0, 0, 0, 1, 1, 1, 1], "v": [0.0, 9.0, 0.1, 0.2] * 2}
    )
    figure = Figure("scores", "Scores", "lines", frame, "s", "v", "m", dashed=" x")
    page = plots.svg(figure, "scores")
    rows = re.findall(r'<g transform="translate\(0 ([\d.]+)\)"><text[^>]*>(\w+)<', page)
    assert [name for _, name in rows] == ["a", "b"]
    assert float(rows[0][0]) < float(rows[1][0])
    assert page.count('class="mark"') == 8
    assert plots.legend(figure) == ""
