/* SPDX-License-Identifier: MIT */
/* New strs of the narrowest kind out of a run of source text without escapes. */
#ifndef SSRJSON_DECODE_BUILD_STRING_H
#define SSRJSON_DECODE_BUILD_STRING_H

#include "pyobject/unicode.h"
#include "text/decode_utf8.h"

/* Text of at most so many code points is decoded on the C stack, where there is room to
 * overwrite, and copied. */
#define SHORT_CODE_POINTS 128

/* The narrowest form of text whose greatest code point is c. */
static ALWAYS_INLINE enum text_form form_of_code_point(uint32_t c) {
    return c < 0x80 ? TEXT_ASCII : c < 0x100 ? TEXT_LATIN1 : c < 0x10000 ? TEXT_UCS2 : TEXT_UCS4;
}

/* The narrowest form of UTF-8 text whose greatest byte is `byte`: its longest sequence's lead. */
static ALWAYS_INLINE enum text_form form_of_utf8_byte(uint32_t byte) {
    return byte < 0x80   ? TEXT_ASCII
           : byte < 0xc4 ? TEXT_LATIN1
           : byte < 0xf0 ? TEXT_UCS2
                         : TEXT_UCS4;
}

/* A str of n ASCII bytes; one character is shared, as everywhere in Python. */
static ALWAYS_INLINE PyObject *build_ascii(const uint8_t *from, size_t n) {
    if (UNLIKELY(n == 1)) {
        return PyUnicode_FromOrdinal(from[0]);
    }
    PyObject *const string = unicode_new((Py_ssize_t)n, TEXT_ASCII);
    if (LIKELY(string != NULL)) {
        memcpy((PyASCIIObject *)string + 1, from, n);
    }
    return string;
}

static ALWAYS_INLINE bool decode_utf8_form(enum text_form form, const uint8_t *from, size_t n,
                                           const uint8_t *readable_end, void *to, size_t n_room) {
    switch (form) {
    case TEXT_UCS4:
        return decode_utf8_32(from, from + n, readable_end, to, (uint32_t *)to + n_room);
    case TEXT_UCS2:
        return decode_utf8_16(from, from + n, readable_end, to, (uint16_t *)to + n_room);
    default: return decode_utf8_8(from, from + n, readable_end, to, (uint8_t *)to + n_room);
    }
}

/* A str of n bytes of UTF-8 with greatest byte `widest` >= 0x80; bytes up to readable_end may be
 * read. NULL where it is not well-formed (without an exception) or memory is short. */
static NOINLINE PyObject *build_from_utf8(const uint8_t *from, size_t n, uint32_t widest,
                                          const uint8_t *readable_end, bool *is_malformed) {
    const enum text_form form = form_of_utf8_byte(widest);
    const size_t unit = text_form_unit_bytes(form);
    const size_t length = utf8_count_code_points(from, n);
    *is_malformed = length == 0;
    if (*is_malformed) {
        return NULL;
    }
    if (length <= SHORT_CODE_POINTS) {
        uint32_t units[SHORT_CODE_POINTS + UTF8_DECODE_ROOM];
        const size_t n_room = sizeof units / unit;
        *is_malformed = !decode_utf8_form(form, from, n, readable_end, units, n_room);
        if (*is_malformed) {
            return NULL;
        }
        PyObject *const string = length == 1 && form == TEXT_LATIN1
                                     ? PyUnicode_FromOrdinal(*(const uint8_t *)units)
                                     : unicode_new((Py_ssize_t)length, form);
        if (LIKELY(string != NULL) && !(length == 1 && form == TEXT_LATIN1)) {
            memcpy(PyUnicode_DATA(string), units, length * unit);
        }
        return string;
    }
    PyObject *const string = unicode_new((Py_ssize_t)length, form);
    if (UNLIKELY(string == NULL)) {
        return NULL;
    }
    *is_malformed = !decode_utf8_form(form, from, n, readable_end, PyUnicode_DATA(string), length);
    if (*is_malformed) {
        Py_DECREF(string);
        return NULL;
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
    void *const to = PyUnicode_DATA(string);
    if (unit == source_bytes) {
        memcpy(to, from, n * unit);
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

#endif
