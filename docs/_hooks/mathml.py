"""Formulas become MathML while the site is built: reading them takes no script, no font and no network."""

import html
import re

from latex2mathml.converter import convert

# as pymdownx.arithmatex leaves them: <span class="arithmatex">\(...\)</span>, and a <div> around \[...\]
FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', re.DOTALL)


def on_page_content(content: str, **_: object) -> str:
    """Called by mkdocs with the HTML of each page."""
    return FORMULA.sub(mathml, content)


def mathml(formula: re.Match[str]) -> str:
    """One formula, inline or on its own line."""
    tag, latex = formula.groups()
    display = "block" if tag == "div" else "inline"
    return f'<{tag} class="formula">{convert(html.unescape(latex).strip(), display=display)}</{tag}>'
