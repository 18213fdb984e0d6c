"""Configuration of the documentation site: `sphinx-build -W -c .docs . OUT`.

The pages are the READMEs next to the code. They are copied to a staging folder inside the output, where this module adds what a
repository browser does not need: tables of contents, a page per environment, and the API reference.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

gc.disable()  # pages are trees of a million nodes, which would be searched for garbage again and again
HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "agents"), str(ROOT / "tests" / "support")]

import staging  # noqa: E402

import big2_env  # noqa: E402

project = "big2_env"
author = "The big2_env authors"
project_copyright = f"2026, {author}"
version = release = big2_env.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.githubpages",
]
root_doc = "index"
exclude_patterns = [".*", "**/.*"]
suppress_warnings = ["ref.python"]  # a word of a type that is the name of several attributes

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"
nb_merge_streams = True

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_mock_imports = ["ray", "minari"]
napoleon_numpy_docstring = False
napoleon_use_ivar = True
default_role = "code"
python_use_unqualified_type_names = True
toc_object_entries = False  # pages would carry thousands of entries in their sidebars
maximum_signature_line_length = 88

smartquotes = False

html_theme = "furo"
html_title = "big2_env"
html_static_path = []
html_favicon = "favicon.svg"
html_show_sourcelink = False
html_theme_options = {"sidebar_hide_name": False}
html_search_language = "en"


def setup(app: Any) -> None:
    """Build from the staging folder instead of the checkout."""
    staged = Path(app.doctreedir) / "staged"
    staging.write(staged)
    app.srcdir = type(app.srcdir)(staged)
    app.connect("autodoc-process-docstring", staging.mark_up, priority=400)  # before napoleon
