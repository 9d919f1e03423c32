"""Tokens of texts: encoded as numbers of the vocabulary, made when a command first asks for a tokenizer.

An ingest stores the tokens of every text for its tokenizers. Tokens of other tokenizers are made here, for the selected
texts only. In a store opened for reading, temporary views named `caption_tokens` and `vocabulary` add them to the
tables. They are written when the store is closed, if no other process has the file open.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import polars as pl

from auditor.model import Progress, Selection, silent
from auditor.store import kept
from auditor.store.connection import Store
from auditor.store.file import NAME
from auditor.store.versions import params_of
from auditor.text import Tokenizer, tokenizer_of

TEXTS_AT_ONCE = 50_000

# New numbers lie above all that the file holds; what is written gets its own, for others may have taken them meanwhile.
_OVERLAY = (
    "create temp table made_tokens (caption_id uinteger, tokenizer varchar, tokens uinteger[])",
    "create temp table made_word (token_id uinteger, token varchar)",
    "create temp view caption_tokens as"
    f" select caption_id, tokenizer, tokens from {NAME}.main.caption_tokens"
    " union all select caption_id, tokenizer, tokens from temp.made_tokens",
    "create temp view vocabulary as"
    f" select token_id, token from {NAME}.main.vocabulary"
    " union all select token_id, token from temp.made_word",
)


def tokenize(store: Store, selections: Sequence[Selection], profile: str, progress: Progress = silent) -> None:
    """Make the missing tokens of every text of the selections for a tokenizer, in bounded batches, and store them."""
    tokenizer = tokenizer_of(profile)
    lacking = [selection for selection in selections if profile not in selection.version.tokenizers]
    if lacking and store.writable:
        with store.transaction():
            for selection in lacking:
                _make(store, selection, profile, tokenizer, progress)
            note_tokenizers(store)
    elif lacking:
        made = pl.concat(_make(store, selection, profile, tokenizer, progress) for selection in lacking)
        if made.height:
            kept.when_closed(store, made, partial(_save, profile, store.query("from vocabulary")))


class Encoder:
    """Keeps the token lists of texts under a profile, growing the vocabulary of a store as needed.

    It has its own codes for words, so that only the new words of a batch are looked up in the store.
    """

    def __init__(self, store: Store, profile: str) -> None:
        self._store, self._profile = store, profile
        self._code = pl.Categorical(pl.Categories.random())
        self._codes = pl.Series([], dtype=self._code)  # Polars forgets them where no column holds any
        self._numbers = pl.Series([], dtype=pl.UInt32)  # of each code in the vocabulary; 0 is none
        self._learn(store.query("from vocabulary"))

    def add(self, tokenized: pl.DataFrame) -> pl.DataFrame:
        """Keep the token lists of a batch.

        `tokenized`: caption_id, tokens (words). Gives caption_id, tokenizer, tokens (numbers), as kept.
        """
        table, words = ("caption_tokens", "vocabulary") if self._store.writable else ("made_tokens", "made_word")
        coded = tokenized.select(
            "caption_id", tokens=pl.col("tokens").list.eval(pl.element().cast(self._code).to_physical())
        ).explode("tokens", empty_as_null=True)
        codes = coded["tokens"].drop_nulls().unique()
        new = codes.filter(self._number(codes) == 0)
        if len(new):
            self._learn(_add_words(self._store, new.cat.to(self._code).cast(pl.String).to_frame("token"), words))
        encoded = (
            coded.with_columns(tokens=self._number(coded["tokens"]))
            .group_by("caption_id", maintain_order=True)
            .agg(pl.col("tokens").drop_nulls())
            .select("caption_id", pl.lit(self._profile).alias("tokenizer"), "tokens")
        )
        with self._store.registered("encoded", encoded):
            self._store.execute(f"insert into {table} by name from encoded")
        return encoded

    def _learn(self, words: pl.DataFrame) -> None:
        codes = words["token"].cast(self._code).to_physical()
        self._make_room(codes)
        self._numbers.scatter(codes, words["token_id"])

    def _number(self, codes: pl.Series) -> pl.Series:
        self._make_room(codes)
        return self._numbers.gather(codes)

    def _make_room(self, codes: pl.Series) -> None:
        if isinstance(most := codes.max(), int) and most >= len(self._numbers):
            self._numbers = self._numbers.extend_constant(0, most + 1 - len(self._numbers))


def spell(store: Store, words: pl.Series) -> None:
    """Add missing words to the vocabulary, for texts that are not in a store."""
    if not store.writable:
        _overlay(store)
    _add_words(store, words.unique().to_frame("token"), "vocabulary" if store.writable else "made_word")


def of_every_text(store: Store) -> list[str] | None:
    """Return the tokenizers that made tokens, if each did for every text of the store; else null."""
    made = store.query(
        "select tokenizer, count(*) = (select count(*) from caption) as is_whole"
        " from caption_tokens group by tokenizer order by tokenizer"
    )
    return made["tokenizer"].to_list() if made["is_whole"].all() else None


def note_tokenizers(store: Store, dataset: str | None = None) -> None:
    """Log the tokenizers of each version, of one dataset or of all: those with tokens for all of its texts."""
    with store.registered("found", store.rows("tokenized_version", dataset=dataset)):
        store.execute(
            "update version as v set tokenizers = f.tokenizers from found as f"
            " where f.dataset = v.dataset and f.seq = v.seq and f.tokenizers <> v.tokenizers"
        )


def _make(store: Store, selection: Selection, profile: str, tokenizer: Tokenizer, progress: Progress) -> pl.DataFrame:
    """Tokenize the texts of a selection that have no tokens yet.

    Gives caption_id, text_hash, tokens: what another process needs to know the text and its tokens again.
    """
    texts = store.rows("untokenized", **params_of(selection), tokenizer=profile)
    made = [_EMPTY]
    if texts.height:
        _overlay(store)
        encoder = Encoder(store, profile)
    for first in range(0, texts.height, TEXTS_AT_ONCE):
        progress(f"{selection.label}: tokenizing for {profile}", first, texts.height)
        with store.registered("at_hand", texts.slice(first, TEXTS_AT_ONCE)):
            batch = store.query(
                "select c.caption_id, c.text, hash(c.text) as text_hash from caption as c"
                " semi join at_hand as h on h.caption_id = c.caption_id order by c.caption_id"
            )
        encoded = encoder.add(batch.select("caption_id", tokens=tokenizer(batch["text"])))
        if not store.writable:
            made.append(batch.select("caption_id", "text_hash").join(encoded.drop("tokenizer"), on="caption_id"))
    return pl.concat(made)


def _overlay(store: Store) -> None:
    """Let a store opened for reading take tokens: beside its tables, and gone with the connection."""
    known = "select 1 from duckdb_views() where temporary and view_name = 'caption_tokens'"
    if store.writable or store.query(known).height:
        return
    for statement in _OVERLAY:
        store.execute(statement)


def _save(profile: str, words: pl.DataFrame, store: Store, tokens: pl.DataFrame) -> None:
    """Write what was made, in numbers of the file as it is now.

    Left out are texts that have tokens meanwhile, and those that are another text, as in a store that took this one's
    place. `tokens`: caption_id, text_hash, tokens; `words`: token_id, token.
    """
    with store.registered("made", tokens):
        lacking = store.query(
            "select m.caption_id, m.tokens from made as m"
            " join caption as c on c.caption_id = m.caption_id and hash(c.text) = m.text_hash"
            " anti join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = $tokenizer"
            " order by m.caption_id",
            {"tokenizer": profile},
        )
    encoder = Encoder(store, profile)
    for first in range(0, lacking.height, TEXTS_AT_ONCE):
        numbers = lacking.slice(first, TEXTS_AT_ONCE).explode("tokens", empty_as_null=True)
        spelled = numbers.join(words, left_on="tokens", right_on="token_id", how="left", maintain_order="left")
        encoder.add(spelled.group_by("caption_id", maintain_order=True).agg(tokens=pl.col("token").drop_nulls()))
    note_tokenizers(store)


def _add_words(store: Store, words: pl.DataFrame, table: str) -> pl.DataFrame:
    """Return numbers to those words that the vocabulary lacks: token_id, token."""
    with store.registered("tokenized", words):
        new = store.rows("new_token")
    with store.registered("new_tokens", new):
        store.execute(f"insert into {table} by name from new_tokens")
    return new


_EMPTY = pl.DataFrame(schema={"caption_id": pl.UInt32, "text_hash": pl.UInt64, "tokens": pl.List(pl.UInt32)})
