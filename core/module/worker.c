/* SPDX-License-Identifier: MIT */
#include "module/worker.h"

#if IS_FREE_THREADED

#include <string.h>

struct taken_worker workers_take(struct workers *workers) {
    const uintptr_t thread = _Py_ThreadId();
    const size_t home = hash_of_number(thread, LOG2_N_WORKERS);
    struct taken_worker taken = {.worker = NULL};
    for (size_t i = 0; i < WORKER_PROBES; i++) {
        struct worker_slot *const slot = &workers->slots[(home + i) % N_WORKERS];
        uintptr_t user = 0;
        if (!__atomic_compare_exchange_n(&slot->user, &user, thread, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED)) {
            continue;
        }
        if (slot->worker == NULL) {
            slot->worker = PyMem_Calloc(1, sizeof *slot->worker);
        }
        taken = (struct taken_worker){
            .worker = slot->worker, .slot = slot, .is_first = i == 0 && slot->worker != NULL};
        break;
    }
    return taken;
}

void workers_after_fork(struct workers *workers) {
    const uintptr_t thread = _Py_ThreadId();
    for (size_t i = 0; i < N_WORKERS; i++) {
        struct worker_slot *const slot = &workers->slots[i];
        if (slot->user != 0 && slot->user != thread) {
            if (slot->worker != NULL) {
                slot->worker->shape_tree.n_calls = 0;
            }
            slot->user = 0;
        }
    }
}

int workers_traverse(const struct workers *workers, visitproc visit, void *arg) {
    int answer = 0;
    for (size_t i = 0; answer == 0 && i < N_WORKERS; i++) {
        const struct worker *const worker = workers->slots[i].worker;
        answer = worker != NULL ? plan_cache_traverse(&worker->plan_cache, visit, arg) : 0;
    }
    return answer;
}

void workers_clear(struct workers *workers) {
    for (size_t i = 0; i < N_WORKERS; i++) {
        struct worker *const worker = workers->slots[i].worker;
        workers->slots[i].worker = NULL;
        if (worker != NULL) {
            plan_cache_clear(&worker->plan_cache);
            key_cache_clear(&worker->key_cache);
            shape_tree_clear(&worker->shape_tree);
            PyMem_Free(worker);
        }
    }
}

#endif
