#!/usr/bin/python3
"""allocations.py [--quick]: every allocation of every command fails in turn, alone or with all that follow.

SVRMU names the program. Afterward there is the old file or the new one, the same as without a fault; one line says that
memory was short, with its exit code, unless the program could do without. --quick takes a few allocations of a few
commands.
"""

import errno
import sys

import h5py

from faulty_runs import Command, main

DONE, OUT_OF_MEMORY = 0, 6
QUICK = ["convert 10x", "info of HDF5", "resume"]


def datasets(path):
    """What a model holds, without times."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()].tobytes()})
                        if isinstance(item, h5py.Dataset) and "seconds" not in name else None)
    return found


def answer_of(runs, command, result):
    """Standard output and the outputs, by name."""
    paths = [runs.folder / name for name in command.outputs]
    return {"-": result.stdout, **{path.name: datasets(path) if path.suffix == ".h5" else path.read_bytes() for path in paths}}


class Judge:
    def __init__(self, runs, command):
        self.runs, self.command = runs, command
        answers = []
        for _ in range(2):
            result, _ = runs.run(command, True, calls="none")
            assert result.returncode == DONE, result.stderr
            answers.append(answer_of(runs, command, result))
        # What two runs do not agree on tells how long they took.
        self.expected = {name: part for name, part in answers[0].items() if answers[1][name] == part}

    def __call__(self, result):
        said = result.stderr.decode(errors="replace")
        assert result.returncode in (DONE, OUT_OF_MEMORY), f"exit code {result.returncode}"
        self.runs.check(self.command, True, result)
        if result.returncode == DONE:
            found = answer_of(self.runs, self.command, result)
            other = [name for name, part in self.expected.items() if found[name] != part]
            assert not other, f"done, but with another answer: {other}"
        else:
            lines = [line for line in said.splitlines() if line.startswith("svrmu: ")]
            assert len(lines) == 1 and "memory" in lines[0], f"no line about memory: {said}"


def allocations_of(runs, command):
    """How many there are."""
    least, most = 0, 1
    while runs.run(command, True, calls="allocation", at=most, error=errno.ENOMEM)[1]:
        least, most = most, 2 * most
    while most - least > 1:
        middle = (least + most) // 2
        hit = runs.run(command, True, calls="allocation", at=middle, error=errno.ENOMEM)[1]
        least, most = (middle, most) if hit else (least, middle)
    return least


def allocations_before_commands(runs):
    """Those that make all flags and read the words: the same for every command, up to a few."""
    return allocations_of(runs, Command(["--version"])) - 300


def play(runs, name, command, quick):
    judge = Judge(runs, command)
    count = allocations_of(runs, command)
    # What all commands have in common is looked at once.
    first = 1 if name == "info" or quick else max(1, allocations_before_commands(runs))
    for lasts, step in (False, max(1, count // 150) if quick else 1), (True, max(1, count // 50) if quick else 7):
        tried = runs.some(name, range(first, count + 1, step), command, judge, lasts)
        print(f"{name}: {tried} of {count} allocations, {'and all that follow' if lasts else 'one at a time'}", flush=True)


if __name__ == "__main__":
    sys.exit(main(__doc__, QUICK, play))
