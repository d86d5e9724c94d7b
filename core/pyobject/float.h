/* SPDX-License-Identifier: MIT */
/* float: new ones. */
#ifndef SSRJSON_PYOBJECT_FLOAT_H
#define SSRJSON_PYOBJECT_FLOAT_H

#include "pyobject/python.h"

static ALWAYS_INLINE PyObject *float_new(double value) {
    return PyFloat_FromDouble(value);
}

#endif
