/* SPDX-License-Identifier: MIT */
/* Strings of ASCII text and escapes, which `json.dumps` makes of any text by default. They are
 * decoded to units of two bytes, and to code points from the first surrogate pair on. */
#ifndef SSRJSON_DECODE_ESCAPED_ASCII_H
#define SSRJSON_DECODE_ESCAPED_ASCII_H

#include "decode/build_string.h"
#include "decode/decoder.h"
#include "text/unescape.h"
#include "text/scan.h"

/* The number of bytes of a block of text and escapes, and the number of bytes that are read for it:
 * its last escape may end after it, and text is copied 32 bytes at a time. */
#define ESCAPED_BLOCK 64
#define ESCAPED_BLOCK_READ (ESCAPED_BLOCK + 2 * 32)

/* The number of units that one step writes at most. */
#define ESCAPED_ASCII_ROOM 128

/* What a step of reading came to. */
enum escaped_step {
    ESCAPED_GOES_ON,
    ESCAPED_ENDS,          /* the closing quote is at p */
    ESCAPED_HAS_SURROGATE, /* an escape at p needs code points, not units of two bytes */
    ESCAPED_GIVEN_UP,      /* other text, or an error */
};

/* Whether c is half a surrogate pair. */
static ALWAYS_INLINE bool is_surrogate_unit(uint32_t c) {
    return (c & 0xfffff800) == 0xd800;
}

/* Whether a \uXXXX begins at p, well-formed or not. */
static ALWAYS_INLINE bool is_unicode_escape(const uint8_t *p, const uint8_t *end) {
    return end - p >= 2 && p[0] == '\\' && p[1] == 'u';
}

#if defined(SIMD_HAS_HEX_ESCAPES)
/* Whether enough \uXXXX follow each other at p, where a backslash is, to read them as a run. Reads
 * HEX_ESCAPES_READ bytes at most. */
static ALWAYS_INLINE bool is_escape_run(const uint8_t *p) {
    return p[6] == '\\' && p[12] == '\\';
}

typedef uint16_t hex_units __attribute__((vector_size(2 * HEX_ESCAPES)));
typedef uint32_t hex_code_points __attribute__((vector_size(4 * HEX_ESCAPES)));

/* Whether one of the first n units is half a surrogate pair. */
static ALWAYS_INLINE bool hex_units_have_surrogate(hex_units units, size_t n) {
    typedef bool lanes_t __attribute__((ext_vector_type(HEX_ESCAPES)));
    const hex_units is_surrogate = (hex_units)((units & 0xf800) == 0xd800);
    const lanes_t lanes = __builtin_convertvector(is_surrogate, lanes_t);
    uint32_t mask = 0;
    memcpy(&mask, &lanes, sizeof lanes);
    return (mask & low_bits(n)) != 0;
}

/* Read a run of escapes. Returns the number of units that are stored and sets *n_read to the number
 * of escapes; 0 where there is a surrogate. HEX_ESCAPES units are written. */
static ALWAYS_INLINE size_t store_hex_escapes_16(const uint8_t *p, uint16_t *to, size_t *n_read) {
    *n_read = read_hex_escapes(p, to);
    hex_units units;
    memcpy(&units, to, sizeof units);
    return hex_units_have_surrogate(units, *n_read) ? 0 : *n_read;
}

/* Read a run of escapes as code points. Returns the number of code points that are stored and sets
 * *n_read to the number of escapes; 0 where there is a surrogate, unless all are pairs. HEX_ESCAPES
 * code points are written. */
static ALWAYS_INLINE size_t store_hex_escapes_32(const uint8_t *p, uint32_t *to, size_t *n_read) {
    uint16_t read[HEX_ESCAPES];
    *n_read = read_hex_escapes(p, read);
    hex_units units;
    memcpy(&units, read, sizeof units);
    if (!hex_units_have_surrogate(units, *n_read)) {
        const hex_code_points code_points = __builtin_convertvector(units, hex_code_points);
        memcpy(to, &code_points, sizeof code_points);
        return *n_read;
    }
    if (*n_read < HEX_ESCAPES) {
        return 0;
    }
    uint32_t wrong = 0;
    for (size_t i = 0; i < HEX_ESCAPES; i += 2) {
        const uint32_t high = read[i] ^ 0xd800U;
        const uint32_t low = read[i + 1] ^ 0xdc00U;
        wrong |= high | low;
        to[i / 2] = 0x10000 + (high << 10) + low;
    }
    return wrong < 0x400 ? HEX_ESCAPES / 2 : 0;
}
#endif

/* Turn the n units of two bytes in scratch into code points; false with the error recorded. */
static inline bool decoder_widen_scratch(struct decoder *decoder, size_t n) {
    if (!decoder_reserve_scratch(decoder, 2 * n, 2 * n)) {
        return false;
    }
    uint32_t *const wide = decoder->scratch;
    const uint16_t *const narrow = decoder->scratch;
    size_t i = n;
    /* from the end, a whole block before it is overwritten */
    for (; i >= 8; i -= 8) {
        typedef uint32_t u32x8 __attribute__((vector_size(32)));
        u16x8 block;
        memcpy(&block, narrow + i - 8, sizeof block);
        const u32x8 units = __builtin_convertvector(block, u32x8);
        memcpy(wide + i - 8, &units, sizeof units);
    }
    while (i-- > 0) {
        uint16_t unit;
        memcpy(&unit, narrow + i, sizeof unit);
        memcpy(wide + i, &(uint32_t){unit}, sizeof *wide);
    }
    return true;
}

#define TARGET_BITS 32
#include "decode/escaped_ascii.tmpl.h"
#undef TARGET_BITS

#define TARGET_BITS 16
#include "decode/escaped_ascii.tmpl.h"
#undef TARGET_BITS

#endif
