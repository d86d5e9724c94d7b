/* SPDX-License-Identifier: MIT */
/* float: new ones. */
#ifndef SSRJSON_PYOBJECT_FLOAT_H
#define SSRJSON_PYOBJECT_FLOAT_H

#include "pyobject/object.h"

static ALWAYS_INLINE PyObject *float_new(double value) {
#if HAS_PLAIN_OBJECTS
    PyFloatObject *const number = object_new(sizeof(PyFloatObject), &PyFloat_Type);
    if (LIKELY(number != NULL)) {
        number->ob_fval = value;
    }
    return (PyObject *)number;
#else
    return PyFloat_FromDouble(value);
#endif
}

#endif
