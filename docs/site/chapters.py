"""Chapters: pages whose links to a folder's pages are their table of contents.

The pages themselves stay plain Markdown, with no directive that a code host would show as code.
"""

import re
from pathlib import PurePosixPath

# A page, and the folder (from the page's own) of its subpages.
CHAPTERS = {
    "docs/tutorials/README": "",
    "docs/algorithms/README": "",
    "docs/decisions/README": "",
    "docs/benchmarks": "../bench/results/",
}
LINK = re.compile(r"\]\(([\w./-]+)\.md\)")


def add_contents(app, docname, source):
    if docname not in CHAPTERS:
        return
    folder = CHAPTERS[docname]
    links = dict.fromkeys(LINK.findall(source[0]))
    pages = [page for page in links if page.startswith(folder) and "/" not in page[len(folder):]]
    # Results of benchmarks share a title: they are told apart by the names of their files.
    entries = [f"{PurePosixPath(page).name.capitalize()} <{page}>" if folder else page for page in pages]
    source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"


def setup(app):
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True}
