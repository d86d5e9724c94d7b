/* SPDX-License-Identifier: MIT */
/* The state of a walk over objects: which it has visited, and whether it has to stop.
 *
 * The walk needs no references: with the GIL held and no Python code run, or with all other threads
 * stopped, a visited object cannot be freed. */
#ifndef SSRJSON_INSPECT_OBJECT_WALK_H
#define SSRJSON_INSPECT_OBJECT_WALK_H

#include "pyobject/address_set.h"
#include "pyobject/dict.h"
#include "pyobject/python.h"

/* ---- the objects that an object holds ------------------------------------------------------ */

/* The objects that an object holds, visited in place.
 *
 * They are those of gc.get_referents, found by tp_traverse, and those that it leaves out: keys of
 * dicts, and slots of classes without garbage collection. No code of the objects is run and no
 * object is made: an instance whose attributes CPython keeps inline gets no dict. */

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

/* ---- the walk ------------------------------------------------------------------------------ */

/* The walk checks for Ctrl-C after each n visited objects: every few milliseconds. */
#define OBJECT_WALK_INTERRUPT_INTERVAL 65536

#define OBJECT_WALK_KINDS 64

enum object_walk_end {
    OBJECT_WALK_DONE,
    OBJECT_WALK_NO_MEMORY,
    OBJECT_WALK_INTERRUPTED,
};

struct object_walk {
    struct address_set visited;
    Py_ssize_t n_objects;
    bool is_interruptible;
    enum object_walk_end end;
    struct {
        PyTypeObject *type;
        enum type_kind kind;
    } kinds[OBJECT_WALK_KINDS]; /* of types visited recently */
};

void object_walk_clear(struct object_walk *walk);

static ALWAYS_INLINE size_t object_walk_hash(const void *address) {
    return hash_of_address(address, 32);
}

static ALWAYS_INLINE enum type_kind object_walk_kind(struct object_walk *walk, PyTypeObject *type) {
    const size_t i = object_walk_hash(type) % OBJECT_WALK_KINDS;
    if (UNLIKELY(walk->kinds[i].type != type)) {
        walk->kinds[i].type = type;
        walk->kinds[i].kind = type_kind(type);
    }
    return walk->kinds[i].kind;
}

COLD int object_walk_stop(struct object_walk *walk, enum object_walk_end end);

/* Run a function while no other thread runs Python code or changes an object. It must not wait for
 * a lock, which a stopped thread may hold: it makes no object but private strs. */
void object_walk_run_alone(void (*run)(void *), void *arg);

/* Mark an object as visited: 1 where it is visited for the first time, 0 where it was visited
 * before, -1 where the walk has to stop. */
static ALWAYS_INLINE int object_walk_visit(struct object_walk *walk, const PyObject *object) {
    const int is_new = address_set_add(&walk->visited, object);
    if (is_new <= 0) {
        return is_new == 0 ? 0 : object_walk_stop(walk, OBJECT_WALK_NO_MEMORY);
    }
    walk->n_objects++;
    if (UNLIKELY(walk->n_objects % OBJECT_WALK_INTERRUPT_INTERVAL == 0) && walk->is_interruptible &&
        PyOS_InterruptOccurred()) {
        return object_walk_stop(walk, OBJECT_WALK_INTERRUPTED);
    }
    return 1;
}

/* Keep the walk out of the builtins, to which every module refers, unless they are a root. To be
 * called after the roots were visited. -1 where the walk has to stop. */
int object_walk_leave_out_builtins(struct object_walk *walk, PyObject *const *roots,
                                   Py_ssize_t n_roots);

/* Run the handler of an interrupt, which may do anything. The walk must be cleared before: no
 * object that it visited is known to exist afterwards. -1 with the handler's exception; otherwise
 * the walk may be repeated, uninterruptibly. */
COLD int object_walk_handle_interrupt(void);

#endif
