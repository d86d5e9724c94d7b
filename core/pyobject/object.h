/* SPDX-License-Identifier: MIT */
/* New objects of static types, made directly in builds whose objects are a reference count and a
 * type. */
#ifndef SSRJSON_PYOBJECT_OBJECT_H
#define SSRJSON_PYOBJECT_OBJECT_H

#include "pyobject/python.h"

#if !KNOWS_LAYOUTS || IS_FREE_THREADED || defined(Py_REF_DEBUG) || defined(Py_TRACE_REFS)
#define HAS_PLAIN_OBJECTS 0
#else
#define HAS_PLAIN_OBJECTS 1
#endif

#if HAS_PLAIN_OBJECTS
/* An object without contents, its type not counted; NULL with an exception set. It does what
 * PyObject_New does with four calls fewer. */
static ALWAYS_INLINE void *object_new(size_t n_bytes, PyTypeObject *type) {
    PyObject *const object = PyObject_Malloc(n_bytes);
    if (UNLIKELY(object == NULL)) {
        return PyErr_NoMemory();
    }
    *object = (PyObject){0};
    Py_SET_REFCNT(object, 1);
    Py_SET_TYPE(object, type);
    return object;
}
#endif

/* Take n references to None, True or False, which are not counted from Python 3.12 on. */
static ALWAYS_INLINE void constant_take_references(PyObject *constant, size_t n) {
#if PY_VERSION_HEX >= 0x030c0000
    (void)constant;
    (void)n;
#elif HAS_PLAIN_OBJECTS
    Py_SET_REFCNT(constant, Py_REFCNT(constant) + (Py_ssize_t)n);
#else
    for (; n > 0; n--) {
        Py_INCREF(constant);
    }
#endif
}

/* Keep an object in a place that is NULL until then, unless another thread or a finaliser was
 * first: the object that is there, borrowed from the place. `object` is stolen. */
static inline PyObject *publish_once(PyObject **place, PyObject *object) {
    PyObject *present = NULL;
    if (__atomic_compare_exchange_n(place, &present, object, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        return object;
    }
    Py_DECREF(object);
    return present;
}

#endif
