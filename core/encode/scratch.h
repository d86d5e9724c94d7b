/* SPDX-License-Identifier: MIT */
/* Memory that is kept from one call to the next.
 *
 * Fresh pages cost more than the text that is written to them: a result of half a megabyte in new
 * memory takes four times as long as one in memory that was used before. So text grows in a block
 * that is kept for the next call, and the result is made at its exact size, which malloc can serve
 * from memory it has. There is one block for each module state, and a call takes it out while it
 * uses it: nested calls and other threads find none and allocate their own. The last block to be
 * returned is kept. */
#ifndef SSRJSON_ENCODE_SCRATCH_H
#define SSRJSON_ENCODE_SCRATCH_H

#include "pyobject/python.h"

/* The largest block: no more than this is ever kept. */
#define SCRATCH_MAX_BYTES ((size_t)4 << 20)
/* A block is freed after n consecutive calls that did not need it. */
#define SCRATCH_MAX_IDLE_CALLS 256

struct scratch {
    size_t n_bytes;
    unsigned n_idle_calls;
    char data[] __attribute__((aligned(16)));
};

/* The place where a module state keeps its block; NULL while it has none. */
struct scratch_slot {
    struct scratch *kept;
};

/* Put a block, or NULL, into the slot and return what was there. */
static ALWAYS_INLINE struct scratch *scratch_exchange(struct scratch_slot *slot,
                                                      struct scratch *scratch) {
    struct scratch *const other = slot->kept;
    slot->kept = scratch;
    return other;
}

static ALWAYS_INLINE struct scratch *scratch_take(struct scratch_slot *slot) {
    return scratch_exchange(slot, NULL);
}

static ALWAYS_INLINE void scratch_give_back(struct scratch_slot *slot, struct scratch *scratch) {
    struct scratch *const other = scratch_exchange(slot, scratch);
    if (UNLIKELY(other != NULL)) {
        PyMem_Free(other);
    }
}

/* Count a call that did not use the block. */
static ALWAYS_INLINE void scratch_count_idle_call(struct scratch_slot *slot) {
    struct scratch *const scratch = scratch_take(slot);
    if (scratch == NULL) {
        return;
    }
    if (++scratch->n_idle_calls > SCRATCH_MAX_IDLE_CALLS) {
        PyMem_Free(scratch);
    } else {
        scratch_give_back(slot, scratch);
    }
}

/* A block of at least n_bytes that begins with the first n_used bytes of `scratch`, which is stolen
 * and may be NULL. NULL where memory is short, and then `scratch` is unchanged. */
static inline struct scratch *scratch_grow(struct scratch *scratch, size_t n_used, size_t n_bytes) {
    assert(n_bytes <= SCRATCH_MAX_BYTES);
    if (scratch != NULL && scratch->n_bytes >= n_bytes) {
        return scratch;
    }
    size_t n_wanted = scratch != NULL ? 2 * scratch->n_bytes : 0;
    n_wanted = n_wanted < n_bytes ? n_bytes : n_wanted;
    n_wanted = n_wanted > SCRATCH_MAX_BYTES ? SCRATCH_MAX_BYTES : n_wanted;
    struct scratch *const grown = PyMem_Malloc(sizeof *grown + n_wanted);
    if (grown == NULL) {
        return NULL;
    }
    grown->n_bytes = n_wanted;
    grown->n_idle_calls = 0;
    if (scratch != NULL) {
        memcpy(grown->data, scratch->data, n_used);
        PyMem_Free(scratch);
    }
    return grown;
}

#endif
