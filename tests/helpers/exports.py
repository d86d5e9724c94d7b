"""Exports of arrays, made by hand: capsules of DLPack and of Arrow's C data interface, right ones and wrong ones."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import (
    POINTER,
    Structure,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [c_void_p, c_char_p, c_void_p]


def capsule(pointer: int | None, name: bytes | None, keep: list[Any]) -> Any:
    """A capsule without a destructor. It keeps nothing: `keep` gets what must live as long, and its name."""
    text = ctypes.create_string_buffer(name) if name is not None else None
    keep.append(text)
    return _capsule_new(pointer, ctypes.cast(text, c_char_p) if text is not None else None, None)


# DLPack


class DLTensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", c_int32),
        ("device_number", c_int32),
        ("n_dims", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class Managed(Structure):
    _fields_ = [("tensor", DLTensor), ("context", c_void_p), ("deleter", c_void_p)]


class Versioned(Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("context", c_void_p),
        ("deleter", c_void_p),
        ("flags", c_uint64),
        ("tensor", DLTensor),
    ]


INT, UINT, FLOAT, HANDLE, BFLOAT, COMPLEX, BOOL = range(7)


class Tensor:
    """Exports bytes as a tensor; what is given by name replaces fields of the struct."""

    def __init__(
        self,
        memory: bytes,
        code: int,
        bits: int,
        shape: Sequence[int] = (),
        strides: Sequence[int] | None = None,
        /,
        *,
        version: int | None = 1,
        device: Any = (1, 0),
        name: bytes | None = b"",
        **fields: Any,
    ) -> None:
        self.device = device
        self.memory = (c_uint8 * (len(memory) + 1)).from_buffer_copy(memory + b"\0")
        self.shape = (c_int64 * (len(shape) + 1))(*shape)
        self.strides = (c_int64 * (len(strides) + 1))(*strides) if strides is not None else None
        self.managed: Any = Managed() if version is None else Versioned(major=version)
        self.name = name if name != b"" else b"dltensor" if version is None else b"dltensor_versioned"
        tensor = self.managed.tensor
        tensor.data = ctypes.addressof(self.memory)
        tensor.device, tensor.n_dims = 1, len(shape)
        tensor.code, tensor.bits, tensor.lanes = code, bits, 1
        tensor.shape = ctypes.cast(self.shape, POINTER(c_int64))
        if self.strides is not None:
            tensor.strides = ctypes.cast(self.strides, POINTER(c_int64))
        for field, value in fields.items():
            setattr(tensor, field, value)
        self.keep: list[Any] = []

    def __dlpack_device__(self) -> Any:
        return self.device

    def __dlpack__(self, *, max_version: Any = None) -> Any:
        return capsule(ctypes.addressof(self.managed), self.name, self.keep)


# Arrow


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", _RELEASE),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", _RELEASE),
    ("private_data", c_void_p),
]
_GET_SCHEMA = ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
_GET_NEXT = ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
_GET_ERROR = ctypes.CFUNCTYPE(c_void_p, POINTER(Stream))
Stream._fields_ = [
    ("get_schema", _GET_SCHEMA),
    ("get_next", _GET_NEXT),
    ("get_last_error", _GET_ERROR),
    ("release", _RELEASE),
    ("private_data", c_void_p),
]

NO_RELEASE = _RELEASE()  # as it is in a struct that was released
_ALIVE: list[Any] = []  # what structs point to: for as long as the tests run


def _do_nothing(pointer: int | None) -> None:
    """What structs point to lives on."""


_release = _RELEASE(_do_nothing)


def schema(
    format: bytes | None, *children: Schema, name: bytes | None = None, dictionary: Schema | None = None, **fields: Any
) -> Schema:
    made = Schema(format=format, name=name, n_children=len(children), release=_release)
    if children:
        pointers = (POINTER(Schema) * len(children))(*map(ctypes.pointer, children))
        made.children = ctypes.cast(pointers, POINTER(POINTER(Schema)))
        _ALIVE.append(pointers)
    if dictionary is not None:
        made.dictionary = ctypes.pointer(dictionary)
    for field, value in fields.items():
        setattr(made, field, value)
    _ALIVE.append((made, children, dictionary))
    return made


def array(
    length: int, *buffers: bytes | None, children: Sequence[Array] = (), dictionary: Array | None = None, **fields: Any
) -> Array:
    memory = [ctypes.create_string_buffer(buffer, len(buffer)) if buffer is not None else None for buffer in buffers]
    pointers = (c_void_p * (len(buffers) + 1))(
        *(ctypes.addressof(buffer) if buffer is not None else None for buffer in memory)
    )
    made = Array(length=length, null_count=-1, n_buffers=len(buffers), n_children=len(children), release=_release)
    made.buffers = ctypes.cast(pointers, POINTER(c_void_p))
    if children:
        places = (POINTER(Array) * len(children))(*map(ctypes.pointer, children))
        made.children = ctypes.cast(places, POINTER(POINTER(Array)))
        _ALIVE.append(places)
    if dictionary is not None:
        made.dictionary = ctypes.pointer(dictionary)
    for field, value in fields.items():
        setattr(made, field, value)
    _ALIVE.append((made, memory, pointers, children, dictionary))
    return made


class Exported:
    """Exports one array."""

    def __init__(self, schema: Schema, array: Array) -> None:
        self.schema, self.array = schema, array

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return (
            capsule(ctypes.addressof(self.schema), b"arrow_schema", _ALIVE),
            capsule(ctypes.addressof(self.array), b"arrow_array", _ALIVE),
        )


class Streamed:
    """Exports a stream of arrays; a callable among them is called, and what it returns is the error."""

    def __init__(self, schema: Schema, *arrays: Array | Callable[[], int], **fields: Any) -> None:
        left = list(arrays)
        text = ctypes.create_string_buffer(b"the disk is on fire")

        def get_schema(stream: Any, to: Any) -> int:
            ctypes.memmove(to, ctypes.byref(schema), ctypes.sizeof(Schema))
            return 0

        def get_next(stream: Any, to: Any) -> int:
            source = left.pop(0) if left else Array()
            if not isinstance(source, Array):
                return source()
            ctypes.memmove(to, ctypes.byref(source), ctypes.sizeof(Array))
            return 0

        def get_last_error(stream: Any) -> int:
            return ctypes.addressof(text)

        functions = (_GET_SCHEMA(get_schema), _GET_NEXT(get_next), _GET_ERROR(get_last_error))
        self.stream = Stream(*functions, _release)
        for field, value in fields.items():
            setattr(self.stream, field, value)
        _ALIVE.append((self.stream, schema, arrays, functions, text))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return capsule(ctypes.addressof(self.stream), b"arrow_array_stream", _ALIVE)
