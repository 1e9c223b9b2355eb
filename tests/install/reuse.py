#!/usr/bin/python3
"""reuse.py FINISHED COMPILER...: a compiler launcher that copies an object which another build has made by the same command.

The variants of an installation (shared, without files) have the objects of the build under test: compiling them again
would take minutes and tell nothing. What that build lacks, or makes by another command or from another generated file,
is compiled.
"""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path


def without_dependencies(command):
    """The command as compile_commands.json has it: without the options that ask for a list of headers."""
    words = iter(command)
    for word in words:
        if word in ("-MT", "-MF"):
            next(words)
        elif word != "-MD":
            yield word


def same_command(ours, theirs, here, finished):
    return ours == [word.replace(str(finished), str(here)) for word in theirs]


def same_source(source, here, finished):
    """A file of the source tree is the same; a generated one is compared, but for the folder's name."""
    if here not in source.parents:
        return True
    other = finished / source.relative_to(here)
    return other.is_file() and other.read_text().replace(str(finished), str(here)) == source.read_text()


def reuse(finished, command, here):
    if "-c" not in command:
        return False
    source = Path(command[command.index("-c") + 1])
    output = Path(command[command.index("-o") + 1])
    made = finished / output
    if output.is_absolute() or not made.is_file() or not same_source(source, here, finished):
        return False
    wanted = list(without_dependencies(command))
    for entry in json.loads((finished / "compile_commands.json").read_text()):
        if same_command(wanted, shlex.split(entry["command"]), here, finished):
            shutil.copy(made, output)
            return True
    return False


def main():
    finished, command, here = Path(sys.argv[1]), sys.argv[2:], Path.cwd()
    if (finished / "compile_commands.json").is_file() and reuse(finished, command, here):
        return 0
    print("compiling", command[-1], flush=True)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
