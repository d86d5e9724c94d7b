/* SPDX-License-Identifier: MIT */
/* New strs of the narrowest kind from a run of source text without escapes. */
#ifndef SSRJSON_DECODE_BUILD_STRING_H
#define SSRJSON_DECODE_BUILD_STRING_H

#include "pyobject/unicode.h"
#include "text/decode_utf8.h"

/* The narrowest form of a text whose greatest code point is c. */
static ALWAYS_INLINE enum text_form form_of_code_point(uint32_t c) {
    return c < 0x80 ? TEXT_ASCII : c < 0x100 ? TEXT_LATIN1 : c < 0x10000 ? TEXT_UCS2 : TEXT_UCS4;
}

/* The narrowest form of a text in UTF-8 whose greatest byte is `byte`: the first byte of its
 * longest sequence. */
static ALWAYS_INLINE enum text_form form_of_utf8_byte(uint32_t byte) {
    return byte < 0x80   ? TEXT_ASCII
           : byte < 0xc4 ? TEXT_LATIN1
           : byte < 0xf0 ? TEXT_UCS2
                         : TEXT_UCS4;
}

/* A str of n ASCII bytes. Python has one str for each single character, which is shared. */
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

/* A str of n bytes of UTF-8 whose greatest byte is `widest` >= 0x80. n_units of the bytes are no
 * continuation bytes, nor is the byte after all of them, which is read. NULL where memory is short,
 * or without an exception where *is_malformed. */
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

/* A str of n units, Latin-1 or UCS-2, in an array with room for a vector after them. Latin-1 units
 * are narrowed in place. */
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
        VECTORIZED
        for (size_t i = 0; i < n; i++) {
            ((uint8_t *)to)[i] = (uint8_t)((const uint16_t *)from)[i];
        }
    } else if (unit == 1) {
        VECTORIZED
        for (size_t i = 0; i < n; i++) {
            ((uint8_t *)to)[i] = (uint8_t)((const uint32_t *)from)[i];
        }
    } else {
        VECTORIZED
        for (size_t i = 0; i < n; i++) {
            ((uint16_t *)to)[i] = (uint16_t)((const uint32_t *)from)[i];
        }
    }
    return string;
}

#endif
