/* SPDX-License-Identifier: MIT */
/* Find the strings of a document by their source text. */
#ifndef SSRJSON_DECODE_STRING_LOOKUP_H
#define SSRJSON_DECODE_STRING_LOOKUP_H

#include "cache/string_cache.h"
#include "simd/simd.h"

/* A source text that may be in the cache. */
struct string_text {
    unsigned n;    /* the number of bytes before the first quote; STRING_CACHE_BYTES: no quote */
    unsigned slot; /* of the cache: its first entry */
};

/* The text of units of unit_bytes at p, where STRING_CACHE_BYTES can be read. The slot is a hash of
 * its first and last eight bytes. The last ones are rotated, so that equal bytes do not cancel each
 * other: words often differ in the last character only. The slot of an empty text depends on what
 * is after it. */
static ALWAYS_INLINE struct string_text string_text(const uint8_t *p, size_t unit_bytes) {
    static_assert(STRING_CACHE_BYTES == sizeof(struct u8x32s), "compared at once");
    static_assert(STRING_CACHE_ENTRIES == 1 << 9 && STRING_CACHE_WAYS == 2, "bits of a slot");
    uint64_t quotes = u8x32s_places_of(p, '"');
    if (unit_bytes != 1) { /* the first byte of a unit, before zeros */
        const uint32_t zeros = u8x32s_places_of(p, 0);
        quotes &= unit_bytes == 2 ? 0x55555555 & zeros >> 1
                                  : 0x11111111 & zeros >> 1 & zeros >> 2 & zeros >> 3;
    }
    const unsigned n = trailing_zeros(quotes | (uint64_t)1 << STRING_CACHE_BYTES);
    const unsigned n_ends = n < 8 ? n : 8;
    const uint64_t mask = ~(uint64_t)0 >> ((64 - 8 * n_ends) & 63);
    const uint64_t first = (load_u64(p) & mask) + n;
    const uint64_t last = load_u64(p + n - n_ends) & mask;
    /* the multiplier of SplitMix64 */
    const uint64_t mixed = (first ^ (last << 9 | last >> 55)) * 0xbf58476d1ce4e5b9;
    return (struct string_text){.n = n, .slot = (unsigned)(mixed >> 56) * 2};
}

/* Whether the text, which ends at the first quote, is the whole text of a string of n bytes. */
static ALWAYS_INLINE bool string_text_is(struct string_text text, size_t n) {
    return text.n == n && n < STRING_CACHE_BYTES;
}

/* The known str of the text at p, whose quote has unit_bytes: borrowed, NULL where it is not known.
 * The first quote may be an escaped one, within a longer string. Then no entry is equal, because
 * the text would end in a backslash, and no text in the cache does. */
static ALWAYS_INLINE PyObject *string_cache_find(const struct string_cache *cache, const uint8_t *p,
                                                 struct string_text text, size_t unit_bytes) {
    /* both entries of the slot without a branch, which would be mispredicted often */
    const uint32_t compared = (uint32_t)(((uint64_t)1 << (text.n + unit_bytes)) - 1);
    const uint64_t used = cache->is_used[text.slot / 64] >> text.slot % 64;
    const bool is_first =
        (used & 1) & ((u8x32s_differences(p, cache->texts[text.slot]) & compared) == 0);
    const bool is_second =
        (used >> 1 & 1) & ((u8x32s_differences(p, cache->texts[text.slot + 1]) & compared) == 0);
    const bool is_known = (is_first | is_second) & (text.n < STRING_CACHE_BYTES);
    return is_known ? cache->strings[text.slot + is_second] : NULL;
}

/* Remember the str of the text at p. */
static inline void string_cache_add(struct string_cache *cache, const uint8_t *p,
                                    struct string_text text, PyObject *string) {
    assert(text.n < STRING_CACHE_BYTES);
    uint64_t *const is_used = &cache->is_used[text.slot / 64];
    const uint64_t used = *is_used >> text.slot % 64;
    const unsigned way = (used & 1) == 0        ? 0
                         : (used >> 1 & 1) == 0 ? 1
                                                : cache->next_way++ % STRING_CACHE_WAYS;
    const unsigned entry = text.slot + way;
    PyObject *const old = used >> way & 1 ? cache->strings[entry] : NULL;
    *is_used |= (uint64_t)1 << entry % 64;
    cache->strings[entry] = Py_NewRef(string);
    memcpy(cache->texts[entry], p, STRING_CACHE_BYTES);
    Py_XDECREF(old);
}

#endif
