/* SPDX-License-Identifier: MIT */
/* Lanes of 64 bits, for numbers. */
#ifndef SSRJSON_SIMD_SIMD_U64_H
#define SSRJSON_SIMD_SIMD_U64_H

#include "simd/simd.h"

#define U64_LANES (VEC_BYTES / 8)

typedef uint64_t u64vec __attribute__((vector_size(VEC_BYTES)));
typedef int64_t i64vec __attribute__((vector_size(VEC_BYTES)));
typedef uint64_t u64x4 __attribute__((vector_size(32)));
typedef bool u64lanes __attribute__((ext_vector_type(U64_LANES)));

static ALWAYS_INLINE u64vec u64_splat(uint64_t value) {
    return value - (u64vec){0};
}

static ALWAYS_INLINE u64vec u64_load(const void *from) {
    u64vec vec;
    memcpy(&vec, from, sizeof vec);
    return vec;
}

static ALWAYS_INLINE void u64_store(void *to, u64vec vec) {
    memcpy(to, &vec, sizeof vec);
}

/* One bit a lane from a comparison's lanes; lane 0 is bit 0. */
static ALWAYS_INLINE uint8_t u64_mask(u64vec condition) {
    const u64lanes lanes = __builtin_convertvector(condition, u64lanes);
    uint8_t mask;
    memcpy(&mask, &lanes, sizeof mask);
    return mask & (uint8_t)low_bits(U64_LANES);
}

/* Lanes of yes where condition is all ones, else of no. */
static ALWAYS_INLINE u64vec u64_select(u64vec condition, u64vec yes, u64vec no) {
    return (condition & yes) | (~condition & no);
}

#if defined(SIMD_HAS_COMPRESS)
/* The number of zero bits above the highest one; 64 for zero. */
static ALWAYS_INLINE u64vec u64_leading_zeros(u64vec vec) {
    return (u64vec)_mm512_lzcnt_epi64((__m512i)vec);
}
#endif

/* The products of the lanes' lower halves: one instruction, which a full product is not. */
static ALWAYS_INLINE u64vec u64_multiply_low(u64vec a, u64vec b) {
    return (a & 0xffffffff) * (b & 0xffffffff);
}

/* The pairs of words that start at each lane's offset: their first and their second words. */
static ALWAYS_INLINE void u64_load_pairs(const void *from, u64vec offsets, u64vec *first,
                                         u64vec *second) {
    u64x2 pairs[U64_LANES];
    for (int lane = 0; lane < U64_LANES; lane++) {
        memcpy(&pairs[lane], (const char *)from + offsets[lane], sizeof pairs[lane]);
    }
#if U64_LANES == 8
    const u64x4 pairs_02 = __builtin_shufflevector(pairs[0], pairs[2], 0, 1, 2, 3);
    const u64x4 pairs_46 = __builtin_shufflevector(pairs[4], pairs[6], 0, 1, 2, 3);
    const u64x4 pairs_13 = __builtin_shufflevector(pairs[1], pairs[3], 0, 1, 2, 3);
    const u64x4 pairs_57 = __builtin_shufflevector(pairs[5], pairs[7], 0, 1, 2, 3);
    const u64vec even = __builtin_shufflevector(pairs_02, pairs_46, 0, 1, 2, 3, 4, 5, 6, 7);
    const u64vec odd = __builtin_shufflevector(pairs_13, pairs_57, 0, 1, 2, 3, 4, 5, 6, 7);
    *first = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
    *second = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
#elif U64_LANES == 4
    const u64vec even = __builtin_shufflevector(pairs[0], pairs[2], 0, 1, 2, 3);
    const u64vec odd = __builtin_shufflevector(pairs[1], pairs[3], 0, 1, 2, 3);
    *first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    *second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
#else
    *first = __builtin_shufflevector(pairs[0], pairs[1], 0, 2);
    *second = __builtin_shufflevector(pairs[0], pairs[1], 1, 3);
#endif
}

/* Store each lane of first, followed by the lane of second. */
static ALWAYS_INLINE void u64_store_pairs(void *to, u64vec first, u64vec second) {
#if U64_LANES == 8
    const u64vec lower = __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11);
    const u64vec upper = __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15);
#elif U64_LANES == 4
    const u64vec lower = __builtin_shufflevector(first, second, 0, 4, 1, 5);
    const u64vec upper = __builtin_shufflevector(first, second, 2, 6, 3, 7);
#else
    const u64vec lower = __builtin_shufflevector(first, second, 0, 2);
    const u64vec upper = __builtin_shufflevector(first, second, 1, 3);
#endif
    u64_store(to, lower);
    u64_store((char *)to + VEC_BYTES, upper);
}

#endif
