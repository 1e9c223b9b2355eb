#!/usr/bin/python3
"""check_exports.py SOURCES PREFIX: what the shared libraries in PREFIX export is what the headers mark SVRMU_API.

Every function that a public header declares without a body must bear the mark and be exported, and so must be every
class with the mark; nothing else of svrmu is. Headers of src may bear it too, for what one library needs of another.
--self-test checks the reading of headers.
"""

import re
import subprocess
import sys
from pathlib import Path

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
DIRECTIVE = re.compile(r"^\s*#(?:.*\\\n)*.*$", re.MULTILINE)
ANGLES = re.compile(r"<[^<>()]*(?:\([^()]*\)[^<>()]*)*>")
NAME = re.compile(r"(~?\w+|operator\s*\S+?)\s*\(")
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b(?:\s+(?:class|struct))?(?:\s+SVRMU_API)?\s+([\w:]+)")


def statements(text):
    """(scope as a list of (kind, name), whether a body follows, statement), for namespace and class scopes."""
    text = DIRECTIVE.sub("", STRING.sub('""', COMMENT.sub("", text)))
    scopes, current = [], ""
    for char in text:
        if char == "{":
            head = ANGLES.sub("", current.split("=")[0])
            found = SCOPE.search(head) if "(" not in head else None
            kind = found[1] if found else "body"
            if kind == "body" and all(k != "body" for k, _ in scopes):
                yield list(scopes), True, current
            scopes.append((kind, found[2] if found else ""))
            if kind == "enum":  # has no statements
                yield list(scopes), True, ""
            # What stands before a body is part of a statement still: `int n{};` ends at its semicolon.
            current = "" if kind != "body" else current + "{"
        elif char == "}":
            kind, _ = scopes.pop()
            of_function = ")" in current and current.count("(") == current.count(")")
            current = "" if kind != "body" or of_function else current + "}"
        elif char == ";":
            if current.strip() and all(k != "body" for k, _ in scopes):
                yield list(scopes), False, current
            current = "" if all(k != "body" for k, _ in scopes) else current
        else:
            current += char


def declarations(text):
    """(qualified name, whether it is marked) of functions without a body."""
    marked_classes = set(re.findall(r"\b(?:class|struct) SVRMU_API (\w+)", text))
    for scopes, has_body, statement in statements(text):
        plain, previous = re.sub(r"\b(?:public|private|protected)\s*:", "", statement), None
        while plain != previous:
            plain, previous = ANGLES.sub("", plain), plain
        before = plain.split("=")[0].split("{")[0]
        words = before.split()
        skipped = has_body or not words or words[0] in ("using", "friend", "typedef", "static_assert") or "constexpr" in words
        if skipped or "(" not in before or before.split("(", 1)[1].startswith("*") or re.search(r"=\s*(?:delete|default|0)\s*$", plain):
            continue
        name = NAME.search(before.replace("SVRMU_API", ""))
        if any(kind == "enum" for kind, _ in scopes) or not name:
            continue
        inside = "::".join(part for _, part in scopes)
        marked = "SVRMU_API" in words or any(part in marked_classes for kind, part in scopes if kind != "namespace")
        yield f"{inside}::{name[1]}", marked


def marked_classes(text):
    for scopes, _, _ in statements(text):
        names = [part for _, part in scopes]
        for depth, (kind, part) in enumerate(scopes):
            if kind != "namespace" and re.search(rf"\b(?:class|struct) SVRMU_API {part}\b", text):
                yield "::".join(names[: depth + 1])


def defined_in_headers(text):
    """Names that every user defines, and so does the library: type information of enumerations, variable templates."""
    for scopes, _, statement in statements(text):
        inside = [part for kind, part in scopes if kind == "namespace"]
        for kind, part in scopes:
            if kind == "enum":
                yield "::".join([*inside, part])
        if variable := re.search(r"\binline constexpr \w+ (\w+)", statement):
            yield "::".join([*inside, variable[1]])


def exported(library):
    """Names of svrmu among the library's exported symbols, without parameters and template arguments."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    for symbol in (line.split()[-1] for line in lines.splitlines()):
        if not (nested := re.match(r"_Z(?:T[ISV]|GV)?N[KVrRO]*(?=5svrmu)", symbol)):
            continue
        rest, parts = symbol[nested.end():], []
        while found := re.match(r"\d+", rest):
            end = found.end() + int(found[0])
            parts.append(rest[found.end():end])
            rest = re.sub(r"^I[df]E(?=\d|[CD]\d)", "", rest[end:])  # a member of a class template
        if re.match(r"[CD]\d", rest):  # a constructor or destructor
            parts.append(("~" if rest[0] == "D" else "") + parts[-1])
        yield "::".join(parts)


def check(sources, prefix):
    problems, api, classes, defined = [], set(), set(), set()
    for header in sorted((sources / "include").rglob("*.hpp")):
        text = header.read_text(encoding="utf-8")
        for name, marked in declarations(text):
            api.add(name)
            if not marked:
                problems.append(f"{header.relative_to(sources)}: {name} is not marked SVRMU_API")
        classes |= set(marked_classes(text))
        defined |= set(defined_in_headers(text))
    public = set(api)
    for header in sorted((sources / "src").rglob("*.hpp")):
        text = header.read_text(encoding="utf-8")
        api |= {name for name, marked in declarations(text) if marked}
        classes |= set(marked_classes(text))
    libraries = sorted(prefix.rglob("libsvrmu_*.so"))
    found = {name for library in libraries for name in exported(library)}
    there = {folder.name for folder in (prefix / "include/svrmu").iterdir() if folder.is_dir()}
    left_out = tuple(f"svrmu::{folder}::" for folder in ("io", "experiment", "report") if folder not in there)
    problems += [f"{name} is declared and not exported" for name in sorted(public - found) if not name.startswith(left_out or ("-",))]
    for name in sorted(found - api - classes - defined):
        if not any(name.startswith(each + "::") for each in classes):
            problems.append(f"{name} is exported and not marked")
    if not libraries or not found:
        problems.append("no library exports anything")
    return problems


def self_test():
    text = """
#define X(a) \\
  b(a);
namespace svrmu { namespace detail { int g(int n = f(2)); }  // int no(int);
template <class S> SVRMU_API std::unique_ptr<A<S>> view(const M<S>& m, B b = B::c, std::function<int(int)> f = {});
struct Plain { int n{}; void* (*pointer)(void* object); std::function<void(int)> h{}; int stored() const; int here() const { return n; } static constexpr int c() { return 1; } };
class SVRMU_API Marked : public Base { public: using Base::Base; virtual int f() = 0; int outside(); };
template <class S> class SVRMU_API Derived { public: virtual int f() = 0; };
template <class S> struct Record { int missing(S s); };
enum class E { a, b };
template <class V> inline constexpr auto names = [] { return choices(V{}); }();
SVRMU_API void run(void (*call)(int), int);
constexpr auto choices(E) { return 1; }
inline int i() { return 1; }
void gone(int) = delete;
using F = std::function<int(int)>;
}
"""
    expected = {"svrmu::detail::g": False, "svrmu::view": True, "svrmu::Plain::stored": False, "svrmu::Marked::outside": True,
                "svrmu::Record::missing": False, "svrmu::run": True}
    found = dict(declarations(text))
    if found != expected or set(marked_classes(text)) != {"svrmu::Marked", "svrmu::Derived"}:
        print(f"self-test: {found}, {set(marked_classes(text))}")
        return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    found_problems = check(Path(sys.argv[1]), Path(sys.argv[2]))
    print("\n".join(found_problems) or "what is exported is what is marked")
    sys.exit(bool(found_problems))
