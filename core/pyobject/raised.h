/* SPDX-License-Identifier: MIT */
/* The exception that is set, as one object in every version of Python. */
#ifndef SSRJSON_PYOBJECT_RAISED_H
#define SSRJSON_PYOBJECT_RAISED_H

#include "pyobject/python.h"

/* Take the exception that is set, including its traceback: a new reference, NULL where none is
 * set. */
static inline PyObject *raised_take(void) {
#if PY_VERSION_HEX >= 0x030c0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (type == NULL) {
        return NULL;
    }
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL) {
        PyException_SetTraceback(value, traceback);
    }
    Py_DECREF(type);
    Py_XDECREF(traceback);
    return value;
#endif
}

/* Set an exception that was taken, replacing one that is set; the reference is stolen. */
static inline void raised_set(PyObject *raised) {
#if PY_VERSION_HEX >= 0x030c0000
    PyErr_SetRaisedException(raised);
#else
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(raised)), raised, PyException_GetTraceback(raised));
#endif
}

#endif
