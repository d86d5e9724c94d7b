/* SPDX-License-Identifier: MIT */
/* The objects that an object holds, visited where they are.
 *
 * As gc.get_referents has them, by tp_traverse, and what that leaves out: keys of dicts, and slots
 * of classes without garbage collection. No code of the objects is run and no object is made: an
 * instance whose attributes CPython keeps inline gets no dict. */
#ifndef SSRJSON_INSPECT_REFERENT_H
#define SSRJSON_INSPECT_REFERENT_H

#include "pyobject/dict.h"

#include <frameobject.h>  /* PyFrame_Type of Python 3.10 */
#include <structmember.h> /* T_OBJECT of Python <= 3.11 */

/* What there is to find behind the objects of a type. */
enum type_kind {
    TYPE_LEAF,          /* nothing that can be reached */
    TYPE_STRING,        /* str, and subclasses without attributes */
    TYPE_STRING_HOLDER, /* subclasses of str with attributes */
    TYPE_HOLDER,        /* other objects */
    TYPE_PROGRAM,       /* classes, modules, functions, frames: the program, not its data */
};

static ALWAYS_INLINE bool member_is_object(const PyMemberDef *member) {
    return member->type == T_OBJECT || member->type == T_OBJECT_EX;
}

static bool type_has_object_members(const PyTypeObject *type) {
    for (; type != NULL; type = type->tp_base) {
        for (const PyMemberDef *member = type->tp_members; member != NULL && member->name != NULL;
             member++) {
            if (member_is_object(member)) {
                return true;
            }
        }
    }
    return false;
}

static bool type_is_program(PyTypeObject *type) {
    PyTypeObject *const programs[] = {
        &PyType_Type,  &PyModule_Type,    &PyFunction_Type, &PyCFunction_Type, &PyCode_Type,
        &PyFrame_Type, &PyTraceBack_Type, &PyGen_Type,      &PyCoro_Type,      &PyAsyncGen_Type,
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (PyType_IsSubtype(type, programs[i])) {
            return true;
        }
    }
    return false;
}

static enum type_kind type_kind(PyTypeObject *type) {
    const bool is_holder = (type->tp_flags & Py_TPFLAGS_HAVE_GC) || type_has_object_members(type);
    if (type->tp_flags & Py_TPFLAGS_UNICODE_SUBCLASS) {
        return is_holder ? TYPE_STRING_HOLDER : TYPE_STRING;
    }
    return type_is_program(type) ? TYPE_PROGRAM : is_holder ? TYPE_HOLDER : TYPE_LEAF;
}

/* The dict with an instance's attributes, borrowed; NULL where there is none at present. */
static PyObject *object_own_dict(PyObject *object) {
    PyTypeObject *const type = Py_TYPE(object);
    Py_ssize_t offset = type->tp_dictoffset;
#if PY_VERSION_HEX >= 0x030b0000
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
        /* in front of the object; see MANAGED_DICT_OFFSET of Include/internal/pycore_object.h */
        offset = (IS_FREE_THREADED ? -1 : -3) * (Py_ssize_t)sizeof(PyObject *);
        uintptr_t pointer = 0;
        if (PY_VERSION_HEX < 0x030f0000) {
            memcpy(&pointer, (const char *)object + offset, sizeof pointer);
        }
        return pointer & 1 ? NULL : (PyObject *)pointer; /* Python 3.12 marks inline values */
    }
#endif
    if (offset < 0) { /* from the end of an object with items, as of a subclass of tuple or int */
        if (PY_VERSION_HEX >= 0x030c0000) {
            return NULL; /* in front of the object as well, and an int's size is no longer this */
        }
        const Py_ssize_t n_items = ((const PyVarObject *)object)->ob_size;
        offset += (Py_ssize_t)_PyObject_VAR_SIZE(type, n_items < 0 ? -n_items : n_items);
    }
    return offset > 0 ? *(PyObject *const *)((const char *)object + offset) : NULL;
}

#if PY_VERSION_HEX < 0x030b0000 || !IS_DICT_LAYOUT_KNOWN
static struct dict_entries object_inline_attributes(PyObject *object) {
    (void)object;
    return (struct dict_entries){0};
}
#else
/* The attributes that CPython keeps beside an instance, without a dict, under the keys that its
 * class remembers; none where there is a dict. See Objects/dictobject.c,
 * make_dict_from_instance_attributes and _PyObject_VisitManagedDict. */
static struct dict_entries object_inline_attributes(PyObject *object) {
    PyTypeObject *const type = Py_TYPE(object);
    const char *values = NULL;
    struct dict_entries entries = {0};
    if (!(type->tp_flags & Py_TPFLAGS_MANAGED_DICT) || !(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        return entries;
    }
#if PY_VERSION_HEX < 0x030c0000
    values = ((const char *const *)object)[-4];
#elif PY_VERSION_HEX < 0x030d0000
    const char *const pointer = ((const char *const *)object)[-3];
    values = (uintptr_t)pointer & 1 ? pointer + 1 : NULL;
#else
    const uint8_t *const inlined = (const uint8_t *)object + type->tp_basicsize;
    if ((type->tp_flags & Py_TPFLAGS_INLINE_VALUES) && ((PyObject *const *)object)[-3] == NULL &&
        inlined[3] != 0) { /* valid; before it: capacity, size, embedded */
        values = (const char *)inlined;
    }
#endif
    const struct dict_keys *const keys =
        (const struct dict_keys *)((PyHeapTypeObject *)type)->ht_cached_keys;
    if (values != NULL && keys != NULL) {
        entries = dict_entries_of_keys(keys);
        entries.values = (PyObject *const *)(const void *)(values + DICT_VALUES_OFFSET);
#if PY_VERSION_HEX >= 0x030d0000
        entries.n = entries.n < inlined[0] ? entries.n : inlined[0];
#endif
    }
    return entries;
}
#endif

/* The functions below call visit(referent, arg) and return what it returned when that is not 0. */

static ALWAYS_INLINE int referents_visit_array(PyObject *const *items, Py_ssize_t n,
                                               visitproc visit, void *arg) {
    int status = 0;
    for (Py_ssize_t i = 0; i < n && status == 0; i++) {
        status = items[i] != NULL ? visit(items[i], arg) : 0;
    }
    return status;
}

/* Keys and values of a dict, of a subclass too. */
static ALWAYS_INLINE int referents_visit_dict(PyObject *dict, visitproc visit, void *arg) {
    PyObject *key;
    PyObject *value;
    int status = 0;
    if (dict_has_entries(dict)) {
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

static int referents_visit_members(PyObject *object, visitproc visit, void *arg) {
    int status = 0;
    for (const PyTypeObject *type = Py_TYPE(object); type != NULL; type = type->tp_base) {
        for (const PyMemberDef *member = type->tp_members;
             status == 0 && member != NULL && member->name != NULL; member++) {
            if (member_is_object(member)) {
                status = referents_visit_array(
                    (PyObject *const *)((const char *)object + member->offset), 1, visit, arg);
            }
        }
    }
    return status;
}

/* What a function holds beside its attributes; the globals are its module's. */
static int referents_visit_function(PyObject *function, visitproc visit, void *arg) {
    PyObject *const held[] = {
        PyFunction_GetDefaults(function),
        PyFunction_GetKwDefaults(function),
        PyFunction_GetClosure(function),
    };
    return referents_visit_array(held, sizeof held / sizeof *held, visit, arg);
}

/* All that an object holds, some of it perhaps twice. */
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
