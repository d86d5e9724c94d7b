/* SPDX-License-Identifier: MIT */
/* What plans, rules and acceptances alike read of their descriptions. */
#ifndef SSRJSON_ENCODE_MODEL_DESCRIPTION_H
#define SSRJSON_ENCODE_MODEL_DESCRIPTION_H

#include "pyobject/set.h"

/* The place of a name among n; -1 with ValueError set, "%s %R", where it is none of them. */
static inline int name_place(PyObject *name, const char *const *names, int n, const char *error) {
    for (int i = 0; i < n; i++) {
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, names[i]) == 0) {
            return i;
        }
    }
    PyErr_Format(PyExc_ValueError, "%s %R", error, name);
    return -1;
}

#define NAME_PLACE(NAME, NAMES, ERROR) \
    name_place(NAME, NAMES, (int)(sizeof(NAMES) / sizeof *(NAMES)), ERROR)

/* Whether searching for a value among those of a set runs no code of theirs. */
static inline bool set_is_plain(PyObject *set) {
    Py_ssize_t position = 0;
    PyObject *one;
    while (set_next(set, &position, &one)) {
        if (!PyUnicode_CheckExact(one) && !PyLong_CheckExact(one) && !PyBool_Check(one)) {
            return false;
        }
    }
    return true;
}

#endif
