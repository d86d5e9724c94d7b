/* SPDX-License-Identifier: MIT */
/* An object that is to be written as one of a base of its class: a field is declared as Base and
 * holds a Derived, of which pydantic writes what Base has. Python code never sees it. */
#ifndef SSRJSON_ENCODE_MODEL_MODEL_AS_H
#define SSRJSON_ENCODE_MODEL_MODEL_AS_H

#include "pyobject/python.h"

struct model_as {
    PyObject_HEAD PyObject *object; /* owned */
    PyTypeObject *base;             /* owned */
};

/* A new reference; NULL with an exception set. */
static inline PyObject *model_as_new(PyTypeObject *type, PyObject *object, PyTypeObject *base) {
    struct model_as *const self = (struct model_as *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->object = Py_NewRef(object);
        self->base = (PyTypeObject *)Py_NewRef((PyObject *)base);
    }
    return (PyObject *)self;
}

#endif
