import pytest

from memoryapp import markdown
from memoryapp.markdown import final_chars, only_grows, render


def test_markdown_becomes_html_with_headings_below_the_messages():
    html = render("# Steps\n\n1. **Stop**\n2. `go`")
    assert "<h3>Steps</h3>" in html
    assert "<strong>Stop</strong>" in html
    assert "<code>go</code>" in html


def test_raw_html_is_shown_as_text():
    html = render("<script>alert(1)</script>\n\nand <b onclick=x>bold</b>")
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "<b " not in html


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "JaVaScRiPt:x"]
)
def test_a_link_that_would_run_code_has_no_address(link):
    assert "href" not in render(f"[press]({link}) <{link}>")


def test_a_link_opens_elsewhere_and_says_nothing_of_where_it_came_from():
    html = render("[docs](https://example.com/a?b=c&d)")
    assert 'href="https://example.com/a?b=c&amp;d"' in html
    assert 'target="_blank"' in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_a_picture_is_a_link_so_that_nothing_is_loaded_from_elsewhere():
    html = render("![my cat](https://example.com/cat.png)")
    assert "<img" not in html
    assert ">my cat</a>" in html


def test_code_is_coloured_and_can_be_copied():
    html = render("```python\ndef f(): ...\n```")
    assert '<span class="k">def</span>' in html
    assert "data-copy" in html
    assert 'tabindex="0"' in html


@pytest.mark.parametrize("fence", ["```nosuchlanguage", "```", "~~~ {onload=x} y"])
def test_code_without_a_known_language_is_plain_and_escaped(fence):
    html = render(f"{fence}\n</code><script>x</script>\n{fence[:3]}")
    assert "&lt;/code&gt;&lt;script&gt;" in html
    assert "<script" not in html


def test_code_keeps_its_spaces_and_lines():
    html = render("```\n  a\n\n    b\n```")
    assert "<code>  a\n\n    b</code>" in html


def test_very_long_code_is_left_uncoloured():
    html = render("```python\n" + "x = 1\n" * (markdown.HIGHLIGHTED_MAX_CHARS // 5) + "```")
    assert "<span class=" not in html.split("<code>")[1]


def test_a_table_scrolls_in_a_box_of_its_own():
    html = render("| a | b |\n|---|--:|\n| 1 | 2 |")
    assert '<div class="table" tabindex="0" role="group"' in html
    assert html.index("</table>") < html.index("</div>")


def test_tasks_are_boxes_that_cannot_be_pressed():
    html = render("- [x] done\n- [ ] open [ ] still\n- plain")
    assert html.count('<input type="checkbox"') == 2
    assert html.count('checked=""') == 1
    assert html.count("disabled") == 2
    assert "open [ ] still" in html


def test_an_empty_text_has_no_html():
    assert render("") == ""


@pytest.mark.parametrize(
    ("text", "final"),
    [
        ("", ""),
        ("One paragraph", ""),
        ("One\n\nTwo", "One\n\n"),
        ("One\n\n", ""),
        ("- a\n- b\n", ""),
        ("- a\n\n- b", ""),
        ("- a\n\nEnd", "- a\n\n"),
        ("```\ncode\n\nmore", ""),
        ("```\ncode\n```\nEnd", "```\ncode\n```\n"),
        ("One\r\n\r\nTwo", "One\r\n\r\n"),
        ("| a |\n|---|\n| 1 |\n", ""),
        ("# Head\nText", "# Head\n"),
        ("> quote\nlazy\n\nEnd", "> quote\nlazy\n\n"),
    ],
)
def test_only_what_stands_before_the_last_block_is_final(text, final):
    assert text[: final_chars(text)] == final


def test_blocks_rendered_as_they_become_final_are_the_whole_rendered_at_once():
    text = (
        "Hello *there*.\n\n1. one\n2. two\n   - deep\n\n```py\nx = 1\n\ny = 2\n```\n\n"
        "1. one\n\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n# End\nlast words"
    )
    pieces, rest = [], ""
    for char in text:
        final = 0 if only_grows(rest, char) else final_chars(rest + char)
        pieces.append(render((rest + char)[:final]))
        rest = (rest + char)[final:]
    assert "".join([*pieces, render(rest)]).split() == render(text).split()
    assert len(rest) < len("# End\nlast words")


@pytest.mark.parametrize(
    ("block", "added", "is_more"),
    [
        ("- a\n", "- b", True),
        ("- a\n\n-", " b\n", True),
        ("1. a\n", "10. b\n\n   more\n1", True),
        ("* a\n", "- b", False),
        ("- a\n\n", "End", False),
        ("- a\n", "# Head\n- b", False),
        ("| a |\n", "|---|\n| 1 |\n", True),
        ("| a |\n|---|\n", "\nEnd", False),
        ("> a\n", "> b", True),
        ("```py\nx\n", "\n# y\n- z", True),
        ("```py\nx\n``", "`\n", False),
        ("```py\nx\n```\n", "End", False),
        ("Some words\n", "more words", False),
        ("", "- a", False),
    ],
)
def test_what_is_only_more_of_the_last_block_is_known_by_its_beginning(block, added, is_more):
    assert only_grows(block, added) == is_more


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("Let $a<b$.", '<p>Let <span class="math">a&lt;b</span>.</p>'),
        (r"Let \(a\).", '<p>Let <span class="math">a</span>.</p>'),
        ("$$\na\n$$", '<div class="math math--block">a</div>'),
        (r"\[ a \]", '<div class="math math--block">a</div>'),
        ("From $5 to $10", "<p>From $5 to $10</p>"),
        ("`$a$`", "<p><code>$a$</code></p>"),
    ],
)
def test_math_is_marked_and_prices_are_not(body, html):
    assert markdown.render(body).strip() == html


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("## The *plan*", "The plan"),
        (
            "- **Linz**: see [the map](https://example.org), or `map.txt`",
            "Linz: see the map, or map.txt",
        ),
        ("3 * 4 is 12, a_b_c", "3 * 4 is 12, a_b_c"),
        ("```python", "```python"),
        ("---", "---"),
    ],
)
def test_the_words_of_a_line_are_told_without_marks(line, words):
    assert markdown.plain(line) == words
