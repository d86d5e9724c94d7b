/* SPDX-License-Identifier: MIT */
/* A dict or set that calls copy, whichever thread they run in.
 *
 * CPython locks what it copies. In free-threaded builds threads that copy one object wait for each
 * other, so each thread has an original of its own, an equal one; threads that hash alike share
 * one. With the GIL there is one for all. */
#ifndef SSRJSON_CACHE_THREAD_ORIGINALS_H
#define SSRJSON_CACHE_THREAD_ORIGINALS_H

#include "cache/hash.h"
#include "pyobject/object.h"

#define THREAD_ORIGINALS_BITS 4
#define N_THREAD_ORIGINALS (1 << THREAD_ORIGINALS_BITS)

struct thread_originals {
    PyObject *first; /* owned dict or set of hashable constants. Nobody changes it */
#if IS_FREE_THREADED
    PyObject *of_threads[N_THREAD_ORIGINALS]; /* owned; NULL until a thread asks */
#endif
};

/* Originals of a dict or set, which is stolen; NULL with an exception set, also for NULL. */
static inline struct thread_originals *thread_originals_new(PyObject *first) {
    if (first == NULL) {
        return NULL;
    }
    struct thread_originals *const originals = PyMem_Calloc(1, sizeof *originals);
    if (originals == NULL) {
        Py_DECREF(first);
        PyErr_NoMemory();
        return NULL;
    }
    originals->first = first;
    return originals;
}

static inline void thread_originals_free(struct thread_originals *originals) {
    if (originals == NULL) {
        return;
    }
    Py_XDECREF(originals->first);
#if IS_FREE_THREADED
    for (int i = 0; i < N_THREAD_ORIGINALS; i++) {
        Py_XDECREF(originals->of_threads[i]);
    }
#endif
    PyMem_Free(originals);
}

/* The original that the calling thread may copy, borrowed until thread_originals_free. Runs no
 * Python code and cannot fail. */
static ALWAYS_INLINE PyObject *thread_original(struct thread_originals *originals) {
#if IS_FREE_THREADED
    PyObject **const place =
        &originals->of_threads[hash_of_number(_Py_ThreadId(), THREAD_ORIGINALS_BITS)];
    PyObject *const own = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (LIKELY(own != NULL)) {
        return own;
    }
    PyObject *const first = originals->first;
    PyObject *const made = PyDict_CheckExact(first) ? PyDict_Copy(first) : PySet_New(first);
    PyObject *other = NULL;
    if (made == NULL) {
        PyErr_Clear(); /* no memory: the threads wait */
        return first;
    }
    if (!__atomic_compare_exchange_n(place, &other, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        Py_DECREF(made);
        return other;
    }
    return made;
#else
    return originals->first;
#endif
}

#endif
