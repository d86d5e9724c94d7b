"""One target at one level, in this process: under libFuzzer, or with inputs that are given.

python -m fuzz.run TARGET LEVEL FINDS -- [libFuzzer's arguments]   in a build with libFuzzer
python -m fuzz.run TARGET LEVEL FINDS FILE ...                     in any build, the Python targets only
"""

from __future__ import annotations

import ctypes
import gc
import os
import shlex
import sys
from pathlib import Path

from fuzz.finds import Finds, Target
from fuzz.targets import FLOORS, python_target

RUN_ONE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)


def run_driver(library: ctypes.CDLL, run_one: object, program: str, arguments: list[str]) -> int:
    """libFuzzer, which ends the process by itself unless something is wrong with the arguments.

    It starts `program` again by the shell, where it merges corpora.
    """
    argv = (ctypes.c_char_p * (len(arguments) + 2))(*map(os.fsencode, [program, *arguments]), None)
    pointer = ctypes.pointer(ctypes.cast(argv, ctypes.POINTER(ctypes.c_char_p)))
    n = ctypes.c_int(len(arguments) + 1)
    code: int = library.LLVMFuzzerRunDriver(ctypes.byref(n), pointer, run_one)
    return code


def fuzz_floor(name: str, level: str, program: str, arguments: list[str]) -> int:
    library = ctypes.PyDLL(str(Path(os.environ["SSRJSON_FUZZ_BUILD"], f"fuzz_floors_{level.replace('.', '')}.so")))
    return run_driver(library, getattr(library, f"ssrjson_fuzz_{name}"), program, arguments)


def fuzz_python(call: Target, program: str, arguments: list[str]) -> int:
    def one(data: int, size: int) -> int:
        try:
            call(ctypes.string_at(data, size))
        except BaseException:  # ctypes would pass over it
            os.abort()
        return 0

    from ssrjson_web import _core  # after the target has chosen how it is imported

    callback = RUN_ONE(one)
    return run_driver(ctypes.PyDLL(_core.__file__), callback, program, arguments)


def main(arguments: list[str]) -> int:
    name, level, folder, *rest = arguments
    program = shlex.join([sys.executable, "-m", "fuzz.run", name, level, folder, "--"])
    if name in FLOORS:
        return fuzz_floor(name, level, program, rest[1:] if rest[0] == "--" else rest)
    target = python_target(name, level)
    gc.freeze()  # hooks collect garbage: not among all modules
    finds = Finds(target, f"{name}-{level.replace('.', '')}", Path(folder))
    if rest[0] == "--":
        return fuzz_python(finds, program, rest[1:])
    for path in rest:
        finds(Path(path).read_bytes())
    return bool(finds.known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
