"""The program is linked and compiled as SVRMU_HARDEN says."""

import os
import subprocess
import unittest


def readelf(flag):
    return subprocess.run(["readelf", flag, "--wide", os.environ["SVRMU"]], capture_output=True, text=True, check=True).stdout


class Hardening(unittest.TestCase):
    def test_relocations_are_read_only_and_bound_at_start(self):
        self.assertIn("GNU_RELRO", readelf("--program-headers"))
        dynamic = readelf("--dynamic")
        self.assertRegex(dynamic, r"BIND_NOW|FLAGS.* NOW")

    def test_it_can_be_loaded_anywhere(self):
        self.assertRegex(readelf("--file-header"), r"Type: +DYN")
        self.assertRegex(readelf("--dynamic"), r"FLAGS_1.*PIE")

    def test_stack_is_not_executable(self):
        stack = next(line for line in readelf("--program-headers").splitlines() if "GNU_STACK" in line)
        self.assertNotIn("RWE", stack)

    def test_stacks_and_buffers_are_guarded(self):
        symbols = readelf("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__(memcpy|read|memmove|snprintf|vsnprintf|fread|memset)_chk|__\w+_chk@")


if __name__ == "__main__":
    unittest.main()
