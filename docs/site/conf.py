"""The documentation site: make docs. Its pages are the Markdown files of the repository, as they are."""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

project = "svrmu"
author = copyright = "The svrmu authors"
release = version = re.search(r"svrmu VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

# Sources are the whole repository, so that links between pages are the same here and on a code host.
root_doc = "docs/index"
source_suffix = {".md": "markdown"}
include_patterns = ["*.md", "docs/**.md", "bench/results/*.md"]
exclude_patterns = [entry.name for entry in ROOT.iterdir() if entry.is_dir() and entry.name not in ("docs", "bench")]
exclude_patterns += ["docs/api.md"]  # the first page of Doxygen's reference

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "chapters", "links", "notebooks"]
myst_heading_anchors = 6  # links lead to headings, as on a code host
suppress_warnings = ["myst.header"]  # results of benchmarks have headings of the first and the third level
svrmu_doxygen = os.environ["SVRMU_DOXYGEN"]
svrmu_notebooks = os.environ["SVRMU_NOTEBOOKS"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings have the types
napoleon_google_docstring = False
napoleon_use_rtype = False
default_role = "py:obj"  # names of the package are links, parameters are not

html_theme = "furo"
html_title = f"svrmu {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# Doxygen's reference, and a page that leads from the top of the folder to the index.
html_extra_path = [svrmu_doxygen, "extra"]
