/* SPDX-License-Identifier: MIT */
/* Find the strings of a document by their source text. */
#ifndef SSRJSON_DECODE_STRING_LOOKUP_H
#define SSRJSON_DECODE_STRING_LOOKUP_H

#include "decode/string_cache.h"
#include "simd/simd.h"

/* A source text that may be in the cache. */
struct string_text {
    unsigned n;    /* its bytes up to the first quote; STRING_CACHE_BYTES: there is none so near */
    unsigned slot; /* of the cache */
};

/* The text at p, n bytes long, n <= STRING_CACHE_BYTES; as many can be read. */
static ALWAYS_INLINE struct string_text string_text_of(const uint8_t *p, unsigned n) {
    static_assert(STRING_CACHE_ENTRIES == 1 << 8, "the size of a slot's number");
    const unsigned n_ends = n < 8 ? n : 8;
    const uint64_t first = load_u64(p) & low_bits(8 * n_ends);
    const uint64_t last = load_u64(p + n - n_ends) & low_bits(8 * n_ends);
    const uint64_t mixed = (first + n) * 0xff51afd7ed558ccd ^ last * 0xc4ceb9fe1a85ec53;
    return (struct string_text){.n = n, .slot = (mixed >> 48 ^ mixed >> 16) & 0xff};
}

/* The text of bytes at p, after which STRING_CACHE_BYTES can be read. */
static ALWAYS_INLINE struct string_text string_text(const uint8_t *p) {
    static_assert(STRING_CACHE_BYTES == sizeof(struct u8x32s), "compared at once");
    const uint64_t quotes = u8x32s_places_of(p, '"');
    return string_text_of(p, trailing_zeros(quotes | (uint64_t)1 << STRING_CACHE_BYTES));
}

/* Whether the text is that of a string of n bytes. */
static ALWAYS_INLINE bool string_text_is(struct string_text text, size_t n) {
    return text.n == n && n < STRING_CACHE_BYTES;
}

/* The known str of the text at p, whose quote has unit_bytes, borrowed; NULL: it is not known. A
 * text with escapes may be cut at a quote that belongs to it, but no known text ends there: the
 * backslash would be its last character. */
static ALWAYS_INLINE PyObject *string_cache_find(const struct string_cache *cache, const uint8_t *p,
                                                 struct string_text text, unsigned unit_bytes) {
    const uint64_t differences = u8x32s_differences(p, cache->texts[text.slot]);
    const bool is_used = cache->is_used[text.slot / 64] >> text.slot % 64 & 1;
    const bool is_known = (is_used & (text.n < STRING_CACHE_BYTES)) &&
                          (differences & low_bits(text.n + unit_bytes)) == 0;
    return is_known ? cache->strings[text.slot] : NULL;
}

/* Remember the str of the text at p. */
static inline void string_cache_add(struct string_cache *cache, const uint8_t *p,
                                    struct string_text text, PyObject *string) {
    assert(text.n < STRING_CACHE_BYTES);
    PyObject **const place = &cache->strings[text.slot];
    uint64_t *const is_used = &cache->is_used[text.slot / 64];
    PyObject *const old = *is_used >> text.slot % 64 & 1 ? *place : NULL;
    *is_used |= (uint64_t)1 << text.slot % 64;
    *place = Py_NewRef(string);
    memcpy(cache->texts[text.slot], p, STRING_CACHE_BYTES);
    Py_XDECREF(old);
}

#endif
