/* SPDX-License-Identifier: MIT */
/* What calls reuse in free-threaded builds: key caches, shapes and plans, a set of them in a slot.
 *
 * A call takes the caches of a slot for as long as it runs, and nothing else touches them
 * meanwhile: so what is in them needs neither locks nor atomic reference counts, and threads do not
 * wait for each other. A thread mostly gets those that it had before, because its identity selects
 * where the search begins. A call within a call takes others. Where none are free, a call does
 * without.
 *
 * With the GIL there is one of each in the module state, and calls take turns. */
#ifndef SSRJSON_CACHE_THREAD_CACHES_H
#define SSRJSON_CACHE_THREAD_CACHES_H

#include "cache/key_cache.h"
#include "cache/plans.h"
#include "cache/shape_tree.h"

#if IS_FREE_THREADED

#define THREAD_CACHES_BITS 6
#define N_THREAD_CACHES (1 << THREAD_CACHES_BITS)
/* Slots that are tried before a call does without. */
#define THREAD_CACHES_PROBES 8
#define CACHE_LINE_BYTES 64

struct thread_caches {
    size_t n_expected_bytes; /* see encode/writer.h */
    struct plan_cache plan_cache;
    struct key_cache key_cache;
    struct shape_tree shape_tree;
};

/* Neighbours are on different cache lines. */
struct thread_caches_slot {
    uintptr_t user;               /* the thread that uses it at present, 0: none */
    struct thread_caches *caches; /* owned; NULL until it is used for the first time; stays until
                                     thread_caches_clear */
    char padding[CACHE_LINE_BYTES - sizeof(uintptr_t) - sizeof(struct thread_caches *)];
};

struct thread_caches_pool {
    struct thread_caches_slot slots[N_THREAD_CACHES];
};

/* Caches that a call has taken, and gives back at its end. */
struct taken_caches {
    struct thread_caches *caches;    /* NULL: none are free */
    struct thread_caches_slot *slot; /* NULL without caches */
    bool is_first;                   /* the slot is the first that was tried: of the calls of one
                                        thread within each other, one at most has it */
};

struct taken_caches thread_caches_take(struct thread_caches_pool *pool);

static inline void thread_caches_give_back(struct taken_caches taken) {
    if (taken.slot != NULL) {
        __atomic_store_n(&taken.slot->user, 0, __ATOMIC_RELEASE);
    }
}

/* In the child of a fork: give back what threads of the parent have taken. Such a thread has waited
 * or run other code when the process forked, so what it used is consistent. */
void thread_caches_after_fork(struct thread_caches_pool *pool);

int thread_caches_traverse(const struct thread_caches_pool *pool, visitproc visit, void *arg);
void thread_caches_clear(struct thread_caches_pool *pool);

#endif

#endif
