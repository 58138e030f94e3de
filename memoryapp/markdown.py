"""Markdown as the page shows it: safe HTML, and how much of an unfinished text is final."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import nh3
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.texmath import texmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

RENDERED_KEPT = 1024  # a long chat opens from the cache; a rendered reply is a few kilobytes
HIGHLIGHTED_MAX_CHARS = 50_000  # colouring a pasted log costs seconds and helps nobody
TOP_HEADING = 3  # h1 is the chat's title and h2 each message
MATH = ("math_inline", "math_inline_double", "math_block", "math_block_eqno")
TASK = re.compile(r"\[([ xX])\]\s")
FENCES = ("```", "~~~")
# How a line begins that goes on with a block of lines alike.
ROW = re.compile(
    r"(?P<indented>[ \t])|(?P<dash>-(?: |$))|(?P<star>\*(?: |$))|(?P<plus>\+(?: |$))"
    r"|(?P<number>\d{1,9}(?:[.)] |[.)]?$))|(?P<cells>\|)|(?P<quote>>)|(?P<fence>```|~~~)"
)
LINE_BREAK = re.compile(r"\r\n?|\n")

CLEANER = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "input"),
        *("strong", "em", "s", "code", "pre", "span", "a", "div", "figure", "figcaption"),
        *("table", "thead", "tbody", "tr", "th", "td", "button", "svg", "use"),
    },
    attributes={
        "*": {"class", "tabindex", "role", "aria-label", "aria-hidden"},
        "a": {"href", "title"},
        "button": {"type", "data-copy"},
        "input": {"type", "checked", "disabled"},
        "ol": {"start"},
        "th": {"scope", "align"},
        "td": {"align"},
        "use": {"href"},
    },
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={"a": {"target": "_blank"}},
)


def render(body: str) -> SafeString:
    """The HTML of a message's markdown: sanitised, without images, headings from h3 down."""
    return _render(body, get_language() or "")


@lru_cache(RENDERED_KEPT)
def _render(body: str, language: str) -> SafeString:
    return SafeString(CLEANER.clean(PAGE.render(body)))


def plain(line: str) -> str:
    """The words of one line of markdown, without the marks around them."""
    pieces = [piece.content for block in LINES.parse(line) for piece in block.children or ()]
    return "".join(pieces) or line


def final_chars(body: str) -> int:
    """How many characters of a growing text hold blocks that no later text can change.

    That is everything before its last block: a list or a paragraph may go on, a fence may be
    open.
    """
    blocks = [token.map for token in BLOCKS.parse(body) if token.level == 0 and token.map]
    last_line = max((start for start, _end in blocks), default=0)
    breaks = LINE_BREAK.finditer(body)
    return next((m.end() for line, m in enumerate(breaks, 1) if line == last_line), 0)


def only_grows(block: str, added: str) -> bool:
    """Whether all that is `added` looks like more of `block`: its items, rows and quoted lines,
    what is indented, and code in a fence.

    To find what is final takes the longer the longer the last block is, so each line of a long list
    or table would take longer than the one before it.
    """
    start = ROW.match(block)
    if start is None:
        return False
    if start[0] in FENCES:
        return f"\n{start[0]}" not in block + added
    lines = (block.rpartition("\n")[2] + added).split("\n")
    rows = map(ROW.match, filter(None, map(str.rstrip, lines)))
    return all(row is not None and row.lastgroup in (start.lastgroup, "indented") for row in rows)


def _fence(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any
) -> str:
    code = tokens[index].content.rstrip("\n")
    language = tokens[index].info.split(maxsplit=1)[0] if tokens[index].info.strip() else ""
    context = {"language": language, "code": highlighted(code, language)}
    return render_to_string("chats/_code.html", context)


def highlighted(code: str, language: str) -> SafeString:
    """`code` with Pygments' classes; plain when the language is unknown or it is very long."""
    if not language or len(code) > HIGHLIGHTED_MAX_CHARS:
        return escape(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return escape(code)
    return SafeString(highlight(code, lexer, HtmlFormatter(nowrap=True)).rstrip("\n"))


def _image(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any
) -> str:
    """A picture from elsewhere would tell its server who reads this, so it becomes a link."""
    source = escape(tokens[index].attrGet("src") or "")
    name = tokens[index].content or _("Picture")
    return f'<a href="{source}">{escape(name)}</a>'


def _table(
    _renderer: RendererHTML, _tokens: Sequence[Token], _index: int, _options: Any, _env: Any
) -> str:
    label = escape(_("Table"))
    return f'<div class="table" tabindex="0" role="group" aria-label="{label}"><table>'


def _table_end(
    _renderer: RendererHTML, _tokens: Sequence[Token], _index: int, _options: Any, _env: Any
) -> str:
    return "</table></div>"


def _math(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any
) -> str:
    """TeX as it is; the page sets it."""
    token = tokens[index]
    tex = escape(token.content.strip())
    if token.type.startswith("math_block"):
        return f'<div class="math math--block">{tex}</div>'
    is_block = token.type == "math_inline_double"
    return f'<span class="math{" math--block" if is_block else ""}">{tex}</span>'


def _lower_headings(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + TOP_HEADING - 1, 6)}"


def _tick_tasks(state: StateCore) -> None:
    """Turn "[ ] " and "[x] " at the start of a list item into a box that can't be pressed."""
    for index, token in enumerate(state.tokens):
        if token.type != "inline" or state.tokens[index - 2].type != "list_item_open":
            continue
        task = TASK.match(token.content)
        if task and token.children:
            box = Token("html_inline", "", 0)
            is_done = task.group(1) != " "
            label = escape(_("Done") if is_done else _("Open"))
            checked = " checked" if is_done else ""
            box.content = f'<input type="checkbox"{checked} disabled aria-label="{label}"> '
            token.children[0].content = token.children[0].content[task.end() :]
            token.children.insert(0, box)
            state.tokens[index - 2].attrSet("class", "task")


def _parser() -> MarkdownIt:
    # Raw HTML in a reply is text: what a model says is never markup.
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # "$5 and $6" are prices: within dollars no space stands at the edges, and no digit around them.
    parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
    )
    return parser.use(texmath_plugin, delimiters="brackets")


def _page() -> MarkdownIt:
    page = _parser()
    page.core.ruler.push("lower_headings", _lower_headings)
    page.core.ruler.push("tick_tasks", _tick_tasks)
    for name, rule in {
        "fence": _fence,
        "code_block": _fence,
        "image": _image,
        "table_open": _table,
        "table_close": _table_end,
        **dict.fromkeys(MATH, _math),
    }.items():
        page.add_render_rule(name, rule)
    return page


def _blocks() -> MarkdownIt:
    blocks = _parser()
    blocks.core.ruler.enableOnly(["normalize", "block"])
    return blocks


PAGE = _page()
LINES = _parser()
BLOCKS = _blocks()
