"""Links that leave the pages: to a header, which leads to Doxygen's page of it and back, and to a folder."""

import re
import xml.etree.ElementTree
from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx import addnodes

HEADERS = "include"
DOXYGEN = "cpp"  # the folder of Doxygen's pages, as in the Doxyfile


def pages_of_headers(tagfile):
    """Doxygen's page of each header, by its path."""
    files = xml.etree.ElementTree.parse(tagfile).iterfind("compound[@kind='file']")
    return {Path(file.findtext("path"), file.findtext("name")): file.findtext("filename") for file in files}


def url(app, docname, page):
    depth = len(PurePosixPath(app.builder.get_target_uri(docname)).parents) - 1
    return "../" * depth + f"{DOXYGEN}/{page}"


def link_headers(app, doctree):
    """A link to a header is a download for MyST."""
    for node in list(doctree.findall(addnodes.download_reference)):
        path, absolute = app.env.relfn2path(node["reftarget"], app.env.docname)
        if PurePosixPath(path).parts[0] != HEADERS:
            continue
        page = app.svrmu_headers.get(Path(absolute))
        if page is None:
            raise ValueError(f"{app.env.docname}: Doxygen has no page of {path}")
        node.replace_self(nodes.reference("", "", *node.children, refuri=url(app, app.env.docname, page)))


def link_folders(app, env, node, content):
    """The folder of the headers is Doxygen's list of them. Other folders are not part of the site."""
    path = env.relfn2path(node["reftarget"], node["refdoc"])[0]
    if node["reftype"] != "any" or not Path(app.srcdir, path).is_dir():
        return None
    if PurePosixPath(path).parts[0] == HEADERS:
        return nodes.reference("", "", content, refuri=url(app, node["refdoc"], "files.html"))
    return content


def lead_back(app, exception):
    """Doxygen's pages know nothing of the site: the line below their title becomes a link to it."""
    line = re.compile(r'(<div id="projectbrief">)(.*?)(</div>)')
    for page in Path(app.outdir, DOXYGEN).glob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(line.sub(r'\1<a href="../docs/index.html">\2: documentation</a>\3', text), encoding="utf-8")


def begin(app):
    app.svrmu_headers = pages_of_headers(Path(app.config.svrmu_doxygen, DOXYGEN, "svrmu.tag"))


def setup(app):
    app.add_config_value("svrmu_doxygen", None, "env")
    app.connect("builder-inited", begin)
    app.connect("doctree-read", link_headers)
    app.connect("missing-reference", link_folders)
    app.connect("build-finished", lead_back)
    return {"parallel_read_safe": True}
