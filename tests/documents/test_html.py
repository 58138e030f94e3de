import pytest

from memoryapp.documents import html
from memoryapp.documents.document import MADE_BY_SCRIPT, Unreadable

PAGE = """<!doctype html><title> How we
deploy</title><body><header><a href=/>Home</a></header><nav>Menu</nav>
<main><h1>How <em>we</em> deploy</h1><p>From the <a href="https://example.org">pipeline</a>,
never by hand.<br>Ask <b>Ada</b> about snake_case.
<script>alert(1)</script><aside>Advertisement</aside></main><footer>Imprint</footer>"""


def text_of(source):
    return html.read(f"<!doctype html><body>{source}".encode()).text


def test_the_main_text_is_kept_and_what_is_around_it_is_not():
    read = html.read(PAGE.encode())
    assert read.text == (
        "# How we deploy\n\nFrom the pipeline, never by hand.\nAsk Ada about snake_case."
    )
    assert " ".join(read.title.split()) == "How we deploy"


def test_a_page_without_a_main_part_is_read_without_its_frame():
    assert text_of("<header>Top</header><div>Said<footer>End</footer></div>") == "Said"
    assert text_of("<p>Before<article><p>The story</article>") == "The story"
    assert text_of("<article>One</article><article>Two</article>") == "One\n\nTwo"
    assert text_of("<main></main><p>Beside an empty one") == "Beside an empty one"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<ul><li>a<li>b<ol><li>c</ol><li>d</ul>", "- a\n- b\n  - c\n- d"),
        ("<ul><li><p>a</p><p>more</p></li></ul>", "- a\n\n  more"),
        ("<pre>if x:\n    y\n\n  z</pre>after", "```\nif x:\n    y\n\n  z\n```\n\nafter"),
        (
            "<table><tr><th>Pump<th>Bar<tr><td>A<b>1</b><td> 2 </table>",
            "| Pump | Bar |\n| --- | --- |\n| A1 | 2 |",
        ),
        ("<table><tr><td><h2>Left</h2><td><p>Right</table>", "## Left\n\nRight"),
        ("<span>in</span>line<div>block</div>end", "inline\n\nblock\n\nend"),
        ("<x-card><p>custom</p></x-card>", "custom"),
        ("<p hidden>unseen<p aria-hidden=true>unseen<p>seen", "seen"),
        ("<p>1 &lt; 2 &amp; <!-- note -->3", "1 < 2 & 3"),
    ],
)
def test_what_a_page_is_made_of_becomes_markdown(source, text):
    assert text_of(source) == text


def test_a_page_in_another_encoding_is_read_by_what_it_says_of_itself():
    page = "<meta charset=iso-8859-1><p>Grüße"
    assert html.read(page.encode("latin-1")).text == "Grüße"


def test_a_page_that_a_program_makes_says_so():
    with pytest.raises(Unreadable, match=MADE_BY_SCRIPT):
        html.read(b"<!doctype html><div id=app></div><script>start()</script>")
