/* SPDX-License-Identifier: MIT */
/* The objects that an object holds, visited in place.
 *
 * They are those of gc.get_referents, found by tp_traverse, and those that it leaves out: keys of
 * dicts, and slots of classes without garbage collection. No code of the objects is run and no
 * object is made: an instance whose attributes CPython keeps inline gets no dict. */
#ifndef SSRJSON_INSPECT_REFERENT_H
#define SSRJSON_INSPECT_REFERENT_H

#include "pyobject/dict.h"
#include "pyobject/layout_probe.h"

/* What the objects of a type can hold. */
enum type_kind {
    TYPE_LEAF,          /* nothing that can be visited */
    TYPE_STRING,        /* str, and subclasses without attributes */
    TYPE_STRING_HOLDER, /* subclasses of str with attributes */
    TYPE_HOLDER,        /* other objects */
    TYPE_PROGRAM,       /* classes, modules, functions, frames: the program, not its data */
};

enum type_kind type_kind(PyTypeObject *type);

/* The attributes that CPython keeps beside an instance, without a dict, with the keys in its class;
 * no entries where there is a dict. See Objects/dictobject.c, make_dict_from_instance_attributes
 * and _PyObject_VisitManagedDict. */
struct dict_entries object_inline_attributes(PyObject *object);

/* The dict of an instance's attributes, borrowed; NULL where there is none at present. */
PyObject *object_own_dict(PyObject *object);

/* The functions below call visit(referent, arg) and return what it returned when that is not 0. */

static ALWAYS_INLINE int referents_visit_array(PyObject *const *items, Py_ssize_t n,
                                               visitproc visit, void *arg) {
    int status = 0;
    for (Py_ssize_t i = 0; i < n && status == 0; i++) {
        status = items[i] != NULL ? visit(items[i], arg) : 0;
    }
    return status;
}

/* Visit the keys and values of a dict, or of an object of a subclass. */
static ALWAYS_INLINE int referents_visit_dict(PyObject *dict, visitproc visit, void *arg) {
    PyObject *key;
    PyObject *value;
    int status = 0;
    if (layouts_hold() && dict_has_entries(dict)) {
        const struct dict_entries entries = dict_entries(dict);
        for (Py_ssize_t i = 0; i < entries.n && status == 0; i++) {
            if (dict_entry(entries.first, entries.entry_bytes, entries.values, i, &key, &value)) {
                status = visit(key, arg);
                status = status == 0 ? visit(value, arg) : status;
            }
        }
        return status;
    }
    Py_ssize_t position = 0;
    while (status == 0 && PyDict_Next(dict, &position, &key, &value)) {
        status = visit(key, arg);
        status = status == 0 ? visit(value, arg) : status;
    }
    return status;
}

int referents_visit_members(PyObject *object, visitproc visit, void *arg);

/* Visit what a function holds besides its attributes and globals; the globals belong to its
 * module. */
int referents_visit_function(PyObject *function, visitproc visit, void *arg);

/* Visit all that an object holds; some of it may be visited twice. */
static ALWAYS_INLINE int referents_visit(PyObject *object, visitproc visit, void *arg) {
    if (PyDict_CheckExact(object)) {
        return referents_visit_dict(object, visit, arg);
    }
    if (PyList_CheckExact(object)) {
        PyObject *const *const items = ((PyListObject *)object)->ob_item;
        return referents_visit_array(items, PyList_GET_SIZE(object), visit, arg);
    }
    if (PyTuple_CheckExact(object)) {
        PyObject *const *const items = ((PyTupleObject *)object)->ob_item;
        return referents_visit_array(items, PyTuple_GET_SIZE(object), visit, arg);
    }
    if (PyFunction_Check(object)) {
        return referents_visit_function(object, visit, arg);
    }
    if (!PyObject_IS_GC(object)) {
        return referents_visit_members(object, visit, arg);
    }
    const traverseproc traverse = Py_TYPE(object)->tp_traverse;
    const int status = traverse != NULL ? traverse(object, visit, arg) : 0;
    return status == 0 && PyDict_Check(object) ? referents_visit_dict(object, visit, arg) : status;
}

#endif
