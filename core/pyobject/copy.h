/* SPDX-License-Identifier: MIT */
/* Copies of containers that others can reach.
 *
 * CPython reads the length of a list or dict, or where its items are, before it allocates the copy.
 * Up to Python 3.11 that allocation may collect garbage, and a finalizer that clears the container
 * leaves it with items that are freed (`list[:]`, `tuple(list)` and `dict.copy()` crash, too). So
 * the collector pauses meanwhile. */
#ifndef SSRJSON_PYOBJECT_COPY_H
#define SSRJSON_PYOBJECT_COPY_H

#include "pyobject/python.h"

/* Each is a new reference; NULL with MemoryError set. They run no Python code. */

static inline PyObject *list_copy(PyObject *list) {
    const bool was_on = collector_pause();
    PyObject *const copy = PyList_GetSlice(list, 0, PY_SSIZE_T_MAX);
    collector_go_on(was_on);
    return copy;
}

static inline PyObject *list_as_tuple(PyObject *list) {
    const bool was_on = collector_pause();
    PyObject *const tuple = PyList_AsTuple(list);
    collector_go_on(was_on);
    return tuple;
}

static inline PyObject *dict_copy(PyObject *dict) {
    const bool was_on = collector_pause();
    PyObject *const copy = PyDict_Copy(dict);
    collector_go_on(was_on);
    return copy;
}

#endif
