/* SPDX-License-Identifier: MIT */
/* The struct in the capsule of `__array_struct__`, numpy's array interface, version 3. */
#ifndef SSRJSON_PYOBJECT_ARRAY_INTERFACE_H
#define SSRJSON_PYOBJECT_ARRAY_INTERFACE_H

#include "pyobject/python.h"

struct array_interface {
    int two; /* always 2 */
    int n_dims;
    char kind;
    int item_bytes;
    int flags;
    const Py_ssize_t *shape;   /* number of items in each dimension */
    const Py_ssize_t *strides; /* bytes from one item to the next, in each dimension */
    void *data;
    PyObject *description; /* borrowed, where the flags say that there is one */
};

#endif
