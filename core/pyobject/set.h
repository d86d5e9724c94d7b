/* SPDX-License-Identifier: MIT */
/* set and frozenset: their items, read in place. The struct is that of Include/cpython/setobject.h
 * (Python 3.10 to 3.15); an item that was removed leaves a dummy with a hash of -1. */
#ifndef SSRJSON_PYOBJECT_SET_H
#define SSRJSON_PYOBJECT_SET_H

#include "pyobject/python.h"

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

#endif
