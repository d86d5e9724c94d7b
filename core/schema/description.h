/* SPDX-License-Identifier: MIT */
/* What all descriptions from Python have in common: named tuples of strs, callables, sets and
 * dicts, of which each is checked before it is relied on. */
#ifndef SSRJSON_SCHEMA_DESCRIPTION_H
#define SSRJSON_SCHEMA_DESCRIPTION_H

#include "pyobject/object.h"
#include "pyobject/python.h"
#include "pyobject/type.h"

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

/* Whether a description is a named tuple of these fields, in this order; false with an
 * exception set. Runs no Python code. */
static inline bool has_fields(PyObject *description, const char *const *names, Py_ssize_t n) {
    PyObject *const name = PyUnicode_InternFromString("_fields");
    if (name == NULL) {
        return false;
    }
    PyObject *const fields =
        PyTuple_Check(description) ? type_look_up(Py_TYPE(description), name) : NULL;
    Py_DECREF(name); /* the class has it, or nobody */
    bool has = fields != NULL && PyTuple_Check(fields) && PyTuple_GET_SIZE(fields) == n &&
               PyTuple_GET_SIZE(description) == n;
    for (Py_ssize_t i = 0; has && i < n; i++) {
        PyObject *const field = PyTuple_GET_ITEM(fields, i);
        has = PyUnicode_Check(field) && PyUnicode_CompareWithASCIIString(field, names[i]) == 0;
    }
    if (!has) {
        PyErr_Format(PyExc_TypeError, "expected a named tuple with the fields %s, ..., not %.100s",
                     names[0], Py_TYPE(description)->tp_name);
    }
    return has;
}

/* A callable, or None for NULL: a new reference in `place`; false with TypeError set. */
static inline bool take_callable(PyObject *object, PyObject **place) {
    if (object == Py_None) {
        return true;
    }
    if (!PyCallable_Check(object)) {
        PyErr_Format(PyExc_TypeError, "a description has %.100s in place of a callable",
                     Py_TYPE(object)->tp_name);
        return false;
    }
    *place = Py_NewRef(object);
    return true;
}

#define HAS_FIELDS(DESCRIPTION, NAMES) \
    has_fields(DESCRIPTION, NAMES, (Py_ssize_t)(sizeof(NAMES) / sizeof *(NAMES)))

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
