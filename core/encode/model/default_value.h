/* SPDX-License-Identifier: MIT */
/* Whether a field has its default, and exclude_defaults or omit_defaults leaves it out. */
#ifndef SSRJSON_ENCODE_MODEL_DEFAULT_VALUE_H
#define SSRJSON_ENCODE_MODEL_DEFAULT_VALUE_H

#include "pyobject/python.h"

/* Whether an object is of a type whose objects are compared with each other without Python code. */
static inline bool is_compared_by_value(PyObject *object) {
    return object == Py_None || PyBool_Check(object) || PyUnicode_CheckExact(object) ||
           PyLong_CheckExact(object) || PyFloat_CheckExact(object);
}

/* Whether an object equals itself only, such as a member of an Enum. */
static inline bool is_compared_by_identity(PyObject *object) {
    return Py_TYPE(object)->tp_richcompare == PyBaseObject_Type.tp_richcompare;
}

/* Whether a value is a field's default, which is NULL where there is none; -1 where only Python
 * code can decide. */
static inline int value_is_default(PyObject *value, PyObject *other) {
    if (other == NULL) {
        return 0;
    }
    if (is_compared_by_value(value) && is_compared_by_value(other)) {
        PyObject *const result =
            PyObject_RichCompare(value, other, Py_EQ); /* NaN does not equal itself */
        PyErr_Clear();
        Py_XDECREF(result); /* True or False, which are never freed */
        return result == NULL ? -1 : result == Py_True;
    }
    if (is_compared_by_identity(value) && is_compared_by_identity(other)) {
        return value == other;
    }
    /* Python's own types, such as datetime and list, do not equal None */
    if (other == Py_None && !PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE)) {
        return 0;
    }
    const bool are_lists = PyList_CheckExact(value) && PyList_CheckExact(other);
    const bool are_dicts = PyDict_CheckExact(value) && PyDict_CheckExact(other);
    if (are_lists || are_dicts) {
        const Py_ssize_t n = are_lists ? PyList_GET_SIZE(value) : PyDict_GET_SIZE(value);
        const Py_ssize_t n_other = are_lists ? PyList_GET_SIZE(other) : PyDict_GET_SIZE(other);
        return n != n_other ? 0 : n == 0 ? 1 : -1;
    }
    return -1;
}

/* Whether omit_defaults leaves a value out. `other` is the field's default, or what its factory
 * makes; NULL where there is none. No code of a class is run. */
static inline bool value_is_omitted(PyObject *value, PyObject *other) {
    if (other == NULL || value == other) {
        return other != NULL;
    }
    if (Py_TYPE(value) != Py_TYPE(other)) {
        return false;
    }
    if (PyFloat_CheckExact(value)) { /* bit by bit, because the text of -0.0 is not that of 0.0 */
        const double numbers[] = {PyFloat_AS_DOUBLE(value), PyFloat_AS_DOUBLE(other)};
        return memcmp(&numbers[0], &numbers[1], sizeof(double)) == 0;
    }
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyBytes_CheckExact(value)) {
        const int is_equal = PyObject_RichCompareBool(value, other, Py_EQ);
        PyErr_Clear();
        return is_equal > 0;
    }
    const bool are_containers = PyList_CheckExact(value) || PyTuple_CheckExact(value) ||
                                PyDict_CheckExact(value) || PyAnySet_CheckExact(value);
    return are_containers && PyObject_Size(value) == 0 && PyObject_Size(other) == 0;
}

#endif
