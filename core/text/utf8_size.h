/* SPDX-License-Identifier: MIT */
/* The number of bytes that a text takes in UTF-8. */
#ifndef SSRJSON_TEXT_UTF8_SIZE_H
#define SSRJSON_TEXT_UTF8_SIZE_H

#include "base/compiler.h"

static inline size_t utf8_size_of_latin1(const uint8_t *text, size_t n_chars) {
    size_t n_bytes = n_chars;
    for (size_t i = 0; i < n_chars; i++) {
        n_bytes += text[i] >> 7;
    }
    return n_bytes;
}

/* The size of UCS-2 text; 0 where it holds a surrogate, which UTF-8 cannot encode. */
static inline size_t utf8_size_of_ucs2(const uint16_t *text, size_t n_chars) {
    size_t n_bytes = n_chars;
    bool has_surrogate = false;
    for (size_t i = 0; i < n_chars; i++) {
        n_bytes += (size_t)(text[i] >= 0x80) + (text[i] >= 0x800);
        has_surrogate |= (text[i] & 0xf800) == 0xd800;
    }
    return has_surrogate ? 0 : n_bytes;
}

/* The size of UCS-4 text; 0 where it holds a surrogate. */
static inline size_t utf8_size_of_ucs4(const uint32_t *text, size_t n_chars) {
    size_t n_bytes = n_chars;
    bool has_surrogate = false;
    for (size_t i = 0; i < n_chars; i++) {
        n_bytes += (size_t)(text[i] >= 0x80) + (text[i] >= 0x800) + (text[i] >= 0x10000);
        has_surrogate |= (text[i] & 0xfffff800) == 0xd800;
    }
    return has_surrogate ? 0 : n_bytes;
}

#endif
