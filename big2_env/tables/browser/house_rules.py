"""The page on the rules of other tables, for browsers: the Markdown of `climbing/HOUSE_RULES.md` as HTML."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final

from markdown_it import MarkdownIt

from big2_env.base.language import Language

SOURCES: Final = {
    Language.EN: "HOUSE_RULES.md",
    Language.HANT: "HOUSE_RULES.zh-Hant.md",
    Language.HANS: "HOUSE_RULES.zh-Hant.md",
}
"""Files by language; people who read either Chinese script get the traditional one."""
_PAGE: Final = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'">
<title>{title}</title>
<link rel="stylesheet" href="felt.css">
<link rel="stylesheet" href="style.css">
</head>
<body>
<main class="prose">
{text}</main>
</body>
</html>
"""


def house_rules_pages() -> dict[str, bytes]:
    """Return the HTML documents by file name. Links to other pages of the documentation are plain text there."""
    found = {}
    for lang, name in SOURCES.items():
        text = MarkdownIt("commonmark").enable("table").render((files("big2_env.climbing") / name).read_text("utf-8"))
        text = re.sub(r"<a [^>]*>(.*?)</a>", r"\1", text).replace("<pre>", '<pre tabindex="0">')
        text = re.sub(r"</h1>\n<p>[^<]*</p>", "</h1>", text, count=1)  # the line with the other language
        title = re.findall("<h1>(.*?)</h1>", text)[0]
        tag = name.split(".")[1] if name.count(".") > 1 else "en"
        found[f"house_rules.{lang.value}.html"] = _PAGE.format(lang=tag, title=title, text=text).encode()
    return found
