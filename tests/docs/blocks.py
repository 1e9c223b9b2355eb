"""The code blocks of the documents.

A fenced block is run, by its language. Where it cannot be, the line before it says why, unseen by readers:
<!-- not run: takes an hour -->
"""

import re
from dataclasses import dataclass
from pathlib import Path

NAMED = ("README.md", "CONTRIBUTING.md", "SECURITY.md")
FENCE = re.compile(r"^```(\S*)\s*$")
NOT_RUN = re.compile(r"^<!-- not run: (.+) -->$")
# An indented block is for formulas and pictures of letters. What begins so is code.
CODE = re.compile(r"^    (svrmu |make |cmake |cc |python3? |pip |build/|tools/|tests/|tail |import |from \w+ import|#include|struct |class |auto |find_package|target_)")


@dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    reason: str = ""  # why it is not run

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks_of(page, text):
    found, inside, before = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if inside is not None:
            if fence and not fence[1]:
                found.append(inside)
                inside = None
            else:
                inside.text += line + "\n"
        elif fence:
            reason = NOT_RUN.match(before)
            inside = Block(page, number, fence[1], "", reason[1] if reason else "")
        elif CODE.match(line):
            found.append(Block(page, number, "indented", line))
        before = line
    if inside is not None:
        raise ValueError(f"{inside.place}: the block does not end")
    return found


def pages(root):
    files = [root / name for name in NAMED if (root / name).is_file()] + sorted((root / "docs").rglob("*.md"))
    return [file.relative_to(root).as_posix() for file in files]


def all_blocks(root):
    return [block for page in pages(root) for block in blocks_of(page, (root / page).read_text(encoding="utf-8"))]


def quoted(block, read):
    """What is wrong with a block of C or C++, or None; read(path) gives a file's text, or None.

    Its first line names an example, which is compiled and run by another test. The other lines must occur in
    it, indentation aside; a line `// ...` stands for those that are left out.
    """
    first, *rest = (line.strip() for line in block.text.splitlines())
    named = re.fullmatch(r"(?://|/\*) (\S+\.(?:c|cpp))(?: \*/)?", first)
    if not named:
        return f"begins with '{first}' instead of a comment that names its example"
    source = read(named[1])
    if source is None:
        return f"{named[1]} does not exist"
    lines = [line.strip() for line in source.splitlines()]
    at = 0
    for part in "\n".join(rest).split("\n// ...\n"):
        wanted = part.split("\n")
        places = [i for i in range(at, len(lines) - len(wanted) + 1) if lines[i : i + len(wanted)] == wanted]
        if not places:
            return f"'{wanted[0]}' and what follows do not occur in {named[1]}"
        at = places[0] + len(wanted)
    return None
