/* SPDX-License-Identifier: MIT */
/* Allocators for Python of which one request fails, and which count what is allocated. */
#include <Python.h>
#include <limits.h>
#include <stdbool.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void failing_start(long at, long until);
EXPORTED void failing_disarm(void);
EXPORTED void failing_stop(void);
EXPORTED long failing_n_live(void);

static const PyMemAllocatorDomain DOMAINS[] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM,
                                               PYMEM_DOMAIN_OBJ};
static PyMemAllocatorEx originals[3];
static long n_requests;
static long first_to_fail;
static long last_to_fail; /* not failing itself any more; 0: all fail from the first on */
static long n_live;

static bool must_fail(void) {
    const long request = n_requests++;
    return request >= first_to_fail && (last_to_fail == 0 || request < last_to_fail);
}

static void *failing_malloc(void *context, size_t size) {
    const PyMemAllocatorEx *const original = context;
    void *const memory = must_fail() ? NULL : original->malloc(original->ctx, size);
    n_live += memory != NULL;
    return memory;
}

static void *failing_calloc(void *context, size_t n, size_t size) {
    const PyMemAllocatorEx *const original = context;
    void *const memory = must_fail() ? NULL : original->calloc(original->ctx, n, size);
    n_live += memory != NULL;
    return memory;
}

static void *failing_realloc(void *context, void *old, size_t size) {
    const PyMemAllocatorEx *const original = context;
    void *const memory = must_fail() ? NULL : original->realloc(original->ctx, old, size);
    n_live += memory != NULL && old == NULL;
    return memory;
}

static void failing_free(void *context, void *memory) {
    const PyMemAllocatorEx *const original = context;
    n_live -= memory != NULL;
    original->free(original->ctx, memory);
}

/* Let requests from number `at` on and before number `until` fail, counted from now. */
void failing_start(long at, long until) {
    n_requests = 0;
    n_live = 0;
    first_to_fail = at;
    last_to_fail = until;
    for (int i = 0; i < 3; i++) {
        PyMemAllocatorEx failing = {&originals[i], failing_malloc, failing_calloc, failing_realloc,
                                    failing_free};
        PyMem_GetAllocator(DOMAINS[i], &originals[i]);
        PyMem_SetAllocator(DOMAINS[i], &failing);
    }
}

/* Let no request fail any more, and go on counting. */
void failing_disarm(void) {
    first_to_fail = LONG_MAX;
}

void failing_stop(void) {
    for (int i = 0; i < 3; i++) {
        PyMem_SetAllocator(DOMAINS[i], &originals[i]);
    }
}

/* Blocks allocated and not freed between start and stop. */
long failing_n_live(void) {
    return n_live;
}
