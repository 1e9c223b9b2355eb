"""Commands of setuptools that build the library by CMake and put it into the wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # Debian 12's setuptools leaves it to the package wheel
    from wheel.bdist_wheel import bdist_wheel

root = Path(__file__).resolve().parent.parent


def cmake_build(folder: Path) -> None:
    """Builds the library and the program, with the flags of the release preset."""
    settings = ["-DSVRMU_TESTS=OFF", "-DSVRMU_EXAMPLES=OFF", *os.environ.get("SVRMU_CMAKE_ARGS", "").split()]
    subprocess.run(["cmake", "--preset", "release", "-B", str(folder), *settings], cwd=root, check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
    subprocess.run(
        ["cmake", "--build", str(folder), "--target", "svrmu_c", "svrmu_cli", "-j", jobs], cwd=root, check=True
    )


class BuildPackage(build_py):
    """Copies the Python files, then what CMake has made."""

    def run(self) -> None:
        super().run()
        folder = Path(os.environ.get("SVRMU_BUILD_FOLDER", root / "build" / "wheel"))
        cmake_build(folder)
        package = Path(self.build_lib) / "svrmu"
        (package / "bin").mkdir(parents=True, exist_ok=True)
        for made, name in (("lib/libsvrmu.so", "libsvrmu.so"), ("bin/svrmu", "bin/svrmu")):
            shutil.copy((folder / made).resolve(), package / name)
            subprocess.run(["strip", "--strip-unneeded", str(package / name)], check=False)


class Wheel(bdist_wheel):
    """For one machine, but for every Python: nothing is compiled against an interpreter."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]
