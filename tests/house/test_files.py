"""The project's public files: valid by their schemas, and true (targets exist, versions agree, nothing is invented)."""

import json
import re
import unittest
from pathlib import Path

import jsonschema
import yaml

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = Path(__file__).resolve().parent / "schemas"
FILES = {
    "citation": ["CITATION.cff"],
    "workflow": [".github/workflows/*.yml"],
    "issue_form": [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/feature.yml"],
    "issue_config": [".github/ISSUE_TEMPLATE/config.yml"],
    "pre_commit": [".pre-commit-config.yaml"],
}
TEXTS = ["CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md", ".github/**/*.yml", ".github/**/*.md"]


def load(path):
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 takes the key `on` for a truth value.
    return {"on" if key is True else key: value for key, value in data.items()}


def paths(patterns):
    found = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    assert found, f"no file is called {patterns}"
    return found


def validator(schema):
    contents = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(contents)
    return jsonschema.Draft7Validator(contents)


def make_targets():
    """Each target that `make help` lists."""
    return set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


class Schemas(unittest.TestCase):
    def test_every_file_is_valid(self):
        for schema, patterns in FILES.items():
            for path in paths(patterns):
                with self.subTest(path=path.relative_to(ROOT)):
                    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in validator(schema).iter_errors(load(path))]
                    self.assertEqual(errors, [])

    def test_every_issue_form_has_a_schema(self):
        known = {path for schema in FILES for path in paths(FILES[schema])}
        self.assertLessEqual(set(ROOT.glob(".github/ISSUE_TEMPLATE/*")), known)

    def test_a_schema_refuses_what_is_wrong(self):
        wrong = {
            "citation": ("CITATION.cff", lambda data: data.pop("authors")),
            "workflow": (".github/workflows/ci.yml", lambda data: data["jobs"]["check"]["steps"].append({"runs": "make"})),
            "issue_form": (".github/ISSUE_TEMPLATE/bug.yml", lambda data: data["body"][1].pop("id")),
            "issue_config": (".github/ISSUE_TEMPLATE/config.yml", lambda data: data.update(contact_links=[])),
            "pre_commit": (".pre-commit-config.yaml", lambda data: data["repos"][0].update(repo="elsewhere")),
        }
        self.assertEqual(wrong.keys(), FILES.keys())
        for schema, (path, spoil) in wrong.items():
            with self.subTest(schema=schema):
                data = load(ROOT / path)
                spoil(data)
                self.assertFalse(validator(schema).is_valid(data))


class Truth(unittest.TestCase):
    def test_workflows_and_hooks_call_make_targets_that_exist(self):
        called = set()
        for path in paths(FILES["workflow"]):
            for job in load(path)["jobs"].values():
                for entry in job.get("strategy", {}).get("matrix", {}).get("include", []):
                    called |= set(entry["targets"].split())
                for step in job["steps"]:
                    called |= set(re.findall(r"^make ([a-z-]+)$", step.get("run", ""), re.MULTILINE))
        for repository in load(ROOT / ".pre-commit-config.yaml")["repos"]:
            called |= {hook["entry"].split()[1] for hook in repository["hooks"]}
        self.assertLessEqual(called, make_targets())
        self.assertLessEqual({"test", "clang", "sanitize", "tsan", "docs", "package"}, called)

    def test_every_make_target_is_explained(self):
        text = (ROOT / "Makefile").read_text(encoding="utf-8")
        phony = re.search(r"^\.PHONY:((?:.*\\\n)*.*)", text, re.MULTILINE)[1].replace("\\\n", " ").split()
        explained = make_targets()
        self.assertEqual([t for t in phony if t not in explained and not t.startswith("setup")], [])

    def test_versions_agree(self):
        cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        version = re.search(r"project\(svrmu VERSION ([0-9.]+)", cmake)[1]
        self.assertEqual(load(ROOT / "CITATION.cff")["version"], version)

    def test_no_address_is_given(self):
        for path in paths(TEXTS):
            with self.subTest(path=path.relative_to(ROOT)):
                self.assertNotRegex(path.read_text(encoding="utf-8"), r"[\w.]+@[\w-]+\.[a-z]{2,}")


if __name__ == "__main__":
    unittest.main()
