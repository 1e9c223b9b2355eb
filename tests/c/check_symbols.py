#!/usr/bin/python3
"""check_symbols.py HEADER LIST LIBRARY: the library exports the symbols of the list, with their versions, and no others.

LIST has one symbol and its version per line: svrmu_version@@SVRMU_0.1. A line may be added, never changed or removed:
programs that were linked once ask for it. The header must declare the same functions. --self-test checks the comparison.
"""

import re
import subprocess
import sys
from pathlib import Path

DECLARATION = re.compile(r"SVRMU_C_API\s[^;]*?\b(svrmu_\w+)\s*\(")


def exported(listing):
    """Symbols with versions from what nm says; the versions themselves are absolute symbols."""
    lines = (line.split() for line in listing.splitlines())
    return {words[-1] for words in lines if words and words[-2] != "A"}


def differences(declared, listed, found):
    problems = [f"{symbol} is in the list and not exported: programs that use it would no longer start" for symbol in sorted(listed - found)]
    problems += [f"{symbol} is exported and not in the list" for symbol in sorted(found - listed)]
    names = {symbol.split("@")[0] for symbol in listed}
    problems += [f"{name} is declared and not in the list" for name in sorted(declared - names)]
    problems += [f"{name} is in the list and not declared" for name in sorted(names - declared)]
    return problems


def self_test():
    listing = "0000000000001000 T svrmu_a@@SVRMU_0.1\n0000000000000000 A SVRMU_0.1\n0000000000002000 T svrmu_c@@SVRMU_0.1\n"
    header = "SVRMU_C_API const char* svrmu_a(void);\nSVRMU_C_API svrmu_code svrmu_b(int x,\n    int y);\n#define SVRMU_C_API\n"
    found = differences(set(DECLARATION.findall(header)), {"svrmu_a@@SVRMU_0.1", "svrmu_b@@SVRMU_0.1"}, exported(listing))
    starts = ["svrmu_b@@SVRMU_0.1 is in the list and not exported", "svrmu_c@@SVRMU_0.1 is exported and not in the list"]
    found += differences({"svrmu_d"}, {"svrmu_e@@V"}, {"svrmu_e@@V"})
    starts += ["svrmu_d is declared and not in the list", "svrmu_e is in the list and not declared"]
    good = len(found) == len(starts) and all(a.startswith(b) for a, b in zip(found, starts))
    if not good:
        print(f"self-test: {found}")
    return int(not good)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    header, listed, library = (Path(argument) for argument in sys.argv[1:])
    listing = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], check=True, capture_output=True, text=True)
    problems = differences(set(DECLARATION.findall(header.read_text(encoding="utf-8"))),
                           set(listed.read_text(encoding="utf-8").split()), exported(listing.stdout))
    print("\n".join(problems) or "what is exported is what is listed")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
