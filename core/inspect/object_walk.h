/* SPDX-License-Identifier: MIT */
/* The state of a walk over objects: which it has visited, and whether it has to stop.
 *
 * The walk needs no references: with the GIL held and no Python code run, or with all other threads
 * stopped, a visited object cannot be freed. */
#ifndef SSRJSON_INSPECT_OBJECT_WALK_H
#define SSRJSON_INSPECT_OBJECT_WALK_H

#include "pyobject/address_set.h"
#include "inspect/referent.h"

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
