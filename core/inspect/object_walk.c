/* SPDX-License-Identifier: MIT */
#include "inspect/object_walk.h"

void object_walk_clear(struct object_walk *walk) {
    address_set_clear(&walk->visited);
    *walk = (struct object_walk){0};
}

COLD int object_walk_stop(struct object_walk *walk, enum object_walk_end end) {
    walk->end = end;
    return -1;
}

int object_walk_leave_out_builtins(struct object_walk *walk, PyObject *const *roots,
                                   Py_ssize_t n_roots) {
    PyObject *const builtins = PyEval_GetBuiltins(); /* borrowed */
    bool is_wanted = builtins == NULL;
    for (Py_ssize_t i = 0; i < n_roots; i++) {
        is_wanted |= roots[i] == builtins ||
                     (PyModule_Check(roots[i]) && PyModule_GetDict(roots[i]) == builtins);
    }
    if (!is_wanted && address_set_add(&walk->visited, builtins) < 0) {
        return object_walk_stop(walk, OBJECT_WALK_NO_MEMORY);
    }
    return 0;
}

COLD int object_walk_handle_interrupt(void) {
    PyErr_SetInterrupt();
    return PyErr_CheckSignals();
}

#if IS_FREE_THREADED
struct run_alone {
    void (*run)(void *);
    void *arg;
};

/* Called for the first object that the collector knows: it runs the function and ends the visit. */
static int run_once(PyObject *object, void *arg) {
    (void)object;
    const struct run_alone *const alone = arg;
    alone->run(alone->arg);
    return 0;
}

/* The collector stops all other threads while it visits objects; there is no other public function
 * that does. */
void object_walk_run_alone(void (*run)(void *), void *arg) {
    struct run_alone alone = {run, arg};
    PyUnstable_GC_VisitObjects(run_once, &alone);
}
#else
void object_walk_run_alone(void (*run)(void *), void *arg) {
    run(arg);
}
#endif
