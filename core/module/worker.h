/* SPDX-License-Identifier: MIT */
/* What calls reuse, in free-threaded builds: a thread's own key cache, shapes and plans.
 *
 * A call takes a worker for as long as it runs, and nothing else touches it meanwhile: so what is
 * in it needs neither locks nor atomic reference counts, and threads do not wait for each other. A
 * thread mostly gets the worker that it had before, because its identity selects where the search
 * begins. A call within a call takes another one. Where none is free, a call does without.
 *
 * With the GIL there is one of each in the module state, and calls take turns. */
#ifndef SSRJSON_MODULE_WORKER_H
#define SSRJSON_MODULE_WORKER_H

#include "cache/shape_tree.h"
#include "decode/options.h"
#include "encode/context.h"
#include "cache/key_cache.h"

#if IS_FREE_THREADED

#define LOG2_N_WORKERS 6
#define N_WORKERS (1 << LOG2_N_WORKERS)
/* Workers that are tried before a call does without. */
#define WORKER_PROBES 8
#define CACHE_LINE_BYTES 64

struct worker {
    size_t n_expected_bytes; /* see encode/writer.h */
    struct plan_cache plan_cache;
    struct key_cache key_cache;
    struct shape_tree shape_tree;
};

/* Neighbours are on different cache lines. */
struct worker_slot {
    uintptr_t user;        /* the thread that uses it at present, 0: none */
    struct worker *worker; /* owned; NULL until it is used for the first time */
    char padding[CACHE_LINE_BYTES - sizeof(uintptr_t) - sizeof(struct worker *)];
};

struct workers {
    struct worker_slot slots[N_WORKERS];
};

/* A worker that a call has taken, and gives back at its end. */
struct taken_worker {
    struct worker *worker;    /* NULL: none is free */
    struct worker_slot *slot; /* NULL without a worker */
    bool is_first;            /* no call of the thread is in progress around this one */
};

struct taken_worker workers_take(struct workers *workers);

static inline void worker_give_back(struct taken_worker taken) {
    if (taken.slot != NULL) {
        __atomic_store_n(&taken.slot->user, 0, __ATOMIC_RELEASE);
    }
}

/* In the child of a fork: give back what threads of the parent have taken. Such a thread has waited
 * or run other code when the process forked, so what it used is consistent. */
void workers_after_fork(struct workers *workers);

int workers_traverse(const struct workers *workers, visitproc visit, void *arg);
void workers_clear(struct workers *workers);

#endif

#endif
