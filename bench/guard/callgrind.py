"""Requests to callgrind from inside the process that it watches, and the counts in its files."""

from __future__ import annotations

import ctypes
import mmap
import re
from pathlib import Path

# rax: the address of the request's six words; rdx: the answer where valgrind is absent. The four rotations add up to
# 128 bits, which changes nothing; together with the exchange valgrind takes them for a request on x86-64.
# Source: valgrind.h, VALGRIND_DO_CLIENT_REQUEST_EXPR.
_REQUEST_CODE = bytes.fromhex(
    "4889f8"  # mov rax, rdi
    "31d2"  # xor edx, edx
    "48c1c703"  # rol rdi, 3
    "48c1c70d"  # rol rdi, 13
    "48c1c73d"  # rol rdi, 61
    "48c1c733"  # rol rdi, 51
    "4887db"  # xchg rbx, rbx
    "4889d0"  # mov rax, rdx
    "c3"  # ret
)
# Source: callgrind.h; the base is the letters C and T.
_ZERO_STATS, _DUMP_STATS_AT, _START_INSTRUMENTATION = 0x43540001, 0x43540003, 0x43540004
_RUNNING_ON_VALGRIND = 0x1001

_LABEL = re.compile(r"^desc: Trigger: Client Request: (.+)$", re.MULTILINE)
_TOTAL = re.compile(r"^totals: (\d+)", re.MULTILINE)

CPU = "x86_64"
"""The CPU architecture of the machine code above."""


class NotWatchedError(Exception):
    """The process does not run under valgrind."""


class Counter:
    """Counts the instructions of this process, under `valgrind --tool=callgrind --instr-atstart=no` on x86-64."""

    def __init__(self) -> None:
        """Raises NotWatchedError."""
        self._code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._code.write(_REQUEST_CODE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._code))
        self._call = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(address)
        if not self._request(_RUNNING_ON_VALGRIND):
            raise NotWatchedError("this process does not run under valgrind")

    def start(self) -> None:
        """Begin to count. The code before this call runs faster, because nothing is counted there."""
        self._request(_START_INSTRUMENTATION)

    def zero(self) -> None:
        """Set the counts to zero."""
        self._request(_ZERO_STATS)

    def write(self, label: str) -> None:
        """Write the counts since `zero` to a file, under the label."""
        text = ctypes.create_string_buffer(label.encode())
        self._request(_DUMP_STATS_AT, ctypes.addressof(text))

    def _request(self, number: int, argument: int = 0) -> int:
        words = (ctypes.c_uint64 * 6)(number, argument)
        answer: int = self._call(ctypes.addressof(words))
        return answer


def totals(folder: Path) -> dict[str, list[int]]:
    """Label to instructions, from callgrind's files in the folder; a label may occur several times."""
    found: dict[str, list[int]] = {}
    for path in folder.iterdir():
        text = path.read_text("utf-8", errors="replace")
        label, total = _LABEL.search(text), _TOTAL.search(text)
        if label and total:
            found.setdefault(label[1].strip(), []).append(int(total[1]))
    return found
