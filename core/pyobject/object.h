/* SPDX-License-Identifier: MIT */
/* What is known of small objects of Python and of its libraries: new objects of static types, made
 * directly in builds whose objects are a reference count and a type; weak references; sets;
 * pydantic's time zones. */
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

/* Put a value, which is stolen, into a slot of an object that the caller has made. What the slot
 * held is released: two names may be one slot, and the garbage collector shows new objects to
 * finalizers. Runs Python code then. */
static ALWAYS_INLINE void slot_put(PyObject *object, Py_ssize_t offset, PyObject *value) {
    PyObject **const slot = (PyObject **)((char *)object + offset);
    PyObject *const before = *slot;
    *slot = value;
    Py_XDECREF(before);
}

/* Whether the one reference to an object is the caller's. Without the GIL false for an object that
 * another thread made: its count is in two fields, which cannot be read at one moment. */
static ALWAYS_INLINE bool object_is_held_once(PyObject *object) {
#if !IS_FREE_THREADED
    return Py_REFCNT(object) == 1;
#elif PY_VERSION_HEX >= 0x030e0000
    return PyUnstable_Object_IsUniquelyReferenced(object);
#else
    return _Py_IsOwnedByCurrentThread(object) &&
           __atomic_load_n(&object->ob_ref_local, __ATOMIC_RELAXED) == 1 &&
           __atomic_load_n(&object->ob_ref_shared, __ATOMIC_RELAXED) == 0;
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

/* float: new ones. */

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

/* Weak references: whether what they refer to is still there. */

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

/* set and frozenset: their items, read in place. The struct is that of Include/cpython/setobject.h
 * (Python 3.10 to 3.15); an item that was removed leaves a dummy with a hash of -1. */

/* The next item of a set that nothing changes in the meantime, borrowed; `position` begins with
 * zero. False at the end. */
static inline bool set_next(PyObject *set, Py_ssize_t *position, PyObject **item) {
    const PySetObject *const object = (const PySetObject *)set;
    while (*position <= object->mask) {
        const setentry *const entry = &object->table[(*position)++];
        if (entry->key != NULL && entry->hash != -1) {
            *item = entry->key;
            return true;
        }
    }
    return false;
}

/* The exception that is set, as one object in every version of Python. */

/* Take the exception that is set, including its traceback: a new reference, NULL where none is
 * set. */
static inline PyObject *raised_take(void) {
#if PY_VERSION_HEX >= 0x030c0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (type == NULL) {
        return NULL;
    }
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL) {
        PyException_SetTraceback(value, traceback);
    }
    Py_DECREF(type);
    Py_XDECREF(traceback);
    return value;
#endif
}

/* Set an exception that was taken, replacing one that is set; the reference is stolen. */
static inline void raised_set(PyObject *raised) {
#if PY_VERSION_HEX >= 0x030c0000
    PyErr_SetRaisedException(raised);
#else
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(raised)), raised, PyException_GetTraceback(raised));
#endif
}

/* The offset of pydantic's TzInfo from UTC in seconds, read in place; it never changes. Only where
 * layout_of_pydantic_zone_holds. Each datetime that pydantic has parsed has a TzInfo of its own,
 * and its method makes a timedelta. */
static ALWAYS_INLINE int32_t pydantic_zone_seconds(PyObject *zone) {
    int32_t seconds;
    memcpy(&seconds, zone + 1, sizeof seconds);
    return seconds;
}

#endif
