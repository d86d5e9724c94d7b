/* SPDX-License-Identifier: MIT */
/* New strs of the narrowest kind from a run of source text without escapes. */
#ifndef SSRJSON_DECODE_BUILD_STRING_H
#define SSRJSON_DECODE_BUILD_STRING_H

#include "pyobject/unicode.h"
#include "text/decode_utf8.h"

/* The narrowest form of text whose greatest code point is c. */
static ALWAYS_INLINE enum text_form form_of_code_point(uint32_t c) {
    return c < 0x80 ? TEXT_ASCII : c < 0x100 ? TEXT_LATIN1 : c < 0x10000 ? TEXT_UCS2 : TEXT_UCS4;
}

/* The narrowest form of UTF-8 text whose greatest byte is `byte`, the lead of its longest
 * sequence. */
static ALWAYS_INLINE enum text_form form_of_utf8_byte(uint32_t byte) {
    return byte < 0x80   ? TEXT_ASCII
           : byte < 0xc4 ? TEXT_LATIN1
           : byte < 0xf0 ? TEXT_UCS2
                         : TEXT_UCS4;
}

/* A str of n ASCII bytes; the str of one character is shared, as everywhere in Python. */
static ALWAYS_INLINE PyObject *build_ascii(const uint8_t *from, size_t n) {
    if (UNLIKELY(n == 1)) {
        return PyUnicode_FromOrdinal(from[0]);
    }
    PyObject *const string = unicode_new((Py_ssize_t)n, TEXT_ASCII);
    if (LIKELY(string != NULL)) {
        copy_short(unicode_new_data(string, TEXT_ASCII), from, n);
    }
    return string;
}

/* A str of n bytes of UTF-8 with greatest byte `widest` >= 0x80; n_units of the bytes are no tails.
 * The byte after them can be read and is no tail. NULL where the text is malformed (without an
 * exception) or memory is short. */
static NOINLINE PyObject *build_from_utf8(const uint8_t *from, size_t n, size_t n_units,
                                          uint32_t widest, bool *is_malformed) {
    const enum text_form form = form_of_utf8_byte(widest);
    *is_malformed = n_units == 0 || widest > 0xf4;
    if (*is_malformed) {
        return NULL;
    }
    if (UNLIKELY(n_units == 1 && form == TEXT_LATIN1)) {
        uint8_t unit;
        *is_malformed = !decode_utf8_8(from, n, &unit, 1);
        return *is_malformed ? NULL : PyUnicode_FromOrdinal(unit);
    }
    PyObject *const string = unicode_new((Py_ssize_t)n_units, form);
    if (UNLIKELY(string == NULL)) {
        return NULL;
    }
    void *const to = unicode_new_data(string, form);
    *is_malformed = !(form == TEXT_UCS2     ? decode_utf8_16(from, n, to, n_units)
                      : form == TEXT_LATIN1 ? decode_utf8_8(from, n, to, n_units)
                                            : decode_utf8_32(from, n, to, n_units));
    if (UNLIKELY(*is_malformed)) {
        Py_DECREF(string);
        return NULL;
    }
    return string;
}

/* A str of few units, Latin-1 or UCS-2, with room for a vector after them. */
static ALWAYS_INLINE PyObject *build_from_short_units(uint16_t *units, size_t n, bool is_latin1) {
    if (!is_latin1) {
        PyObject *const string = unicode_new((Py_ssize_t)n, TEXT_UCS2);
        if (LIKELY(string != NULL)) {
            copy_short(unicode_new_data(string, TEXT_UCS2), units, n * sizeof *units);
        }
        return string;
    }
    if (UNLIKELY(n == 1)) {
        return PyUnicode_FromOrdinal(units[0]);
    }
    uint8_t *const bytes = (uint8_t *)units;
    for (size_t i = 0; i < n; i += U16_LANES) {
        u16vec block;
        memcpy(&block, units + i, sizeof block);
        const u8half narrow = __builtin_convertvector(block, u8half);
        memcpy(bytes + i, &narrow, sizeof narrow);
    }
    PyObject *const string = unicode_new((Py_ssize_t)n, TEXT_LATIN1);
    if (LIKELY(string != NULL)) {
        copy_short(unicode_new_data(string, TEXT_LATIN1), bytes, n);
    }
    return string;
}

/* A str of n units of source_bytes each, whose greatest is `widest`. */
static ALWAYS_INLINE PyObject *build_from_units(const void *from, size_t source_bytes, size_t n,
                                                uint32_t widest) {
    const enum text_form form = form_of_code_point(widest);
    const size_t unit = text_form_unit_bytes(form);
    assert(unit <= source_bytes);
    if (UNLIKELY(n == 1)) {
        return PyUnicode_FromOrdinal(source_bytes == 1   ? *(const uint8_t *)from
                                     : source_bytes == 2 ? *(const uint16_t *)from
                                                         : *(const uint32_t *)from);
    }
    PyObject *const string = unicode_new((Py_ssize_t)n, form);
    if (UNLIKELY(string == NULL)) {
        return NULL;
    }
    void *const to = unicode_new_data(string, form);
    if (unit == source_bytes) {
        copy_short(to, from, n * unit);
    } else if (source_bytes == 2) {
        for (size_t i = 0; i < n; i++) {
            ((uint8_t *)to)[i] = (uint8_t)((const uint16_t *)from)[i];
        }
    } else if (unit == 1) {
        for (size_t i = 0; i < n; i++) {
            ((uint8_t *)to)[i] = (uint8_t)((const uint32_t *)from)[i];
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            ((uint16_t *)to)[i] = (uint16_t)((const uint32_t *)from)[i];
        }
    }
    return string;
}

/* A str of the n code points in n_units units of UTF-16, where a high surrogate and a low one after
 * it make one code point. */
static NOINLINE PyObject *build_from_pairs(const uint16_t *units, size_t n_units, size_t n) {
    PyObject *const string = unicode_new((Py_ssize_t)n, TEXT_UCS4);
    if (UNLIKELY(string == NULL)) {
        return NULL;
    }
    uint32_t *const to = unicode_new_data(string, TEXT_UCS4);
    size_t from = 0;
    for (size_t i = 0; i < n;) {
        if (n_units - from >= 8 && n - i >= 8) {
            u16x8 block;
            memcpy(&block, units + from, sizeof block);
            const uint64_t surrogates = u8x16_mask((u8x16)((block & 0xf800) == 0xd800));
            typedef uint32_t u32x8 __attribute__((vector_size(32)));
            const u32x8 wide = __builtin_convertvector(block, u32x8);
            memcpy(to + i, &wide, sizeof wide);
            const size_t n_plain = trailing_zeros(surrogates | 1 << 16) / 2;
            from += n_plain;
            i += n_plain;
            if (n_plain == 8) {
                continue;
            }
        }
        uint32_t c = units[from++];
        if ((c & 0xfc00) == 0xd800 && from < n_units && (units[from] & 0xfc00) == 0xdc00) {
            c = 0x10000 + ((c & 0x3ff) << 10) + (units[from++] & 0x3ff);
        }
        to[i++] = c;
    }
    assert(from == n_units);
    return string;
}

/* A str of n units of UTF-16, lone surrogates kept. Where they are refused and there is one: NULL
 * with *is_refused. NULL with an exception where memory is short. */
static ALWAYS_INLINE PyObject *build_from_utf16(const uint16_t *units, size_t n,
                                                bool allow_surrogates, bool *is_refused) {
    uint16_t widest = 0;
    bool has_surrogate = false;
    for (size_t i = 0; i < n; i++) {
        widest = widest > units[i] ? widest : units[i];
        has_surrogate |= (units[i] & 0xf800) == 0xd800;
    }
    if (UNLIKELY(has_surrogate)) {
        size_t n_pairs = 0;
        size_t n_surrogates = (units[0] & 0xf800) == 0xd800;
        for (size_t i = 1; i < n; i++) {
            n_surrogates += (units[i] & 0xf800) == 0xd800;
            n_pairs += ((units[i - 1] & 0xfc00) == 0xd800) & ((units[i] & 0xfc00) == 0xdc00);
        }
        *is_refused = !allow_surrogates && n_surrogates != 2 * n_pairs;
        if (*is_refused) {
            return NULL;
        }
        if (n_pairs > 0) {
            return build_from_pairs(units, n, n - n_pairs);
        }
    }
    return build_from_units(units, sizeof *units, n, widest);
}

#endif
