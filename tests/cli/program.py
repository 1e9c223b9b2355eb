"""The program under test, and folders to run it in."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SVRMU = os.environ["SVRMU"]
GOLDEN = Path(os.environ["SVRMU_GOLDEN"])
REAL_FILES = Path(os.environ["SVRMU_REAL_FILES"])


class CliTest(unittest.TestCase):
    """Runs svrmu in an empty folder."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="svrmu-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_svrmu(self, *arguments, code=0, input=None, env=None, seconds=300):
        """(standard output, standard error) of a run that must end with `code`."""
        result = subprocess.run(
            [SVRMU, *map(str, arguments)], cwd=self.folder, input=input, capture_output=True,
            env={**os.environ, **(env or {})}, timeout=seconds)
        out = result.stdout.decode(errors="replace")
        err = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, code, f"{' '.join(map(str, arguments))}\n{out}\n{err}")
        return out, err

    def run_json(self, *arguments, **options):
        return json.loads(self.run_svrmu(*arguments, "--json", **options)[0])

    def unseal(self, name):
        """Takes the checksum off a model that was changed on purpose, as docs/model-file.md says."""
        path = self.folder / name
        path.write_bytes(path.read_bytes()[512:])

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))
