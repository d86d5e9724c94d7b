/* SPDX-License-Identifier: MIT */
/* Classes: what they define, looked up without running Python code. */
#ifndef SSRJSON_PYOBJECT_TYPE_H
#define SSRJSON_PYOBJECT_TYPE_H

#include "pyobject/python.h"

/* What the class or its bases define under an interned name, borrowed; NULL, without an exception,
 * where none does. */
static inline PyObject *type_look_up(PyTypeObject *type, PyObject *name) {
    return _PyType_Lookup(type, name);
}

/* The same for a name that is not at hand as a str. */
static inline PyObject *type_look_up_named(PyTypeObject *type, const char *name) {
    PyObject *const interned = PyUnicode_InternFromString(name);
    if (interned == NULL) {
        PyErr_Clear();
        return NULL;
    }
    PyObject *const found = type_look_up(type, interned);
    Py_DECREF(interned);
    return found;
}

/* Whether an object of a subclass is iterated by the base's own code. */
static ALWAYS_INLINE bool type_iterates_as(PyObject *object, PyTypeObject *base) {
    return Py_TYPE(object)->tp_iter == base->tp_iter;
}

/* Whether attributes are found the usual way: in the class and in the object, by no code of its
 * own. */
static ALWAYS_INLINE bool type_has_usual_attributes(PyTypeObject *type) {
    return type->tp_getattro == PyObject_GenericGetAttr;
}

#endif
