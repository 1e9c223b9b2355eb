"""Every code block of the documents is run: blocks.py says how, supplies.py what they find there."""

import os
import re
import subprocess
import warnings
from pathlib import Path

import pytest
from blocks import Block, all_blocks, blocks_of, quoted
from supplies import variables, write_files

ROOT = Path(os.environ.get("SVRMU_SOURCES", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("SVRMU_BUILD", ROOT / "build/release"))
BLOCKS = [block for block in all_blocks(ROOT) if not block.page.startswith("docs/tutorials/")]
RUN = {"python", "sh", "cmake", "c", "cpp"}
NOT_CODE = {"text"}

# Pages name targets of the Makefile. That they are there is checked; running them is for people and CI.
SHELL = f"""set -euo pipefail
make() {{
  local target
  for target; do grep -q "^$target:" {ROOT}/Makefile || {{ echo "make has no target $target"; return 1; }}; done
}}
"""


def of_language(*languages):
    return [pytest.param(b, id=b.place) for b in BLOCKS if b.language in languages]


def skip_if_not_run(block):
    if block.reason:
        pytest.skip(f"{block.place} is not run: {block.reason}")


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """Where this build is installed."""
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory):
    """A folder for each page: its blocks find what earlier ones have left."""
    folders = {}

    def folder(page):
        if page not in folders:
            folders[page] = tmp_path_factory.mktemp(Path(page).stem)
            write_files(folders[page])
            (folders[page] / "build").mkdir()
            (folders[page] / "build/release").symlink_to(BUILD)
        return folders[page]

    return folder


def run(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


@pytest.mark.parametrize("block", [pytest.param(b, id=b.place) for b in BLOCKS])
def test_block_has_a_language_that_is_run(block):
    if block.language.startswith("{"):
        return  # a directive of Sphinx
    assert block.language != "indented", f"{block.place}: put the code into a fenced block: {block.text.strip()}"
    assert block.language in RUN | NOT_CODE, f"{block.place}: '{block.language}' is none of {sorted(RUN | NOT_CODE)}"


@pytest.mark.parametrize("page", sorted({b.page for b in BLOCKS if b.language == "python"}))
def test_python_runs(page, folder_of, monkeypatch):
    folder = folder_of(page)
    monkeypatch.chdir(folder)
    names = {"__name__": "__main__", **variables(page, folder)}
    for block in BLOCKS:
        if block.page != page or block.language != "python":
            continue
        skip_if_not_run(block)
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            exec(compile("\n" * block.line + block.text, ROOT / page, "exec"), names)


@pytest.mark.parametrize("block", of_language("sh"))
def test_commands_run(block, folder_of, prefix, tmp_path):
    run(["bash", "-n", "-c", block.text], tmp_path)
    skip_if_not_run(block)
    folder = folder_of(block.page)
    (folder / "program.c").write_bytes((ROOT / "examples/7_c.c").read_bytes())
    run(
        ["bash", "-c", SHELL + block.text],
        folder,
        PATH=f"{folder}:{BUILD}/bin:{os.environ['PATH']}",
        HOME=str(tmp_path),
        PKG_CONFIG_PATH=":".join(str(f.parent) for f in prefix.rglob("svrmu-c.pc")),
        name="hals-acc",
        seed="0",
    )


@pytest.mark.parametrize("block", of_language("cmake"))
def test_projects_configure(block, prefix, tmp_path):
    skip_if_not_run(block)
    program = re.search(r"target_link_libraries\((\w+)", block.text)[1]
    (tmp_path / "main.cpp").write_text("int main() {}\n")
    before, link, after = block.text.partition("target_link_libraries")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(yours LANGUAGES CXX)\n"
        f"{before}add_executable({program} main.cpp)\n{link}{after}"
    )
    run(["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"], tmp_path)


@pytest.mark.parametrize("block", of_language("c", "cpp"))
def test_c_and_cpp_are_from_examples(block):
    skip_if_not_run(block)

    def read(path):
        file = ROOT / path
        return file.read_text(encoding="utf-8") if file.is_file() else None

    problem = quoted(block, read)
    assert problem is None, f"{block.place}: {problem}"


def test_packages_to_install_are_those_of_setup():
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    told = re.search(r"apt-get install --no-install-recommends \\\n(.*?)```", page, re.DOTALL)[1]
    wanted = re.search(r"^packages=\((.*?)\)", (ROOT / "scripts/setup").read_text(), re.DOTALL | re.MULTILINE)[1]
    assert set(told.replace("\\", " ").split()) == set(wanted.split())


# The checks themselves.

EXAMPLE = {"examples/a.cpp": "int main() {\n  f();\n  g();\n  h();\n}\n"}


@pytest.mark.parametrize("text, right", [
    ("// examples/a.cpp\nf();\ng();\n", True),
    ("// examples/a.cpp\nf();\n// ...\nh();\n", True),
    ("// examples/a.cpp\nf();\nh();\n", False),
    ("// examples/a.cpp\nh();\n// ...\nf();\n", False),
    ("// examples/b.cpp\nf();\n", False),
    ("f();\n", False),
])
def test_quotation_is_compared_line_by_line(text, right):
    assert (quoted(Block("page.md", 1, "cpp", text), EXAMPLE.get) is None) == right


def test_blocks_are_found_with_their_reasons():
    text = "a\n```sh\nmake\n```\n<!-- not run: too long -->\n```python\nx = 1\n```\n\n    svrmu fit\n\n    y = W h\n"
    found = [(b.line, b.language, b.text, b.reason) for b in blocks_of("page.md", text)]
    assert found == [
        (2, "sh", "make\n", ""), (6, "python", "x = 1\n", "too long"), (10, "indented", "    svrmu fit", ""),
    ]
