/* SPDX-License-Identifier: MIT */
/* A set of objects by address: those that a walk has visited.
 *
 * Objects are close together in memory, so an entry covers 512 bytes and holds a bit for each place
 * where an object may begin. A million small objects take some 4 MB that way, and objects that are
 * neighbours in memory are found in one cache line. At worst, with no two objects within 512 bytes,
 * an object takes 51 bytes, and 77 while the table grows. */
#ifndef SSRJSON_PYOBJECT_ADDRESS_SET_H
#define SSRJSON_PYOBJECT_ADDRESS_SET_H

#include "cache/hash.h"
#include "pyobject/python.h"

#define ADDRESS_SET_LOG2_FIRST_CAPACITY 8
#define ADDRESS_SET_LOG2_BLOCK_BYTES 9
/* Objects are aligned as pointers are. */
#define ADDRESS_SET_LOG2_ALIGNMENT 3
/* 2^ADDRESS_SET_LOG2_LINE neighbouring entries share a cache line. */
#define ADDRESS_SET_LOG2_LINE 2

struct address_block {
    uintptr_t number; /* of the block: address / 512; 0, where no object can be, in a free entry */
    uint64_t starts;  /* bit i: an object at 8 * i of the block */
};

/* All zero when empty. */
struct address_set {
    struct address_block *blocks; /* owned; 2 ** log2_capacity, or NULL */
    size_t n_blocks;              /* in use */
    unsigned log2_capacity;
};

static inline void address_set_clear(struct address_set *set) {
    PyMem_Free(set->blocks);
    *set = (struct address_set){0};
}

/* The entry of a block, or the free one where it belongs. */
static ALWAYS_INLINE struct address_block *address_set_find(const struct address_set *set,
                                                            uintptr_t number) {
    const size_t mask = ((size_t)1 << set->log2_capacity) - 1;
    const size_t line =
        hash_of_number(number >> ADDRESS_SET_LOG2_LINE, set->log2_capacity - ADDRESS_SET_LOG2_LINE);
    size_t i = line << ADDRESS_SET_LOG2_LINE | (number & low_bits(ADDRESS_SET_LOG2_LINE));
    while (set->blocks[i].number != number && set->blocks[i].number != 0) {
        i = (i + 1) & mask;
    }
    return &set->blocks[i];
}

/* Double the number of blocks; -1 where memory is short, and then the set is unchanged. */
static NOINLINE int address_set_grow(struct address_set *set) {
    struct address_set grown = {.n_blocks = set->n_blocks};
    grown.log2_capacity =
        set->blocks != NULL ? set->log2_capacity + 1 : ADDRESS_SET_LOG2_FIRST_CAPACITY;
    grown.blocks = PyMem_Calloc((size_t)1 << grown.log2_capacity, sizeof *grown.blocks);
    if (grown.blocks == NULL) {
        return -1;
    }
    for (size_t i = 0; set->blocks != NULL && i < (size_t)1 << set->log2_capacity; i++) {
        if (set->blocks[i].number != 0) {
            *address_set_find(&grown, set->blocks[i].number) = set->blocks[i];
        }
    }
    PyMem_Free(set->blocks);
    *set = grown;
    return 0;
}

/* Add an object: 1 where it is new, 0 where it was in the set, -1 where memory is short. */
static ALWAYS_INLINE int address_set_add(struct address_set *set, const void *object) {
    const uintptr_t address = (uintptr_t)object;
    const uintptr_t number = address >> ADDRESS_SET_LOG2_BLOCK_BYTES;
    const uint64_t start = (uint64_t)1 << (address >> ADDRESS_SET_LOG2_ALIGNMENT & 63);
    assert(number != 0 && (address & low_bits(ADDRESS_SET_LOG2_ALIGNMENT)) == 0);
    /* at most 5 of 8 entries are in use, so that a search stays short */
    if (UNLIKELY(set->blocks == NULL || set->n_blocks * 8 >= (size_t)5 << set->log2_capacity) &&
        address_set_grow(set) != 0) {
        return -1;
    }
    struct address_block *const block = address_set_find(set, number);
    set->n_blocks += block->number == 0;
    block->number = number;
    const bool is_new = (block->starts & start) == 0;
    block->starts |= start;
    return is_new;
}

/* Whether an object is in a set. */
static inline bool address_set_has(const struct address_set *set, const void *object) {
    const uintptr_t address = (uintptr_t)object;
    const uint64_t start = (uint64_t)1 << (address >> ADDRESS_SET_LOG2_ALIGNMENT & 63);
    return set->blocks != NULL &&
           (address_set_find(set, address >> ADDRESS_SET_LOG2_BLOCK_BYTES)->starts & start) != 0;
}

/* Remove an object that is in a set. Its block keeps its entry. */
static inline void address_set_remove(struct address_set *set, const void *object) {
    const uintptr_t address = (uintptr_t)object;
    assert(address_set_has(set, object));
    address_set_find(set, address >> ADDRESS_SET_LOG2_BLOCK_BYTES)->starts &=
        ~((uint64_t)1 << (address >> ADDRESS_SET_LOG2_ALIGNMENT & 63));
}

#endif
