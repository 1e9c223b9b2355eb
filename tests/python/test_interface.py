"""The package declares what the header has, imports little, and is typed and documented by examples."""

import ctypes
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys

import pytest

import svrmu
from svrmu import _structs as c
from support import SOURCES, python

HEADER = re.sub(r"///.*|/\*.*?\*/", "", (SOURCES / "include/svrmu/c.h").read_text())

STRUCTS = {
    "svrmu_dense": c.Dense,
    "svrmu_sparse": c.Sparse,
    "svrmu_reader": c.Reader,
    "svrmu_option_info": c.OptionInfo,
    "svrmu_algorithm_info": c.AlgorithmInfo,
    "svrmu_matrix_facts": c.MatrixFacts,
    "svrmu_texts": c.Texts,
    "svrmu_record": c.Record,
    "svrmu_transformed": c.Transformed,
    "svrmu_plan": c.Plan,
    "svrmu_model_facts": c.ModelFacts,
}
OPAQUE = {"svrmu_options", "svrmu_matrix", "svrmu_job", "svrmu_model"}
SCALARS = {
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
    "double": ctypes.c_double,
    "svrmu_code": ctypes.c_int,
    "svrmu_type": ctypes.c_int,
    "svrmu_layout": ctypes.c_int,
}


def ctypes_of(text):
    """The ctypes types that a C type may be declared as."""
    text = re.sub(r"\bconst\b", "", text).replace(" ", "")
    if text == "void":
        return [None]
    if text in SCALARS:
        return [SCALARS[text]]
    if text in STRUCTS:
        return [STRUCTS[text]]
    base = text.rstrip("*")
    stars = len(text) - len(base)
    if stars == 2:
        return [ctypes.POINTER(ctypes.c_void_p)]
    if base in OPAQUE or base == "void":
        return [ctypes.c_void_p]
    if base == "char":
        return [ctypes.c_char_p, ctypes.c_void_p]
    if base == "unsignedchar":
        return [ctypes.c_void_p, ctypes.c_char_p]
    if base == "svrmu_record":
        return [ctypes.c_void_p]
    return [ctypes.POINTER(SCALARS.get(base) or STRUCTS[base])]


def declared_functions():
    for result, name, arguments in re.findall(r"SVRMU_C_API\s+([\w\s\*]+?)\s*\b(svrmu_\w+)\(([^)]*)\)", HEADER):
        types = [] if arguments.strip() == "void" else [re.sub(r"\b\w+\s*$", "", a.strip()) for a in arguments.split(",")]
        yield name, result, types


def test_every_function_of_the_header_is_declared():
    declared = {name for name, _, _ in declared_functions()}
    assert len(declared) > 35
    assert declared == set(c.FUNCTIONS)


@pytest.mark.parametrize("name, result, arguments", list(declared_functions()))
def test_function_has_the_types_of_the_header(name, result, arguments):
    have_result, have_arguments = c.FUNCTIONS[name]
    assert have_result in ctypes_of(result)
    assert len(have_arguments) == len(arguments)
    for have, text in zip(have_arguments, arguments):
        assert have in ctypes_of(text), text


@pytest.mark.parametrize("name", STRUCTS)
def test_structure_has_the_fields_of_the_header(name):
    body = re.search(r"typedef struct %s \{(.*?)\}" % name, HEADER, re.S).group(1)
    body = re.sub(r"int \(\*read\)\([^)]*\);", "read_function read;", body)
    fields = re.findall(r"([\w\s\*]+?)\s*\b(\w+);", body)
    have = STRUCTS[name]._fields_
    assert [field for _, field in fields] == [field for field, _ in have]
    for (text, field), (_, kind) in zip(fields, have):
        if text.strip() != "read_function":
            assert kind in ctypes_of(text.strip()), field


def test_codes_are_those_of_the_header():
    for name, value in re.findall(r"SVRMU_(\w+) = (\d+)", HEADER):
        assert getattr(c, name) == int(value)


def test_versions_agree():
    cmake = re.search(r"svrmu VERSION ([\d.]+)", (SOURCES / "CMakeLists.txt").read_text()).group(1)
    from svrmu._library import library

    assert svrmu.__version__ == cmake == library().svrmu_version().decode()


def test_import_needs_numpy_only_and_loads_no_library():
    code = (
        "import sys, svrmu\n"
        "for name in ('sklearn', 'scipy', 'pandas', 'matplotlib', 'tqdm', 'anndata'):\n"
        "    assert name not in sys.modules, name\n"
        "assert 'libsvrmu' not in open('/proc/self/maps').read()\n"
    )
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_missing_library_is_told_by_its_place(tmp_path):
    code = "import os, svrmu\ntry: svrmu.solvers()\nexcept ImportError as error: print(error)"
    done = python(code, env={**__import__("os").environ, "SVRMU_LIBRARY": str(tmp_path / "no.so")})
    assert "no.so" in done.stdout and "SVRMU_LIBRARY" in done.stdout


def modules():
    return sorted(m.name for m in pkgutil.iter_modules(svrmu.__path__) if m.name not in ("__main__", "libsvrmu"))


@pytest.mark.parametrize("name", modules())
def test_examples_of_docstrings_run(name):
    module = importlib.import_module(f"svrmu.{name}")
    failures, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failures == 0


def test_public_names_have_docstrings():
    for name in svrmu.__all__:
        value = getattr(svrmu, name)
        if name != "__version__":
            assert value.__doc__, name


def test_types_are_strict():
    mypy = subprocess.run(
        ["mypy", "--config-file", str(SOURCES / "pyproject.toml"), "--cache-dir=/dev/null", str(SOURCES / "python/svrmu")],
        capture_output=True, text=True,
    )
    assert mypy.returncode == 0, mypy.stdout


def test_command_line_is_the_program_of_the_package():
    done = subprocess.run([sys.executable, "-m", "svrmu", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and svrmu.__version__ in done.stdout
