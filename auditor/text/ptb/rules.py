"""What the tokens of the Penn Treebank look like, as the Stanford tokenizer 3.4.1 of COCO's evaluation has them.

Rules in the order in which they win ties, in the language of `tests/text/make_ptb_table.py`, which makes the table of
them: run it after a change. The name of a rule decides what becomes of its token (see `auditor.text.ptb`). What the
program does is the measure: `tests/text/make_gold_ptb.py` asks it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """What a token looks like, what must follow it, and by which name it is known.

    What follows takes part in the comparison of lengths, but not in the token.
    """

    name: str
    pattern: str
    before: str = ""


# Characters. Of those beyond the basic plane the program sees two halves, which it knows only in addresses.
NAMED: dict[str, Callable[[str], bool]] = {
    "letter": lambda character: character.isalpha() and character <= "\uffff",
    "digit": lambda character: character.isdecimal() and character <= "\uffff",
    "uppercase": lambda character: character.isupper() and character <= "\uffff",
}

# Marks, joiners and signs that are part of words, though Unicode calls them no letters.
_MARKS = (
    "\u00ad\u02c2-\u02c5\u02d2-\u02df\u02e5-\u02ff\u0300-\u036f\u0375\u0378\u0379\u0384\u0385\u03f6\u0483-\u0487\u055a-\u055f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0615-\u061a\u064b-\u065e\u0670\u06d6-\u06ef\u06fa-\u06ff\u070f"
    "\u0711\u0730-\u074f\u07a6-\u07b1\u07ca-\u07f5\u07fa\u0900-\u0903\u093c\u093e-\u094e\u0951-\u0955\u0962\u0963"
    "\u0981-\u0983\u09bc-\u09c4\u09c7\u09c8\u09cb-\u09cd\u09d7\u09e2\u09e3\u0a01-\u0a03\u0a3c\u0a3e-\u0a4f\u0a81-\u0a83"
    "\u0abc-\u0acf\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd\u0c01-\u0c03\u0c3e-\u0c56\u0d3e-\u0d44\u0d46-\u0d48"
    "\u0e30-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd"
)

_SYMBOLS = (
    "+%&~\\^|\\\\¦§¨©¬®¯°-³´-º×÷\u0387\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u0603\u0606-\u060a\u060c\u0614\u061b\u061e"
    "\u066a\u066d\u0703-\u070d\u07f6-\u07f8\u0964\u0965\u0e4f\u1fbd\u2016\u2017\u2020-\u2023\u2030-\u2038\u203b\u203e-\u2042"
    "\u2044\u207a-\u207f\u208a-\u208e\u2100-\u214f\u2190-\u2bff\u3012\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)

_BLANKS = " \t\u00a0\u2000-\u200a\u3000"

_BLANK, _BREAK = f"[{_BLANKS}]", "(\r|\r?\n|[\u2028\u2029\x0b\x0c\x85])"

_GAP = f"({_BLANK}|{_BREAK})"

_LETTER = f"([:letter:]|&[aeiouAEIOU](acute|grave|uml);|[{_MARKS}])"

_DIGIT = "[:digit:]"

_PLAIN = "[:letter::digit:]"

_APOSTROPHE = "(['\x92’]|&apos;)"

_INNER_APOSTROPHE = f"({_APOSTROPHE}|[`\x91‘‛])"

_COMMA = "[,;:、]"

# Words and numbers.
_RUN = f"({_LETTER}|{_DIGIT})*"

_WORD = f"{_LETTER}{_RUN}([.!?]{_LETTER}{_RUN})*"

_NUMBER = f"[\\-+]?({_DIGIT}+|{_DIGIT}*([.:,\u00ad\u066b\u066c]{_DIGIT}+)+)"

_FRACTION = f"({_DIGIT}{{1,4}}[\\- \u00a0])?{_DIGIT}{{1,4}}(\\\\?/|\u2044){_DIGIT}{{1,4}}"

_DATE = f"{_DIGIT}{{1,2}}[\\-/]{_DIGIT}{{1,2}}[\\-/]{_DIGIT}{{2,4}}"

_PHONE = (
    "(\\([0-9]{2,3}\\)[ \u00a0]?|(\\+\\+?)?([0-9]{2,4}[\\- \u00a0])?[0-9]{2,4}[\\- \u00a0])"
    "[0-9]{3,4}[\\- \u00a0]?[0-9]{3,5}"
    "|((\\+\\+?)?[0-9]{2,4}\\.)?[0-9]{2,4}\\.[0-9]{3,4}\\.[0-9]{3,5}"
)

_FOREIGN_ARTICLE = f"([dDoOlL]{_INNER_APOSTROPHE}{_PLAIN})?"

_HYPHENATED = f"{_FOREIGN_ARTICLE}{_PLAIN}+([\\-_\u058a\u2010\u2011]{_FOREIGN_ARTICLE}{_PLAIN}+)*"

_SLASHED = r"[A-Za-z0-9]+(-[A-Za-z]+){0,2}(\\?/[A-Za-z0-9]+(-[A-Za-z]+){0,2}){1,2}"

_FIRM = "[A-Z]+(([+&]|&amp;)[A-Z]+)+"

_STATES = r"(Canada|Sino|Korean|EU|Japan|non)-U\.S|U\.S\.-(U\.K|U\.S\.S\.R)"

_ACRONYM, _LONG_ACRONYM = rf"([A-Za-z](\.[A-Za-z])*|{_STATES})", rf"([A-Za-z](\.[A-Za-z])+|{_STATES})"

_COMPOUND = f"[A-Za-z0-9][A-Za-z0-9.,\u00ad]*(-([A-Za-z0-9\u00ad]+|{_LONG_ACRONYM}\\.))+"

# Words with apostrophes.
_VERB = f"{_APOSTROPHE}([msdMSD]|re|ve|ll)"

_NOT = f"n{_INNER_APOSTROPHE}t"

_BEFORE_NOT = "[A-Za-z\u00ad]*[A-MO-Za-mo-z]\u00ad*"

_WITH_APOSTROPHE = "|".join(
    (
        f"{_APOSTROPHE}(n{_APOSTROPHE}?|em|[2-9]0s|till?|cause)",
        f"([lLdDjJ]|Dunkin|somethin|ol){_APOSTROPHE}",
        f"[A-HJ-XZn]{_INNER_APOSTROPHE}[:letter:]{{2}}[:letter:]*",
        f"[:letter:][:letter:]*[aeiouyAEIOUY]{_INNER_APOSTROPHE}[aeiouA-Z][:letter:]*",
        f"O{_INNER_APOSTROPHE}o|cont'd\\.?|nor'easter|c'mon|e'er|s'mores|ev'ry|li'l|nat'l",
    )
)

_TREEBANK = f"-(L|R)(R|C|S)B-|C\\.D\\.s|pro-|anti-|S(&|&amp;)(P-500|Ls)|Cap{_APOSTROPHE}n|c{_APOSTROPHE}est"

# The web.
_STOPS = ' \t\n\f\r"'

_URL = f"https?://[^{_STOPS}<>|()\\{{}}]+[^{_STOPS}<>|.!?()\\{{}},\\-]"

_LIKELY_URL = (
    f"(www\\.([^{_STOPS}<>|.!?()\\{{}},]+\\.)+[a-zA-Z]{{2,4}}|([^{_STOPS}`'<>|.!?()\\{{}},-_$]+\\.)+(com|net|org|edu))"
    f"(/[^{_STOPS}<>|()]+[^{_STOPS}<>|.!?()\\{{}},\\-])?"
)

_HOST = f"[^{_STOPS}<>|()\\{{}}.\u00a0]+"

_EMAIL = f"(&lt;|<)?[a-zA-Z0-9][^{_STOPS}<>|()\u00a0\\{{}}]*@({_HOST}\\.)*{_HOST}(&gt;|>)?"

_HANDLE = f"@[a-zA-Z_][a-zA-Z_0-9]*|#{_LETTER}+"

_FILE = (
    f"({_LETTER}|{_DIGIT})+(\\.({_LETTER}|{_DIGIT})+)*\\.(bat|bmp|c|class|cgi|cpp|dll|doc|docx|exe|gif|gz|h|htm|html|jar"
    "|java|jpeg|jpg|mov|mp3|pdf|php|pl|png|ppt|ps|py|sql|tar|txt|wav|x|xml|zip)"
)

_TAG_NAME = "[A-Za-z][A-Za-z0-9_:.\\-]*"

_TAG_VALUE = "('[^']*'|\"[^\"]*\")"

_TAG = f"<([!?][A-Za-z\\-][^>\r\n]*|{_TAG_NAME}( +({_TAG_NAME}|{_TAG_NAME} *= *{_TAG_VALUE}))* */?|/{_TAG_NAME}) *>"

_SMILEY = r"[<>]?[:;=][\-o\*']?[\(\)DPdpO\\\{@\|\[\]]"

_ASIAN_SMILEY = (
    r"[\^x=~<>]\.\[\^x=[^<]*<>]|[\-\^x=~<>']_[\-\^x=~<>']"
    r"|\([\-\^x=~<>'][_.]?[\-\^x=~<>']\)|\([\^x=~<>']-[\^x=~<>'`]\)"
)

# Abbreviations. Square brackets: a capital letter only, for the rest is a common word.
_LOWER_FOLLOWS = (
    "(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Mon|Tue|Tues|Wed|Thu|Thurs|Fri"
    "|Ala|Ariz|[A]z|[A]rk|Calif|Colo|Conn|Ct|Dak|[D]el|Fla|Ga|[I]ll|Ind|Kans?|Ky|[L]a|[M]ass|Md|Mich|Minn|[M]iss|Mo|Mont"
    "|Neb|Nev|Okla|[O]re|[P]a|Penn|Tenn|[T]ex|Va|Vt|[W]ash|Wisc?|Wyo"
    "|Inc|Cos?|Corp|Pp?t[ye]s?|Rt|Ltd|Plc|Bancorp|Bhd|Assn|Univ|Intl|Sys"
    r"|tel|est|ext|sq|Jr|Sr|Bros|(Ed|Ph)\.D|Blvd|Rd|Esq|etc|al|seq|Bldg)\."
)

_CAPITAL_FOLLOWS = (
    "(Ft|Mr|Mrs|Ms|[M]iss|Drs?|Profs?|Sens?|Reps?|Attys?|Lt|Col|Gen|Messrs|Govs?|Adm|Rev|Maj|Sgt|Cpl|Pvt|Mt|Capt|Ste?|Ave"
    "|Pres|Lieut|Hon|Brig|Co?mdr|Pfc|Spc|Supts?|Det|Adj|Adv|Asst|Assoc|Ens|Insp|Mlle|Mme|Msgr|Sfc"
    rf"|vs|Ph|Alex|Wm|Jos|Cie|a\.k\.a|cf|TREAS|{_ACRONYM}|Invt|Elec|Natl|M[ft]g|Dept)"
)

_NUMBER_FOLLOWS = r"(ca|figs?|prop|nos?|art|bldg|pp|op)\."

_SENTENCE_BEGINS = (
    "([A](bout|ccording|dditionally|fter|n|s|t)?|[B]ut|[E]arlier|[H](e|er|ere|owever)|[I](f|n|t)|[L]ast|[M](any|ore|r\\.|s\\.)"
    "|[N]ow|[O](nce|ne|ther|ur)|[S](he|ince|o|ome|uch)|[T](hat|he|heir|hen|here|hese|hey|his)|[W](e|hen|hile|hat)|[Y](et|ou)"
    f"|{_TAG})"
)

RULES = (
    Rule("plain", r"c\+\+|(c|f)#"),
    Rule("but for three", "cannot|'twas"),
    Rule("but for two", "'tis|gonna|gotta|lemme|gimme|wanna"),
    Rule("plain", _TAG),
    Rule("dash", "&(MD|mdash|ndash);|[\x96\x97–—―]"),
    Rule("ampersand", "&amp;"),
    Rule("plain", "&(HT|TL|UR|LR|QC|QL|QR|odq|cdq|#[0-9]+);"),
    Rule("word", _WORD, _VERB),
    Rule("word", _BEFORE_NOT, _NOT),
    Rule("word", _WORD),
    Rule("plain", _WITH_APOSTROPHE),
    Rule("plain", f"y{_APOSTROPHE}", "[:letter:]"),
    Rule("plain", f"{_URL}|{_LIKELY_URL}|{_EMAIL}|{_HANDLE}"),
    Rule("closing quote", f"{_VERB}|{_NOT}", "[^A-Za-z]"),
    Rule("plain", _DATE),
    Rule("word", _NUMBER),
    Rule("plain", f"[\u207a\u207b\u208a\u208b]?([\u2070¹²³\u2074-\u2079]+|[\u2080-\u2089]+)|{_FRACTION}"),
    Rule("fraction", "[¼½¾\u2153-\u215e]"),
    Rule("ampersand", _TREEBANK),
    Rule("plain", f"{_SLASHED}|[A-Z]*\\$|#"),
    Rule("currency", "[¢£¤¥\x80₠₤€\u060b\u0e3f\uffe0\uffe1\uffe5\uffe6]"),
    Rule("acronym", f"{_ACRONYM}\\.", f"{_GAP}+{_SENTENCE_BEGINS}{_GAP}"),
    Rule("plain", _NUMBER_FOLLOWS, f"{_GAP}?[:digit:]"),
    Rule("plain", r"(pt[eyEY]|co)\.", f"{_BLANK}(ltd|lim)"),
    Rule("abbreviation", _LOWER_FOLLOWS, f"{_GAP}({_GAP}|[:uppercase:]|{_TAG})"),
    Rule("plain", _LOWER_FOLLOWS, "[^][^]"),
    Rule("abbreviation", _LOWER_FOLLOWS),
    Rule("plain", f"{_CAPITAL_FOLLOWS}\\."),
    Rule("plain", _CAPITAL_FOLLOWS, _BLANK),
    Rule("plain", _ACRONYM, _GAP),
    Rule("plain", f"{_APOSTROPHE}[0-9][0-9]", _GAP),
    Rule("word", f"{_WORD}\\.", _COMMA),
    Rule("bracketed", _ASIAN_SMILEY),
    Rule("plain", _FILE, f"({_GAP}|[.?!,])"),
    Rule("bracketed", _PHONE),
    Rule("opening quote", '"|&quot;', "[A-Za-z0-9$]"),
    Rule("closing quote", '"|&quot;'),
    Rule("nothing", "\x7f"),
    Rule("less", "<|&lt;"),
    Rule("more", ">|&gt;"),
    Rule("bracketed", _SMILEY, "[^A-Za-z0-9]"),
    Rule("bracket", r"[\{}\[\]\(\)]"),
    Rule("hyphens", "\\-+"),
    Rule("dots", "\\.{3,5}|(\\.[ \u00a0]){2,4}\\.|[\x85…]"),
    Rule("plain", r"@+|#+|_+|\*+|(\\\*){1,3}"),
    Rule("plain", f"{_COMMA}|[?!]+|[.¡¿\u037e\u0589\u061f\u06d4\u0700-\u0702\u07fa。]|=|/"),
    Rule("word", f"{_COMPOUND}\\.", _COMMA),
    Rule("word", _COMPOUND),
    Rule("plain", f"{_HYPHENATED}\\.", _COMMA),
    Rule("plain", _HYPHENATED),
    Rule("ampersand", f"{_FIRM}\\.", _COMMA),
    Rule("ampersand", _FIRM),
    Rule("opening quote", "'", "[A-Za-z][^ \t\n\r\u00a0]"),
    Rule("closing quote", f"{_VERB}|{_NOT}|{_APOSTROPHE}|''|[`‘’‚‛“”\x91-\x94„‟‹›«»]{{1,2}}"),
    Rule("plain", f"<<|>>|[{_SYMBOLS}]"),
    Rule("nothing", f"\0|{_BLANK}+|[\u200b\u200e\u200f\ufeff]|{_BREAK}|&nbsp;"),
    Rule("nothing", "[^\n]"),
)
