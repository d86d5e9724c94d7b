/* SPDX-License-Identifier: MIT */
/* Characters of JSON's grammar, of any width. */
#ifndef SSRJSON_TEXT_CHARACTERS_H
#define SSRJSON_TEXT_CHARACTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* White space between tokens. */
static ALWAYS_INLINE bool is_space(uint32_t c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static ALWAYS_INLINE bool is_digit(uint32_t c) {
    return c - '0' < 10;
}

static ALWAYS_INLINE bool is_hex_digit(uint32_t c) {
    return is_digit(c) || (c | 0x20) - 'a' < 6;
}

#endif
