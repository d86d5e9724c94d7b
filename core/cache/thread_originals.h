/* SPDX-License-Identifier: MIT */
/* A dict or set that calls copy or look into, whichever thread they run in.
 *
 * CPython locks the set or dict meanwhile. In free-threaded builds threads that use one object wait
 * for each other, so each thread has an original of its own, an equal one; threads that hash alike
 * share one, and all do where it is large. With the GIL there is one for all. */
#ifndef SSRJSON_CACHE_THREAD_ORIGINALS_H
#define SSRJSON_CACHE_THREAD_ORIGINALS_H

#include "cache/hash.h"
#include "pyobject/object.h"

#define THREAD_ORIGINALS_BITS 4
#define N_THREAD_ORIGINALS (1 << THREAD_ORIGINALS_BITS)
/* Items of a set above which its memory counts for more than the wait. */
#define THREAD_ORIGINALS_MAX_ITEMS 1000

struct thread_originals {
    PyObject *first; /* owned dict or set of hashable constants. Nobody changes it */
#if IS_FREE_THREADED
    PyObject *of_threads[N_THREAD_ORIGINALS]; /* owned; NULL until a thread asks */
#endif
};

/* Visit what is owned; NULL: nothing. */
static inline int thread_originals_traverse(const struct thread_originals *originals,
                                            visitproc visit, void *arg) {
    if (originals == NULL) {
        return 0;
    }
    Py_VISIT(originals->first);
#if IS_FREE_THREADED
    for (int i = 0; i < N_THREAD_ORIGINALS; i++) {
        Py_VISIT(originals->of_threads[i]);
    }
#endif
    return 0;
}

/* The original for the calling thread, borrowed until they are released. Runs no
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
    const bool is_dict = PyDict_CheckExact(first);
    if (!is_dict && PySet_GET_SIZE(first) > THREAD_ORIGINALS_MAX_ITEMS) {
        return first;
    }
    PyObject *const made = is_dict ? PyDict_Copy(first) : PySet_New(first);
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
