#!/usr/bin/env python3
"""Checks that the C++ of README.md is the C++ of the examples.

A ```cpp block whose first line is a comment naming a file, such as `// examples/1_dense.cpp`, must occur in that
file line for line, indentation aside. A ```cpp block that names no file is an error: nobody would compile it.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def lines_of(text):
    return [line.strip() for line in text.splitlines()]


def occurs(block, source):
    size = len(block)
    return any(source[i : i + size] == block for i in range(len(source) - size + 1))


def problems(readme, read):
    """What is wrong with the C++ blocks of the text; read(path) gives a file's text, or None."""
    blocks = re.findall(r"^```cpp\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    if not blocks:
        return ["no C++ block was found"]
    found = []
    for block in blocks:
        first, *rest = lines_of(block)
        named = re.match(r"// (\S+\.cpp)\b", first)
        if not named:
            found.append(f"a block begins with '{first}' instead of a comment that names its example")
            continue
        source = read(named.group(1))
        if source is None:
            found.append(f"{named.group(1)} does not exist")
        elif not occurs(rest, lines_of(source)):
            found.append(f"the block of {named.group(1)} does not occur in it")
    return found


def self_test():
    files = {"examples/a.cpp": "int main() {\n  f();\n  g();\n}\n"}
    good = "```cpp\n// examples/a.cpp\nf();\ng();\n```\n"
    assert problems(good, files.get) == []
    assert problems(good.replace("g()", "h()"), files.get)
    assert problems(good.replace("a.cpp", "b.cpp"), files.get)
    assert problems("```cpp\nf();\n```\n", files.get)
    assert problems("no code", files.get)


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        return 0

    def read(path):
        file = ROOT / path
        return file.read_text(encoding="utf-8") if file.is_file() else None

    found = problems((ROOT / "README.md").read_text(encoding="utf-8"), read)
    for problem in found:
        print(f"README.md: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
