/* SPDX-License-Identifier: MIT */
/* Attributes, assertions and the few integer helpers that every floor uses. */
#ifndef SSRJSON_BASE_COMPILER_H
#define SSRJSON_BASE_COMPILER_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__clang__)
#error "ssrjson_web is built with Clang (its vector extensions are the SIMD vocabulary)"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !defined(__LP64__) && !defined(_WIN64)
#error "ssrjson_web supports 64-bit little-endian machines only"
#endif

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ALWAYS_INLINE __attribute__((always_inline)) inline
#define NOINLINE __attribute__((noinline))
/* A path that is rarely taken: kept out of line, away from the hot code, and small. */
#define COLD __attribute__((noinline, cold, minsize))
/* Small rather than fast, because wheels have a limit. */
#define SMALL __attribute__((minsize))
/* Before a loop that is worth vectors of the compiler's making. It makes none for the other loops:
 * they would be a twentieth of the code, and gain nothing. */
#ifdef __OPTIMIZE_SIZE__
#define VECTORIZED
#else
#define VECTORIZED _Pragma("clang loop vectorize(enable)")
#endif
/* A table or helper that one of the including units may leave unused. */
#define MAYBE_UNUSED __attribute__((unused))
#define CACHE_ALIGNED __attribute__((aligned(64)))
/* A large constant table in a header, without `static`: the linker keeps one copy for all levels.
 */
#define SHARED_TABLE __attribute__((selectany, visibility("hidden")))

/* Reads within one page cannot fault, but a sanitizer cannot know that: only for functions
 * whose over-read is bounded by a page check. */
#if __has_feature(address_sanitizer)
#define READS_WITHIN_PAGE NOINLINE MAYBE_UNUSED __attribute__((no_sanitize("address")))
#else
#define READS_WITHIN_PAGE ALWAYS_INLINE
#endif

/* Template plumbing: CONCAT(a, b) after macro expansion of both. */
#define CONCAT_(a, b) a##_##b
#define CONCAT(a, b) CONCAT_(a, b)

static ALWAYS_INLINE unsigned trailing_zeros(uint64_t bits) {
    assert(bits != 0);
    return (unsigned)__builtin_ctzll(bits);
}

static ALWAYS_INLINE unsigned leading_zeros(uint64_t bits) {
    assert(bits != 0);
    return (unsigned)__builtin_clzll(bits);
}

static ALWAYS_INLINE unsigned count_ones(uint64_t bits) {
    return (unsigned)__builtin_popcountll(bits);
}

/* The lowest n bits set, 0 <= n <= 64. */
static ALWAYS_INLINE uint64_t low_bits(size_t n) {
    assert(n <= 64);
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

static ALWAYS_INLINE uint64_t load_u64(const void *from) {
    uint64_t bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}

static ALWAYS_INLINE uint32_t load_u32(const void *from) {
    uint32_t bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}

#endif
