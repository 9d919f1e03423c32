"""LaTeX: the tables of a result with booktabs, ready to paste."""

from __future__ import annotations

from auditor.model import Result, Table
from auditor.reports.cells import begins_section, flush_right, text

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "→": r"$\rightarrow$",
        "\n": " ",
        "\r": " ",
    }
)


def render(result: Result) -> str:
    """Give every table as a `table` environment; versions and signatures stand in comments."""
    comments = [f"% {one.label}: version {one.version.version}" for one in result.selections]
    comments += [f"% {signature}" for signature in result.signatures.values()]
    return "\n".join(["% needs \\usepackage{booktabs}", *comments, *map(_table, result.tables)]) + "\n"


def _table(table: Table) -> str:
    columns = table.frame.columns
    align = "".join("r" if flush_right(table, column) else "l" for column in columns)
    rows = []
    for number, row in enumerate(table.frame.iter_rows()):
        if begins_section(table, number):
            rows.append(r"\midrule")
        rows.append(" & ".join(_escape(text(value)) for value in row) + r" \\")
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            " & ".join(_escape(column) for column in columns) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{_escape(table.title)}}}",
            r"\end{table}",
        ]
    )


def _escape(value: str) -> str:
    return value.translate(_SPECIAL)
