"""The code of the tutorials runs, and what it asserts holds. `make docs` runs it in a notebook."""

import os
from pathlib import Path

import pytest
from blocks import blocks_of

ROOT = Path(os.environ.get("SVRMU_SOURCES", Path(__file__).resolve().parents[2]))
PAGES = sorted(page for page in (ROOT / "docs/tutorials").glob("*.md") if page.name != "README.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tutorial_runs_and_its_claims_hold(page, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(ROOT)
    names = {"__name__": "__main__"}
    blocks = blocks_of(page.name, page.read_text(encoding="utf-8"))
    assert any("assert " in block.text for block in blocks), f"{page.name} claims much and checks nothing"
    for block in blocks:
        assert block.language == "python", f"{block.place}: tutorials have Python only"
        exec(compile("\n" * block.line + block.text, page, "exec"), names)
    matplotlib.pyplot.close("all")
