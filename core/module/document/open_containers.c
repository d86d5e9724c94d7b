/* SPDX-License-Identifier: MIT */
#include "module/document/growing_document.h"

/* A list of n values and, unless it is NULL, a last one. Every slot is filled before anything else
 * is allocated, as the collector may show the list to Python code. */
static PyObject *copy_list(PyObject *const *values, size_t n, PyObject *last) {
    PyObject *const list = PyList_New((Py_ssize_t)n + (last != NULL));
    if (list == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        PyList_SET_ITEM(list, (Py_ssize_t)i, Py_NewRef(values[i]));
    }
    if (last != NULL) {
        PyList_SET_ITEM(list, (Py_ssize_t)n, Py_NewRef(last));
    }
    return list;
}

/* A dict of n keys and values in turn. An odd n says that the newest key has no value yet: it gets
 * the last one, or is left out where that is NULL. */
static PyObject *copy_dict(PyObject *const *values, size_t n, PyObject *last) {
    PyObject *dict = PyDict_New();
    bool is_good = dict != NULL;
    for (size_t i = 0; is_good && n - i >= 2; i += 2) {
        is_good = PyDict_SetItem(dict, values[i], values[i + 1]) == 0;
    }
    if (is_good && last != NULL) {
        assert(n % 2 != 0);
        is_good = PyDict_SetItem(dict, values[n - 1], last) == 0;
    }
    if (!is_good) {
        Py_CLEAR(dict);
    }
    return dict;
}

PyObject *open_containers_copy(const struct pause *pause, PyObject *last) {
    assert(pause->n_open > 0);
    PyObject *copy = Py_XNewRef(last);
    /* from the innermost to the outermost, each the last value of the next */
    for (size_t i = pause->n_open; i > 0; i--) {
        const struct container *const container = &pause->containers[i];
        PyObject *const *const values = pause->values + container->first_value;
        const size_t n = pause_n_values_of(pause, i);
        PyObject *const inner = copy;
        copy = container->kind == CONTAINER_LIST ? copy_list(values, n, inner)
                                                 : copy_dict(values, n, inner);
        Py_XDECREF(inner);
        if (copy == NULL) {
            return NULL;
        }
    }
    return copy;
}
