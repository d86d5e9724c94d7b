/* SPDX-License-Identifier: MIT */
#include "schema/record.h"

bool calls_begin(struct calls *calls, PyObject *resolve, Py_ssize_t n) {
    calls->resolve = resolve;
    calls->n = n;
    calls->callables = calls->few;
    if (n > FEW_CALLS) {
        calls->callables = PyMem_Malloc((size_t)n * sizeof *calls->callables);
        if (calls->callables == NULL) {
            PyErr_NoMemory();
            return false;
        }
    }
    memset(calls->callables, 0, (size_t)n * sizeof *calls->callables);
    return true;
}

void calls_end(struct calls *calls) {
    for (Py_ssize_t i = 0; i < calls->n; i++) {
        Py_XDECREF(calls->callables[i]);
    }
    if (calls->callables != calls->few) {
        PyMem_Free(calls->callables);
    }
}

PyObject *calls_get(struct calls *calls, int number) {
    assert(number >= 0 && number < calls->n); /* a description that lacks a call is refused */
    if (LIKELY(calls->callables[number] != NULL)) {
        return calls->callables[number];
    }
    PyObject *const object = PyLong_FromLong(number);
    calls->callables[number] = object != NULL ? PyObject_CallOneArg(calls->resolve, object) : NULL;
    Py_XDECREF(object);
    return calls->callables[number];
}

bool call_number_take(PyObject *object, const struct surroundings *around, int *number) {
    const long value = PyLong_AsLong(object);
    if (value == -1 && PyErr_Occurred()) {
        return false;
    }
    if (value < REFUSE || value >= MAX_CALLS) {
        PyErr_Format(PyExc_ValueError, "%R is not the number of a call", object);
        return false;
    }
    *number = (int)value;
    if (*around->n_calls <= value) {
        *around->n_calls = value + 1;
    }
    return true;
}
