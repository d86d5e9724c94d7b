/* SPDX-License-Identifier: MIT */
#include "inspect/object_walk.h"

void object_walk_clear(struct object_walk *walk) {
    address_set_clear(&walk->met);
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
    if (!is_wanted && address_set_add(&walk->met, builtins) < 0) {
        return object_walk_stop(walk, OBJECT_WALK_NO_MEMORY);
    }
    return 0;
}

COLD int object_walk_handle_interrupt(void) {
    PyErr_SetInterrupt();
    return PyErr_CheckSignals();
}
