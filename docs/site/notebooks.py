"""Tutorials: Markdown with Python blocks, which are run as a notebook and shown with what they print and draw.

The notebook is kept in the folder `svrmu_notebooks`, for readers who want to try it. A block that fails ends
the build.
"""

import base64
import os
import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = "docs/tutorials/"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def notebook_of(text):
    """Cells of a page: what is between blocks, and the blocks."""
    cells = []
    for number, part in enumerate(BLOCK.split(text)):
        make = nbformat.v4.new_code_cell if number % 2 else nbformat.v4.new_markdown_cell
        if part.strip():
            cells.append(make(part.strip(), id=f"cell-{number}"))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def joined(outputs):
    """A kernel may send what was printed in pieces."""
    found = []
    for output in outputs:
        if found and output.output_type == found[-1].output_type == "stream" and output.name == found[-1].name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def fenced(text):
    return f"```{{code-block}} text\n:class: output\n{text.rstrip()}\n```"


def shown(output, picture, alt):
    """Markdown of an output."""
    if output.output_type == "stream":
        return fenced(output.text) if output.name == "stdout" else ""
    if "image/png" in output.data:
        picture.write_bytes(base64.b64decode(output.data["image/png"]))
        return f"![{alt}](/{picture.as_posix()})"
    return fenced(output.data["text/plain"])


def page_of(notebook, name, folder):
    """Markdown of the notebook, with its outputs. A cell's first comment describes its pictures."""
    parts = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        comment = re.search(r"^# (.*)$", cell.source, re.MULTILINE)
        for piece, output in enumerate(cell.outputs):
            parts.append(shown(output, folder / f"{name}-{number}-{piece}.png", comment[1] if comment else name))
    page = "\n\n".join(parts) + "\n"
    link = f"{{download}}`This page as a notebook </{folder.as_posix()}/{name}.ipynb>`"
    return page.replace("\n## ", f"\n{link}\n\n## ", 1)


def run(app, docname, source):
    if not docname.startswith(FOLDER) or not BLOCK.search(source[0]):
        return
    name = docname[len(FOLDER):]
    folder = Path(app.config.svrmu_notebooks)
    folder.mkdir(parents=True, exist_ok=True)
    notebook = notebook_of(source[0])
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": app.srcdir}})
    client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    source[0] = page_of(notebook, name, folder.relative_to(app.srcdir))


def setup(app):
    # The kernel is this Python, not one that somebody has registered under the same name.
    os.environ["JUPYTER_PATH"] = os.environ["JUPYTER_DATA_DIR"] = str(Path(app.outdir, ".."))
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a warning of the kernel's debugger, which nobody uses here
    os.environ["MATPLOTLIBRC"] = str(Path(__file__).with_name("matplotlibrc"))
    app.add_config_value("svrmu_notebooks", None, "env")
    app.connect("source-read", run)
    return {"parallel_read_safe": False}
