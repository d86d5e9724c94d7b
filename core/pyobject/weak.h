/* SPDX-License-Identifier: MIT */
/* Weak references: whether what they refer to is still there. */
#ifndef SSRJSON_PYOBJECT_WEAK_H
#define SSRJSON_PYOBJECT_WEAK_H

#include "pyobject/python.h"

/* What a weak reference refers to: borrowed with the GIL, otherwise a new reference for
 * snapshot_release; NULL, without an exception, where it is gone. Runs no Python code. */
static ALWAYS_INLINE PyObject *weak_object(PyObject *reference) {
#if IS_FREE_THREADED
    PyObject *object;
    return PyWeakref_GetRef(reference, &object) > 0 ? object : NULL;
#else
    PyObject *const object = ((PyWeakReference *)reference)->wr_object;
    return object != Py_None && Py_REFCNT(object) > 0 ? object : NULL;
#endif
}

#endif
