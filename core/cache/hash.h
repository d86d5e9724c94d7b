/* SPDX-License-Identifier: MIT */
/* The hashes by which caches and tables of objects find an entry: of a number or an address, of a
 * short text, and of several numbers. Different keys may have the same hash, so each use compares
 * the key that the entry holds.
 *
 * The string cache has a hash of its own, string_text in decode/string_lookup.h: it was chosen
 * among 150 variants by the misses on real documents, whose strings often differ in the last
 * character only. */
#ifndef SSRJSON_CACHE_HASH_H
#define SSRJSON_CACHE_HASH_H

#include "base/compiler.h"

/* Fibonacci hashing: 2^64 / golden ratio. The highest bits of a product with it differ for
 * neighbouring numbers, and so for objects that are neighbours in memory. */
#define HASH_FACTOR 0x9e3779b97f4a7c15

/* A hash of n_bits > 0 bits. */
static ALWAYS_INLINE size_t hash_of_number(uint64_t number, unsigned n_bits) {
    return number * HASH_FACTOR >> (64 - n_bits);
}

static ALWAYS_INLINE size_t hash_of_address(const void *address, unsigned n_bits) {
    return hash_of_number((uintptr_t)address, n_bits);
}

/* Mix one more number into a hash of 64 bits, which begins with zero or any other number. */
static ALWAYS_INLINE uint64_t hash_add(uint64_t hash, uint64_t number) {
    hash = (hash ^ number) * HASH_FACTOR;
    return hash ^ hash >> 29;
}

/* A hash of n_bits > 0 bits of n > 0 bytes; where n > 16, of the first and the last eight only. */
static ALWAYS_INLINE size_t hash_of_text(const char *text, size_t n, unsigned n_bits) {
    assert(n > 0);
    uint64_t first;
    uint64_t last;
    if (n >= 8) {
        first = load_u64(text);
        last = load_u64(text + n - 8);
    } else if (n >= 4) {
        first = load_u32(text);
        last = load_u32(text + n - 4);
    } else {
        first = (uint8_t)text[0] | (uint64_t)(uint8_t)text[n / 2] << 8;
        last = (uint8_t)text[n - 1];
    }
    const uint64_t mixed =
        (first ^ n * HASH_FACTOR) * 0xff51afd7ed558ccd + last * 0xc4ceb9fe1a85ec53;
    return hash_of_number(mixed ^ mixed >> 32, n_bits);
}

#endif
