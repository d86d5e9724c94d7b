/* SPDX-License-Identifier: MIT */
#include "inspect/object_walk.h"

#include <frameobject.h>
#include <structmember.h>

/* ---- the objects that an object holds ------------------------------------------------------ */

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

enum type_kind type_kind(PyTypeObject *type) {
    const bool is_holder = (type->tp_flags & Py_TPFLAGS_HAVE_GC) || type_has_object_members(type);
    if (type->tp_flags & Py_TPFLAGS_UNICODE_SUBCLASS) {
        return is_holder ? TYPE_STRING_HOLDER : TYPE_STRING;
    }
    return type_is_program(type) ? TYPE_PROGRAM : is_holder ? TYPE_HOLDER : TYPE_LEAF;
}

/* Where the pointer to an instance's dict is, in words from the object: see MANAGED_DICT_OFFSET of
 * Include/internal/pycore_object.h. */
#define MANAGED_DICT_WORD (IS_FREE_THREADED ? -1 : -3)

PyObject *object_own_dict(PyObject *object) {
    PyTypeObject *const type = Py_TYPE(object);
    Py_ssize_t offset = type->tp_dictoffset;
#if PY_VERSION_HEX >= 0x030b0000
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
        offset = MANAGED_DICT_WORD * (Py_ssize_t)sizeof(PyObject *);
        uintptr_t pointer = 0;
        if (layouts_hold()) {
            memcpy(&pointer, (const char *)object + offset, sizeof pointer);
        }
        return pointer & 1
                   ? NULL
                   : (PyObject *)pointer; /* Python 3.12 marks inline values with the lowest bit */
    }
#endif
    if (offset < 0) { /* counted from the end of an object with items, such as one of a subclass of
                         tuple or int */
        if (PY_VERSION_HEX >= 0x030c0000) {
            return NULL; /* before the object as well, and from this version on the size of an int
                            is computed differently */
        }
        const Py_ssize_t n_items = ((const PyVarObject *)object)->ob_size;
        offset += (Py_ssize_t)_PyObject_VAR_SIZE(type, n_items < 0 ? -n_items : n_items);
    }
    return offset > 0 ? *(PyObject *const *)((const char *)object + offset) : NULL;
}

#if PY_VERSION_HEX < 0x030b0000 || !IS_DICT_LAYOUT_KNOWN
struct dict_entries object_inline_attributes(PyObject *object) {
    (void)object;
    return (struct dict_entries){0};
}
#else
struct dict_entries object_inline_attributes(PyObject *object) {
    PyTypeObject *const type = Py_TYPE(object);
    const char *values = NULL;
    struct dict_entries entries = {0};
    if (!(type->tp_flags & Py_TPFLAGS_MANAGED_DICT) || !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) ||
        !layouts_hold()) {
        return entries;
    }
#if PY_VERSION_HEX < 0x030c0000
    values = ((const char *const *)object)[-4];
#elif PY_VERSION_HEX < 0x030d0000
    const char *const pointer = ((const char *const *)object)[-3];
    values = (uintptr_t)pointer & 1 ? pointer + 1 : NULL;
#else
    const uint8_t *const inlined = (const uint8_t *)object + type->tp_basicsize;
    if ((type->tp_flags & Py_TPFLAGS_INLINE_VALUES) &&
        ((PyObject *const *)object)[MANAGED_DICT_WORD] == NULL &&
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

int referents_visit_members(PyObject *object, visitproc visit, void *arg) {
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

int referents_visit_function(PyObject *function, visitproc visit, void *arg) {
    PyObject *const held[] = {
        PyFunction_GetDefaults(function),
        PyFunction_GetKwDefaults(function),
        PyFunction_GetClosure(function),
    };
    return referents_visit_array(held, sizeof held / sizeof *held, visit, arg);
}

/* ---- the walk ------------------------------------------------------------------------------ */

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
