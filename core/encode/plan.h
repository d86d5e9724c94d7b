/* SPDX-License-Identifier: MIT */
/* How objects of one class are written: which attribute under which key. Python code says it once
 * for a class (ssrjson_web.models); here it is kept until the class changes. */
#ifndef SSRJSON_ENCODE_PLAN_H
#define SSRJSON_ENCODE_PLAN_H

#include "pyobject/python.h"

struct plan_field {
    PyObject *attribute; /* owned interned str */
    PyObject *key;       /* owned str */
    Py_ssize_t slot;     /* where in the object the value's pointer is; -1: ask for the attribute */
};

struct plan {
    Py_ssize_t n_fields;
    bool runs_python; /* to get an attribute, a property for one */
    struct plan_field fields[];
};

#define PLAN_CACHE_SLOTS 64

/* Plans of the classes met last. A class is known by its address and its version tag, which no
 * other class gets and which goes when the class or a base of it changes. */
struct plan_cache {
    struct {
        const PyTypeObject *type; /* never followed */
        unsigned version;
        PyObject *plan; /* owned capsule */
    } slots[PLAN_CACHE_SLOTS];
};

/* The plan in a capsule. */
static inline const struct plan *plan_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, "ssrjson_web.plan");
}

/* The plan of a class, a capsule, borrowed from the cache or put there; NULL where it is not there.
 * Runs no Python code. */
PyObject *plan_cache_find(const struct plan_cache *cache, const PyTypeObject *type);

/* Make the plan of a class from ((attribute, key), ...) and keep it: a new reference, NULL with an
 * exception set. */
PyObject *plan_cache_add(struct plan_cache *cache, PyTypeObject *type, PyObject *fields);

void plan_cache_clear(struct plan_cache *cache);

#endif
