/* SPDX-License-Identifier: MIT */
/* The plans of the classes that were used last: struct plan, encode/model/plan.h.
 *
 * A class is known by its address, while a weak reference says that it is alive, and by its version
 * tag, which changes with the class or a base of it. The cache is set-associative: the address
 * selects a set of PLAN_CACHE_WAYS slots, in which the plan that was added last is first. No two
 * threads use a cache at the same time: without the GIL each call has one for itself. */
#ifndef SSRJSON_CACHE_PLANS_H
#define SSRJSON_CACHE_PLANS_H

#include "cache/hash.h"
#include "pyobject/object.h"
#include "pyobject/snapshot.h"
#include "pyobject/type.h"

#define PLAN_CACHE_SET_BITS 8
#define PLAN_CACHE_SETS (1 << PLAN_CACHE_SET_BITS)
#define PLAN_CACHE_WAYS 4

struct plan;

struct plan_slot {
    /* owned: a weak reference to the plan, which owns the class; where the slot owns the plan, to
     * the class. NULL: the slot is empty. Once it is dead, the rest of the slot is not valid. */
    PyObject *reference;
    const PyTypeObject *type; /* compared only */
    unsigned version;
    unsigned models; /* enum models_option, by which the plans of one class differ */
    struct plan *plan;
    PyObject *owned; /* the plan of a class that does not own it: of no model, or that cannot be
                        changed; otherwise NULL */
};

struct plan_cache {
    struct plan_slot sets[PLAN_CACHE_SETS][PLAN_CACHE_WAYS];
};

static ALWAYS_INLINE size_t plan_cache_set(const PyTypeObject *type) {
    return hash_of_address(type, PLAN_CACHE_SET_BITS);
}

/* The plan of a class: borrowed with the GIL, otherwise a new reference for snapshot_release. NULL
 * where it is not cached, or where there is no cache. Runs no Python code. */
static ALWAYS_INLINE struct plan *plan_cache_find(const struct plan_cache *cache,
                                                  const PyTypeObject *type, unsigned models) {
    if (IS_FREE_THREADED && UNLIKELY(cache == NULL)) {
        return NULL;
    }
    const struct plan_slot *const slots = cache->sets[plan_cache_set(type)];
    for (size_t way = 0; way < PLAN_CACHE_WAYS; way++) {
        const struct plan_slot *const slot = &slots[way];
        if (slot->type == type && slot->version == type_version(type) && slot->models == models) {
            PyObject *const alive = weak_object(slot->reference);
            if (LIKELY(alive != NULL)) {
#if IS_FREE_THREADED
                Py_INCREF((PyObject *)slot->plan);
#endif
                snapshot_release(alive);
                return slot->plan;
            }
        }
    }
    return NULL;
}

static inline void plan_slot_clear(struct plan_slot *slot) {
    struct plan_slot before = *slot;
    *slot = (struct plan_slot){.reference = NULL};
    Py_XDECREF(before.reference);
    Py_XDECREF(before.owned); /* may run Python code */
}

/* Keep a plan in the cache, in the most recent slot; what the slot owns is stolen. May run Python
 * code. */
static inline void plan_cache_put(struct plan_cache *cache, const struct plan_slot *added) {
    struct plan_slot *const slots = cache->sets[plan_cache_set(added->type)];
    /* the slot to replace: that of an older plan of the class, otherwise the last */
    size_t way = 0;
    while (way < PLAN_CACHE_WAYS - 1 &&
           !(slots[way].type == added->type && slots[way].models == added->models)) {
        way++;
    }
    struct plan_slot before = slots[way];
    memmove(&slots[1], &slots[0], way * sizeof *slots);
    slots[0] = *added;
    plan_slot_clear(&before);
}

static inline int plan_cache_traverse(const struct plan_cache *cache, visitproc visit, void *arg) {
    for (size_t set = 0; set < PLAN_CACHE_SETS; set++) {
        for (size_t way = 0; way < PLAN_CACHE_WAYS; way++) {
            Py_VISIT(cache->sets[set][way].owned);
        }
    }
    return 0;
}

static inline void plan_cache_clear(struct plan_cache *cache) {
    for (size_t set = 0; set < PLAN_CACHE_SETS; set++) {
        for (size_t way = 0; way < PLAN_CACHE_WAYS; way++) {
            plan_slot_clear(&cache->sets[set][way]);
        }
    }
}

#endif
