/* SPDX-License-Identifier: MIT */
/* Attributes that an object itself has, each looked for at one place only: where objects of its
 * class mostly have it. In Python 3.11 and newer most objects have no dict until one asks for it.
 */
#ifndef SSRJSON_PYOBJECT_INSTANCE_H
#define SSRJSON_PYOBJECT_INSTANCE_H

#include "pyobject/dict.h"
#include "pyobject/type.h"

/* Without the GIL another thread may take them away. */
#define HAS_OWN_VALUES (IS_DICT_LAYOUT_KNOWN && !IS_FREE_THREADED)

/* The names and values of the attributes that an object itself has, as the entries of a dict; the
 * value of one that it lacks is NULL. Nothing may change the object in the meantime. False where
 * they are not known. */
static ALWAYS_INLINE bool object_own_entries(PyObject *object, struct dict_entries *entries) {
#if HAS_OWN_VALUES
    const struct dict_keys *keys;
    const char *values = object_values(object);
    if (values != NULL && Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        keys =
            (const struct dict_keys *)((const PyHeapTypeObject *)Py_TYPE(object))->ht_cached_keys;
    } else {
        PyObject *dict;
        if (!object_dict(object, &dict) || dict == NULL || !PyDict_CheckExact(dict)) {
            return false;
        }
        keys = (const struct dict_keys *)((PyDictObject *)dict)->ma_keys;
        values = (const char *)((PyDictObject *)dict)->ma_values;
    }
    if (keys == NULL) {
        return false;
    }
    *entries = dict_entries_of_keys(keys);
    if (values != NULL) {
        entries->values = (PyObject *const *)(const void *)(values + DICT_VALUES_OFFSET);
    }
    return true;
#else
    (void)object;
    (void)entries;
    return false;
#endif
}

/* Whether an object itself may have an attribute, which hides a method of its class. No Python code
 * runs. */
static inline bool object_may_hold(PyObject *object, PyObject *name) {
    PyObject *dict;
    if (Py_TYPE(object)->tp_dictoffset == 0) {
        return false;
    }
#if IS_FREE_THREADED /* the dict is not read in place: another thread may change it */
    dict = PyObject_GenericGetDict(object, NULL);
    bool may_hold = true;
    if (dict != NULL && PyDict_CheckExact(dict)) {
        Py_BEGIN_CRITICAL_SECTION(dict);
        may_hold = !dict_has_only_str_keys(dict) || PyDict_Contains(dict, name) != 0;
        Py_END_CRITICAL_SECTION();
    }
    PyErr_Clear();
    Py_XDECREF(dict);
    return may_hold;
#else
    if (!object_dict(object, &dict)) {
        return true;
    }
    if (dict != NULL) {
        const int is_held = dict_has_only_str_keys(dict) ? PyDict_Contains(dict, name) : -1;
        PyErr_Clear();
        return is_held != 0;
    }
    struct dict_entries entries;
    bool is_found = false;
    if (object_own_entries(object, &entries)) {
        for (Py_ssize_t i = 0; i < entries.n && !is_found; i++) {
            PyObject *key;
            PyObject *value;
            is_found =
                dict_entry(entries.first, entries.entry_bytes, entries.values, i, &key, &value) &&
                value != NULL && PyUnicode_Compare(key, name) == 0;
        }
    }
    return is_found;
#endif
}

/* The value that an object has under an interned name at one place: borrowed, NULL where it is not
 * there. What its class has under the name is not looked at. */
static ALWAYS_INLINE PyObject *object_own_value(PyObject *object, PyObject *name,
                                                Py_ssize_t place) {
    struct dict_entries entries;
    PyObject *key;
    PyObject *value;
    return object_own_entries(object, &entries) && place < entries.n &&
                   dict_entry(entries.first, entries.entry_bytes, entries.values, place, &key,
                              &value) &&
                   key == name
               ? value
               : NULL;
}

#endif
