/* SPDX-License-Identifier: MIT */
/* Containers at one moment: what no other thread can change while it is read. With the GIL a
 * container is its own snapshot. */
#ifndef SSRJSON_PYOBJECT_SNAPSHOT_H
#define SSRJSON_PYOBJECT_SNAPSHOT_H

#include "pyobject/type.h"

/* A snapshot of a list (a tuple), dict or set, of no subclass; any other object is returned. It is
 * borrowed with the GIL, and otherwise a new reference for snapshot_release; NULL with MemoryError
 * set. Runs no Python code. */
static ALWAYS_INLINE PyObject *snapshot_take(PyObject *object) {
#if IS_FREE_THREADED
    return PyList_CheckExact(object)   ? PyList_AsTuple(object)
           : PyDict_CheckExact(object) ? PyDict_Copy(object)
           : PySet_CheckExact(object)  ? PyFrozenSet_New(object)
                                       : Py_NewRef(object);
#else
    return object;
#endif
}

/* Release a snapshot, or NULL. */
static ALWAYS_INLINE void snapshot_release(PyObject *snapshot) {
#if IS_FREE_THREADED
    Py_XDECREF(snapshot);
#else
    (void)snapshot;
#endif
}

/* An item of a list, a new reference; NULL, without an exception, where there is none. */
static ALWAYS_INLINE PyObject *list_get(PyObject *list, Py_ssize_t place) {
#if IS_FREE_THREADED
    PyObject *const item = PyList_GetItemRef(list, place);
    if (item == NULL) {
        PyErr_Clear();
    }
    return item;
#else
    return place < PyList_GET_SIZE(list) ? Py_NewRef(PyList_GET_ITEM(list, place)) : NULL;
#endif
}

/* dict_has_only_str_keys of a dict that other threads may change. */
static ALWAYS_INLINE bool shared_dict_has_only_str_keys(PyObject *dict) {
    bool answer;
    Py_BEGIN_CRITICAL_SECTION(dict);
    answer = dict_has_only_str_keys(dict);
    Py_END_CRITICAL_SECTION();
    return answer;
}

/* What a slot of an object holds: borrowed with the GIL, otherwise a new reference for
 * snapshot_release; NULL where it holds nothing. */
static ALWAYS_INLINE PyObject *snapshot_slot(PyObject *object, Py_ssize_t offset) {
    PyObject *value;
    Py_BEGIN_CRITICAL_SECTION(object);
    value = *(PyObject **)((char *)object + offset);
#if IS_FREE_THREADED
    Py_XINCREF(value);
#endif
    Py_END_CRITICAL_SECTION();
    return value;
}

/* Whether a slot of an object holds another object, which is compared only. */
static ALWAYS_INLINE bool object_slot_is(PyObject *object, Py_ssize_t offset, PyObject *other) {
    return __atomic_load_n((PyObject **)((char *)object + offset), __ATOMIC_RELAXED) == other;
}

/* What a slot of an object holds, a new reference; NULL where it holds nothing. */
static ALWAYS_INLINE PyObject *object_slot(PyObject *object, Py_ssize_t offset) {
#if IS_FREE_THREADED
    return snapshot_slot(object, offset);
#else
    return Py_XNewRef(snapshot_slot(object, offset));
#endif
}

#if IS_FREE_THREADED
/* An object's __dict__ itself, a new reference; NULL, without an exception, where there is none or
 * it is not exactly a dict. Runs no Python code. */
static ALWAYS_INLINE PyObject *object_shared_dict(PyObject *object) {
    PyObject *dict;
    Py_BEGIN_CRITICAL_SECTION(object); /* otherwise it may be freed before it is counted */
    dict = PyObject_GenericGetDict(object, NULL);
    Py_END_CRITICAL_SECTION();
    if (UNLIKELY(dict == NULL)) {
        PyErr_Clear();
    } else if (UNLIKELY(!PyDict_CheckExact(dict))) {
        Py_DECREF(dict);
        return NULL;
    }
    return dict;
}
#endif

/* A snapshot of an object's __dict__; NULL, without an exception, where there is none or it is not
 * exactly a dict. Runs no Python code. */
static ALWAYS_INLINE PyObject *object_dict_snapshot(PyObject *object) {
    PyObject *dict;
#if IS_FREE_THREADED
    PyObject *const own = object_shared_dict(object);
    dict = own != NULL ? PyDict_Copy(own) : NULL;
    Py_XDECREF(own);
    if (dict == NULL) {
        PyErr_Clear();
    }
#else
    if (!object_dict(object, &dict) || dict == NULL || !PyDict_CheckExact(dict)) {
        return NULL;
    }
#endif
    return dict;
}

/* A snapshot of an object's __dict__, a new reference; NULL, without an exception, where there is
 * none or it is not exactly a dict. With `makes_dict` attributes that are in the object itself, as
 * in most new objects of Python 3.11 and newer, are put into a dict first. */
static inline PyObject *object_dict_held(PyObject *object, bool makes_dict) {
    PyObject *const dict = object_dict_snapshot(object);
    if (dict != NULL || !makes_dict) {
        return IS_FREE_THREADED ? dict : Py_XNewRef(dict);
    }
    PyObject *const made = PyObject_GenericGetDict(object, NULL);
    if (made == NULL) {
        PyErr_Clear();
    } else if (!PyDict_CheckExact(made)) {
        Py_DECREF(made);
        return NULL;
    }
    return made;
}

#endif
