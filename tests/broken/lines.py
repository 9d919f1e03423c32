"""Text that is read line by line, and the lines that cannot be read."""

from __future__ import annotations

from broken.case import Broken, flickr, gz, zst
from broken.whole import BANK, CSV, SOUND

HUGE = b"9" * 5000
BROKEN_BYTES = {
    "a byte that is not UTF-8": b"bro\xffken",
    "Latin-1": b"un caf\xe9 noir",
    "an overlong encoding": b"a \xc0\xaf b",
    "an encoded surrogate": b"a \xed\xa0\x80 b",
    "a code point beyond Unicode": b"a \xf4\x90\x80\x80 b",
    "a sequence that is cut": b"caf\xc3",
}


def _flickr(name: str, lines: bytes, says: str, rejected: int = 1, **more: object) -> Broken:
    content = flickr(6) + lines
    return Broken(f"flickr: {name}", "flickr", {"a.token": content}, says, captions=6, rejected=rejected, **more)


CASES: tuple[Broken, ...] = (
    *(_flickr(name, b"x.jpg#0\t" + content + b"\n", r"a\.token:7: not UTF-8") for name, content in BROKEN_BYTES.items()),
    _flickr("no tab", b"x.jpg#0 A dog .\n", r"a\.token:7: no tab; expected IMAGE#N<TAB>CAPTION"),
    _flickr("no number", b"x.jpg\tA dog .\n", r"a\.token:7: the key is not IMAGE#N"),
    _flickr("a negative slot", b"x.jpg#-1\tA dog .\n", r"a\.token:7: the key is not IMAGE#N"),
    _flickr("a slot of 5000 digits", b"x.jpg#" + HUGE + b"\tA dog .\n", r"a\.token:7: the key is not IMAGE#N"),
    _flickr("a slot just beyond what a slot can be", b"x.jpg#4294967296\tA dog .\n", r"a\.token:7: the key is not"),
    _flickr("a slot in Arabic digits", "x.jpg#٣\tA dog .\n".encode(), r"a\.token:7: the key is not IMAGE#N"),
    _flickr("no image", b"#0\tA dog .\n", r"a\.token:7: the key is not IMAGE#N"),
    _flickr("an empty caption", b"x.jpg#0\t\n", r"a\.token:7: empty caption"),
    _flickr("a caption of blanks", b"x.jpg#0\t \t \n", r"a\.token:7: empty caption"),
    _flickr("a NUL in a caption", b"x.jpg#0\tA \0dog .\n", r"a\.token:7: holds a NUL character"),
    _flickr("a NUL in an image's name", b"x\0.jpg#0\tA dog .\n", r"a\.token:7: holds a NUL character"),
    _flickr("a key that is there already", b"1.jpg#0\tA cat .\n", r"a\.token:7: duplicate key 1.jpg#0, first at 3"),
    _flickr("a blank line", b"\n", r"a\.token:7: no tab"),
    _flickr("a caption of 10 MB", b"x.jpg#0\t" + b"a dog " * 1_700_000 + b"\n", r"a\.token:7: longer than 1,048,576"),
    _flickr("a line cut by the end of the file", b"x.jpg#0", r"a\.token:7: no tab"),
    _flickr("control characters", b"x.jpg\x1b[31m A dog .\n", r"a\.token:7: no tab"),
    Broken(
        "flickr: a line longer than 16 MiB", "flickr", {"a.token": lambda path: path.write_bytes(flickr(1) + b"a" * (17 << 20))},
        r"a\.token:2: a line longer than 16 MiB",
    ),
    Broken(
        "flickr: one line without end", "flickr", {"a.token": lambda path: path.write_bytes(bytes(200 << 20))},
        r"a\.token:1: a line longer than 16 MiB", dangerous=True,
    ),
    Broken(
        "flickr: a gz bomb", "flickr", {"a.token.gz": lambda path: path.write_bytes(gz(b"a.jpg#0\tA dog .\n" * (20 << 20)))},
        "expands to more than 200 times its size", dangerous=True,
    ),
    Broken(
        "flickr: a zst bomb", "flickr", {"a.token": lambda path: path.write_bytes(zst(bytes(1 << 30)))},
        "expands to more than 200 times its size|a line longer than", dangerous=True,
    ),
    Broken(
        "flickr: a gz bomb that nobody named", "", {"a.token": lambda path: path.write_bytes(gz(b"a.jpg#0\tA dog .\n" * (20 << 20)))},
        "expands to more than 200 times its size", dangerous=True,
    ),
    Broken("flickr: keys and captions swapped", "flickr", {"a.token": b"A dog .\ta.jpg#0\nA cat .\ta.jpg#1\n"}, r"a\.token:1: the key is not IMAGE#N"),
    Broken("flickr: names of images as captions", "flickr", {"a.token": b"A dog#0\ta.jpg\nA cat#0\tb.jpg\n"}, "names of image files: are columns swapped"),
    Broken("flickr: a table", "flickr", {"a.token": CSV}, r"a\.token:1: no tab"),
    Broken("flickr: JSON", "flickr", {"a.token": SOUND["coco"].content}, r"a\.token:1: no tab"),
    Broken("flickr: a tar", "flickr", {"a.token": SOUND["webdataset"].content}, "not of format"),
    Broken("scenes: two columns", "scenes", {"a.txt": b"1\tA boy .\n2\tA girl .\n"}, r"a\.txt:1: no two tabs"),
    Broken("scenes: a number that is a word", "scenes", {"a.txt": b"1\t0\tA boy .\n1\tone\tA girl .\n"}, r"a\.txt:2: N is no whole number below 1000", captions=1, rejected=1),
    Broken("scenes: a huge number", "scenes", {"a.txt": b"1\t0\tA boy .\n1\t" + HUGE + b"\tA girl .\n"}, r"a\.txt:2: N is no whole number below 1000", captions=1, rejected=1),
    Broken("scenes: a number twice", "scenes", {"a.txt": b"1\t0\tA boy .\n1\t0\tA girl .\n"}, r"a\.txt:2: set 1, scene 1, sentence 0 occurs before", captions=1, rejected=1),
    Broken("scenes: no scene", "scenes", {"a.txt": b"1\t0\tA boy .\n\t1\tA girl .\n"}, r"a\.txt:2: no image", captions=1, rejected=1),
    Broken("scenes: the same file twice", "scenes", {"a.txt": b"1\t0\tA boy .\n"}, r"a\.txt: named twice", named=("a.txt", "a.txt")),
    Broken("parallel: an annotator with a line less", "parallel", {"a.en": b"A\nB\nC\n", "b.en": b"D\nE\n"}, r"b\.en has 2 lines, .*a\.en has 3", named=("a.en", "b.en")),
    Broken("parallel: an image list with a line more", "parallel", {"a.en": b"A\nB\n", "l.txt": b"1.jpg\n2.jpg\n3.jpg\n"}, r"a\.en has 2 lines, .*l\.txt has 3", arguments=("--option", "image_list_file=@l.txt")),
    Broken("parallel: an image list that is not there", "parallel", {"a.en": b"A\nB\n"}, r"l\.txt: no such file", arguments=("--option", "image_list_file=@l.txt")),
    Broken("parallel: an image list with a broken byte", "parallel", {"a.en": b"A\nB\n", "l.txt": b"1.jpg\n\xff.jpg\n"}, r"a\.en:2: the image's name: not UTF-8", captions=1, rejected=1, arguments=("--option", "image_list_file=@l.txt")),
    Broken("parallel: an image list with a blank line", "parallel", {"a.en": b"A\nB\n", "l.txt": b"1.jpg\n\n"}, r"a\.en:2: no image", captions=1, rejected=1, arguments=("--option", "image_list_file=@l.txt")),
    Broken("parallel: an image list with an image twice", "parallel", {"a.en": b"A\nB\n", "l.txt": b"1.jpg\n1.jpg\n"}, r"a\.en:2: duplicate key 1.jpg#0", captions=1, rejected=1, arguments=("--option", "image_list_file=@l.txt")),
    Broken("parallel: an image list that is a device", "parallel", {"a.en": b"A\nB\n", "l.txt": lambda path: path.symlink_to("/dev/zero")}, "neither a file nor a folder", arguments=("--option", "image_list_file=@l.txt")),
    Broken("parallel: an empty line", "parallel", {"a.en": b"A\n\nB\n"}, r"a\.en:2: empty caption", captions=2, rejected=1),
    Broken("parallel: a gz bomb beside a small file", "parallel", {"a.en": b"A\n", "b.en": lambda path: path.write_bytes(gz(b"\n" * (300 << 20)))}, "expands to more than|lines", named=("a.en", "b.en"), dangerous=True),
    Broken("conllu: a sentence without text", "conllu", {"a.conllu": BANK + b"# sent_id = 2\n1\tRain\t_\t_\t_\t_\t0\troot\t_\t_\n"}, r"a\.conllu:5: a sentence without its line", captions=1, rejected=1),
    Broken("conllu: a sentence with two texts", "conllu", {"a.conllu": BANK + b"# text = a\n# text = b\n1\tRain\t_\t_\t_\t_\t0\troot\t_\t_\n"}, r"a\.conllu:5: a sentence with several lines", captions=1, rejected=1),
    Broken("conllu: an id twice", "conllu", {"a.conllu": BANK * 2}, r"a\.conllu:6: sent_id 1 occurs before", captions=1, rejected=1),
    Broken("conllu: a broken byte", "conllu", {"a.conllu": BANK + b"# text = bro\xffken\n1\tRain\t_\t_\t_\t_\t0\troot\t_\t_\n"}, r"a\.conllu:5: not UTF-8", captions=1, rejected=1),
    Broken("conllu: no CoNLL-U", "conllu", {"a.conllu": b"just a text\nof two lines\n"}, r"a\.conllu:1: a sentence without its line"),
    Broken("wordlist: a count that is a word", "wordlist", {"a.txt": b"kite\t5\nmug\tmany\n"}, r"a\.txt:2: the count is no whole number", captions=1, rejected=1),
    Broken("wordlist: a negative count", "wordlist", {"a.txt": b"kite\t5\nmug\t-2\n"}, r"a\.txt:2: the count is no whole number", captions=1, rejected=1),
    Broken("wordlist: a count beyond 64 bits", "wordlist", {"a.txt": b"kite\t5\nmug\t18446744073709551616\n"}, r"a\.txt:2: the count is no whole number", captions=1, rejected=1),
    Broken("wordlist: a count of 5000 digits", "wordlist", {"a.txt": b"kite\t5\nmug\t" + HUGE + b"\n"}, r"a\.txt:2: the count is no whole number", captions=1, rejected=1),
    Broken("wordlist: NaN as a count", "wordlist", {"a.txt": b"kite\t5\nmug\tNaN\n"}, r"a\.txt:2: the count is no whole number", captions=1, rejected=1),
    Broken("wordlist: a word twice", "wordlist", {"a.txt": b"kite\t5\nkite\t6\n"}, r"a\.txt:2: duplicate key kite#0", captions=1, rejected=1),
    Broken("wordlist: a header and nothing else", "wordlist", {"a.txt": b"word\tcount\n"}, "holds no record"),
    Broken("wordlist: a member of what is no archive", "wordlist", {"a.txt": b"kite\t5\n"}, "no archive; option member", arguments=("--option", "member=words.txt")),
    Broken("entities: mark-up without end", "entities", {"7.txt": b"A [/EN#1/people boy .\nA dog .\n"}, r"7\.txt:1: broken mark-up", captions=1, rejected=1),
    Broken("entities: brackets without mark-up", "entities", {"7.txt": b"A [boy] .\nA dog .\n"}, r"7\.txt:1: broken mark-up", captions=1, rejected=1),
    Broken("entities: a name that is no number", "entities", {"seven.txt": b"A dog .\n"}, r"seven\.txt:1: not named <image id>\.txt"),
    Broken("entities: a broken byte", "entities", {"7.txt": b"A dog .\nA \xff .\n"}, r"7\.txt:2: not UTF-8", captions=1, rejected=1),
    Broken("entities: a text of 2 MB", "entities", {"7.txt": b"A dog .\n" * (1 << 18)}, r"7\.txt:1: longer than 1 MiB"),
    Broken("brown: a word without a tag", "brown", {"ca01": b"A/at kite/nn\nA kite/nn\n"}, r"ca01:2: a word without a tag", captions=1, rejected=1),
    Broken("brown: a broken byte", "brown", {"ca01": b"A/at kite/nn\nA\xff/at kite/nn\n"}, r"ca01:2: not UTF-8", captions=1, rejected=1),
    Broken("brown: words without tags", "brown", {"ca01": b"The jury said\nthat it was so\n"}, r"ca01:1: a word without a tag"),
    Broken("judgements: no file of captions", "judgements", {"a.txt": SOUND["judgements"].content}, "captions_file", code=2),
    Broken("judgements: a file of captions that is not there", "judgements", {"a.txt": SOUND["judgements"].content}, r"c\.token: no such file", arguments=("--option", "captions_file=@c.token")),
    Broken("judgements: a file of captions that holds none", "judgements", {"a.txt": SOUND["judgements"].content, "c.token": b"nothing\n"}, r"c\.token", arguments=("--option", "captions_file=@c.token")),
    Broken("judgements: a caption that is not there", "judgements", {"a.txt": b"a.jpg\tb.jpg#0\t1\t2\t4\na.jpg\tz.jpg#0\t1\t2\t4\n", "c.token": b"b.jpg#0\tA kite .\n"}, r"a\.txt:2: caption z\.jpg#0 is not in c\.token", captions=1, rejected=1, arguments=("--option", "captions_file=@c.token")),
    Broken("judgements: a score beyond the scale", "judgements", {"a.txt": b"a.jpg\tb.jpg#0\t1\t2\t4\na.jpg\tb.jpg#0\t1\t2\t9\n", "c.token": b"b.jpg#0\tA kite .\n"}, r"a\.txt:2: ", captions=1, rejected=1, arguments=("--option", "captions_file=@c.token")),
    Broken("judgements: a score that is NaN", "judgements", {"a.csv": b"image,caption,score\na.jpg,A kite .,1\nb.jpg,A mug .,NaN\n"}, r"a\.csv:3: ", captions=1, rejected=1),
    Broken("judgements: a score that is infinite", "judgements", {"a.csv": b"image,caption,score\na.jpg,A kite .,1\nb.jpg,A mug .,inf\n"}, r"a\.csv:3: ", captions=1, rejected=1),
    Broken("judgements: a row with a field less", "judgements", {"a.csv": b"image,caption,score\na.jpg,A kite .,1\nb.jpg,2\n"}, r"a\.csv:3: ", captions=1, rejected=1),
    Broken("judgements: a quote without end", "judgements", {"a.csv": b'image,caption,score\na.jpg,A kite .,1\nb.jpg,"A mug .,2\nc.jpg,A cup .,2\n'}, r"a\.csv:3: ", captions=2, rejected=1),
    Broken("judgements: a header and nothing else", "judgements", {"a.csv": b"image,caption,score\n"}, "no record"),
    Broken("judgements: control characters in the first line", "judgements", {"a.csv": b"\x1b[31mred\x07\rgone\0 \xc2\x85 \xe2\x80\xa8 more\n"}, r"a\.csv"),
)
