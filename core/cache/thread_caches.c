/* SPDX-License-Identifier: MIT */
#include "cache/thread_caches.h"

#if IS_FREE_THREADED

#include <string.h>

struct taken_caches thread_caches_take(struct thread_caches_pool *pool) {
    const uintptr_t thread = _Py_ThreadId();
    const size_t home = hash_of_number(thread, THREAD_CACHES_BITS);
    struct taken_caches taken = {.caches = NULL};
    for (size_t i = 0; i < THREAD_CACHES_PROBES; i++) {
        struct thread_caches_slot *const slot = &pool->slots[(home + i) % N_THREAD_CACHES];
        uintptr_t user = 0;
        if (!__atomic_compare_exchange_n(&slot->user, &user, thread, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED)) {
            continue;
        }
        if (slot->caches == NULL) {
            slot->caches = PyMem_Calloc(1, sizeof *slot->caches);
        }
        taken = (struct taken_caches){
            .caches = slot->caches, .slot = slot, .is_first = i == 0 && slot->caches != NULL};
        break;
    }
    return taken;
}

void thread_caches_after_fork(struct thread_caches_pool *pool) {
    const uintptr_t thread = _Py_ThreadId();
    for (size_t i = 0; i < N_THREAD_CACHES; i++) {
        struct thread_caches_slot *const slot = &pool->slots[i];
        if (slot->user != 0 && slot->user != thread) {
            if (slot->caches != NULL) {
                slot->caches->shape_tree.n_calls = 0;
            }
            slot->user = 0;
        }
    }
}

int thread_caches_traverse(const struct thread_caches_pool *pool, visitproc visit, void *arg) {
    int answer = 0;
    for (size_t i = 0; answer == 0 && i < N_THREAD_CACHES; i++) {
        const struct thread_caches *const caches = pool->slots[i].caches;
        answer = caches != NULL ? plan_cache_traverse(&caches->plan_cache, visit, arg) : 0;
    }
    return answer;
}

void thread_caches_clear(struct thread_caches_pool *pool) {
    for (size_t i = 0; i < N_THREAD_CACHES; i++) {
        struct thread_caches *const caches = pool->slots[i].caches;
        pool->slots[i].caches = NULL;
        if (caches != NULL) {
            plan_cache_clear(&caches->plan_cache);
            key_cache_clear(&caches->key_cache);
            shape_tree_clear(&caches->shape_tree);
            PyMem_Free(caches);
        }
    }
}

#endif
