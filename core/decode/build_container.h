/* SPDX-License-Identifier: MIT */
/* Lists and dicts of finished values, and the calls of hooks with them.
 *
 * A function that returns a container has stolen the values. If it returns NULL with an exception
 * set, they still belong to the caller. */
#ifndef SSRJSON_DECODE_BUILD_CONTAINER_H
#define SSRJSON_DECODE_BUILD_CONTAINER_H

#include "decode/decoder.h"
#include "cache/shape_learn.h"
#include "pyobject/dict_from_pairs.h"

/* A list of that many items is worth a call of memcpy. */
#define MANY_ITEMS 32

/* A list of n values. */
static ALWAYS_INLINE PyObject *build_list(PyObject *const *values, size_t n) {
#if KNOWS_LAYOUTS && !IS_FREE_THREADED
    PyObject *const list = PyList_New(0);
    if (UNLIKELY(list == NULL)) {
        return list;
    }
    PyListObject *const object = (PyListObject *)list;
    /* PyList_New(n) would clear what is written now */
    object->ob_item = PyMem_Malloc(n * sizeof *values);
    if (UNLIKELY(object->ob_item == NULL)) {
        Py_DECREF(list);
        return PyErr_NoMemory();
    }
    object->allocated = (Py_ssize_t)n;
    Py_SET_SIZE(list, (Py_ssize_t)n);
    if (n >= MANY_ITEMS) {
        memcpy(object->ob_item, values, n * sizeof *values);
        return list;
    }
#pragma clang loop unroll(disable) /* lists of a few items are frequent */
    for (size_t i = 0; i < n; i++) {
        object->ob_item[i] = values[i];
    }
#else
    PyObject *const list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; LIKELY(list != NULL) && i < n; i++) {
        PyList_SET_ITEM(list, (Py_ssize_t)i, values[i]);
    }
#endif
    return list;
}

/* A dict whose keys are those of a node. */
static ALWAYS_INLINE PyObject *build_shaped_dict(struct shape_node *node, PyObject *const *values,
                                                 bool holds_containers) {
    PyObject *const template =
        LIKELY(node->template != NULL) ? node->template : shape_node_make_template(node);
    if (UNLIKELY(template == NULL)) {
        return NULL;
    }
    PyObject *const dict = dict_from_template(template, values, node->n_keys);
    if (holds_containers && LIKELY(dict != NULL)) {
        dict_track(dict);
    }
    return dict;
}

/* A list of (key, value) tuples, the argument of object_pairs_hook. */
static COLD PyObject *build_pairs(PyObject *const *pairs, size_t n_pairs) {
    PyObject *const list = PyList_New((Py_ssize_t)n_pairs);
    for (size_t i = 0; list != NULL && i < n_pairs; i++) {
        PyObject *const pair = PyTuple_Pack(2, pairs[2 * i], pairs[2 * i + 1]);
        if (pair == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, pair);
    }
    for (size_t i = 0; list != NULL && i < 2 * n_pairs; i++) {
        Py_DECREF(pairs[i]);
    }
    return list;
}

/* The first key that repeats one before it, as an index of pairs; n_pairs where none does, -1 with
 * an exception set. */
static COLD Py_ssize_t find_repeated_key(PyObject *const *pairs, size_t n_pairs) {
    PyObject *const known = PyDict_New();
    if (known == NULL) {
        return -1;
    }
    Py_ssize_t i = 0;
    while (i < (Py_ssize_t)n_pairs) {
        if (PyDict_SetItem(known, pairs[2 * i], Py_None) != 0) {
            i = -1;
            break;
        }
        if (PyDict_GET_SIZE(known) == i) {
            break;
        }
        i++;
    }
    Py_DECREF(known);
    return i;
}

/* Replace the keys by those in the case that the options ask for; false with an exception set. */
static COLD bool convert_keys(const struct decode_options *options, PyObject **pairs,
                              size_t n_pairs) {
    for (size_t i = 0; i < n_pairs; i++) {
        PyObject *const key = key_case_get(options->key_cases, pairs[2 * i], options->key_case);
        if (key == NULL) {
            return false;
        }
        Py_SETREF(pairs[2 * i], key);
    }
    return true;
}

/* The result of a hook for a container, which is stolen: NULL with the hook's exception set. */
static COLD PyObject *call_hook(PyObject *hook, PyObject *container) {
    PyObject *const value = PyObject_CallOneArg(hook, container);
    Py_DECREF(container);
    return value;
}

/* A dict, or the list for object_pairs_hook, of an object whose keys are not those of a node.
 * *repeated is the index of a repeated key where the options refuse it, otherwise -1. */
static NOINLINE PyObject *build_keyed_object(const struct decode_options *options, PyObject **pairs,
                                             size_t n_pairs, bool holds_containers,
                                             Py_ssize_t *repeated) {
    *repeated = -1;
    if (UNLIKELY(options->key_case != KEY_AS_IT_IS) && !convert_keys(options, pairs, n_pairs)) {
        return NULL;
    }
    if (UNLIKELY(options->refuses_duplicates)) {
        const Py_ssize_t found = find_repeated_key(pairs, n_pairs);
        if (found < 0) {
            return NULL;
        }
        if (found < (Py_ssize_t)n_pairs) {
            *repeated = found;
            return NULL;
        }
    }
    if (UNLIKELY(options->object_pairs_hook != NULL)) {
        return build_pairs(pairs, n_pairs);
    }
    PyObject *const dict = dict_from_pairs(pairs, n_pairs);
    if (UNLIKELY(dict == NULL)) {
        return NULL;
    }
    if (holds_containers) {
        dict_track(dict);
    }
    if (decode_shapes(options) != NULL && PyDict_GET_SIZE(dict) == (Py_ssize_t)n_pairs) {
        shape_tree_learn(options->shapes, pairs, n_pairs); /* the dict keeps the keys alive */
    }
    return dict;
}

#endif
