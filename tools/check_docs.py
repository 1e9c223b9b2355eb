#!/usr/bin/env python3
"""Checks the documents: README.md, CONTRIBUTING.md, CHANGELOG.md and docs/**/*.md.

- Lines have at most 110 columns. Tables, and lines that are one link or one picture, may be longer.
- Spelling is American, and every thing has one word (WORDS below). Code is not looked at.
- A relative link leads to a file that exists, and to a heading of it where it names one.
- No document refers to a folder that a reader does not have (`shared/`).
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 110
NAMED = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")

# British spelling -> American. A key is the beginning of a word.
SPELLING = {
    "analys(?=e)": "analyz",
    "behaviour": "behavior",
    "cancell(?=ed|ing)": "cancel",
    "catalogue": "catalog",
    "centre": "center",
    "colour": "color",
    "factoris": "factoriz",
    "favour": "favor",
    "grey": "gray",
    "initialis": "initializ",
    "labelled": "labeled",
    "learnt": "learned",
    "licence": "license",
    "majoris": "majoriz",
    "minimis": "minimiz",
    "modell": "model",
    "neighbour": "neighbor",
    "normalis": "normaliz",
    "optimis": "optimiz",
    "organis": "organiz",
    "parallelis": "paralleliz",
    "randomis": "randomiz",
    "realis": "realiz",
    "recognis": "recogniz",
    "regularis": "regulariz",
    "serialis": "serializ",
    "summaris": "summariz",
    "vectoris": "vectoriz",
}

# What to write instead of words that mean something to the authors only, or that name a thing twice.
WORDS = {
    r"visit(s|ed|ing)?": "pass over V (docs/notation.md)",
    r"look(s|ed)? (at|of) V": "pass over V (docs/notation.md)",
    r"read(s|ing|ings)? (of )?V": "pass over V (docs/notation.md)",
    r"V is met": "WH equals V up to rounding",
    r"no more to give": "what does not improve any more",
    r"mend(s|ed|ing)?": "fix, repair",
    r"strangers?": "a new reader or user",
    r"for nothing": "at no extra cost",
    r"yardstick": "baseline",
    r"\w+ road": "method",
    r"seam": "interface",
}

# Names of the interface that were replaced; these are looked for in code, too.
NAMES = {
    r"EpochReport": "EpochRecord",
    r"result\.report\(\)": "result.record()",
}

SHARED = re.compile(r"\bshared/")
FENCE = re.compile(r"^\s*(```+|~~~+)")
TABLE = re.compile(r"^\s*\|")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
ONLY_LINK = re.compile(r"^\s*(?:[-*] |\d+\. |> )?" + LINK.pattern + r"[.,;:]?$")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
CODE_SPAN = re.compile(r"(`+)(?:(?!\1).)*\1")

WRONG_WORDS = [(re.compile(rf"\b({british})\w*", re.IGNORECASE), f"write '{american}...' (American spelling)")
               for british, american in SPELLING.items()]
WRONG_WORDS += [(re.compile(rf"\b{phrase}\b"), f"write instead: {better}") for phrase, better in WORDS.items()]
WRONG_NAMES = [(re.compile(name), f"write {new}") for name, new in NAMES.items()]


def documents(root):
    named = [root / name for name in NAMED]
    return [file for file in named if file.is_file()] + sorted((root / "docs").rglob("*.md"))


def lines_of(file):
    """Pairs (line, whether it is code)."""
    fence = None
    for line in file.read_text(encoding="utf-8").splitlines():
        mark = FENCE.match(line)
        if mark and fence is None:
            fence = mark[1]
            yield line, True
        elif mark and mark[1].startswith(fence):
            fence = None
            yield line, True
        else:
            yield line, fence is not None or line.startswith("    ")


def anchors(file):
    """The anchors of a file's headings, as the usual hosts make them."""
    found = set()
    for line, code in lines_of(file):
        if code or not (heading := HEADING.match(line)):
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        number = 0
        while (unique := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(unique)
    return found


def broken_link(root, file, target, cache):
    """What is wrong with a link, or None."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    path, _, anchor = unquote(target).partition("#")
    goal = (file.parent / path).resolve() if path else file.resolve()
    if not goal.exists():
        return f"the link leads to {path}, which does not exist: correct the path"
    if not goal.is_relative_to(root.resolve()):
        return f"the link leads to {path}, outside the repository: remove it"
    if anchor and goal.suffix == ".md":
        if goal not in cache:
            cache[goal] = anchors(goal)
        if anchor not in cache[goal]:
            return f"{path or 'this file'} has no heading #{anchor}: correct the anchor"
    return None


def check_line(line, code):
    """What is wrong with a line, links aside."""
    if len(line) > COLUMNS and (code or not (TABLE.match(line) or ONLY_LINK.match(line))):
        yield f"{len(line)} columns: break the line at {COLUMNS}"
    if SHARED.search(line):
        yield "a reader has no folder shared/: say it without"
    for pattern, advice in WRONG_NAMES:
        for match in pattern.finditer(line):
            yield f"'{match[0]}': {advice}"
    if code:
        return
    prose = LINK.sub(lambda link: link[0].replace(link[1], ""), CODE_SPAN.sub("``", line))
    for pattern, advice in WRONG_WORDS:
        for match in pattern.finditer(prose):
            yield f"'{match[0]}': {advice}"


def check(root):
    """Lines "file:line: what, what to do", one per violation."""
    found = []
    cache = {}
    for file in documents(root):
        name = file.relative_to(root).as_posix()
        for number, (line, code) in enumerate(lines_of(file), 1):
            wrong = list(check_line(line, code))
            if not code:
                targets = LINK.findall(CODE_SPAN.sub("``", line))
                wrong += filter(None, (broken_link(root, file, target, cache) for target in targets))
            found += [f"{name}:{number}: {what}" for what in wrong]
    return found


def self_test():
    long = "word " * 30
    good = {
        "README.md": [
            "# Title", "", "| " + long + "|", "[" + "x" * 120 + "](docs/a.md)", "![" + long + "](docs/picture.svg)",
            "[a](docs/a.md#two-words), [b](docs/a.md#the-fast-option-1), [c](https://example.org/none), [d](#title)",
            "`catalogue()`, `visit_state`, `[x](none.md)`", "```sh", "[x](none.md) # colour", "```", "    visits of V",
        ],
        "docs/a.md": ["# Two words", "## The `fast` option", "## The fast option", "[up](../README.md) [folder](../docs)"],
        "docs/picture.svg": [],
    }
    bad = {
        "CONTRIBUTING.md": [long, "```", long, "```", "    " + long, "see ../shared/notes", "    ../shared/notes"],
        "CHANGELOG.md": ["the colour", "Initialised", "one visit of V", "V is met", "we mend it", "`EpochReport`"],
        "docs/b.md": ["[x](none.md)", "[x](a.md#none)", "[x](#none)", "[x](../../outside.md)", "![x](none.png)"],
    }
    fences = {"CONTRIBUTING.md:2", "CONTRIBUTING.md:4"}
    expected = {f"{path}:{number}" for path, lines in bad.items() for number in range(1, len(lines) + 1)} - fences
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, lines in (good | bad).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        reported = {line.split(": ")[0] for line in check(root)}
    for place in sorted(expected - reported):
        print(f"self-test: {place} was not reported")
    for place in sorted(reported - expected):
        print(f"self-test: {place} was reported wrongly")
    return int(expected != reported)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="check the checker on made-up documents")
    parser.add_argument("--root", type=Path, default=ROOT)
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    found = check(arguments.root)
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
