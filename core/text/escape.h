/* SPDX-License-Identifier: MIT */
/* The characters that JSON text escapes, and their escapes. */
#ifndef SSRJSON_TEXT_ESCAPE_H
#define SSRJSON_TEXT_ESCAPE_H

#include "simd/simd.h"
#include "text/escape_tables.h"

/* The text kernels read a run of a str and write escaped text until the run ends, `limit` is
 * passed, or (to UTF-8 only) a surrogate stops them. They return the place where they stopped. A
 * kernel starts a block only while *out <= limit, and a block with all its escapes takes fewer than
 * TEXT_BLOCK_ROOM units, so a writer keeps that much room after limit. */
#define TEXT_BLOCK_ROOM 512

/* Quotes and backslashes. */
static ALWAYS_INLINE u8vec u8_is_quoting(u8vec vec) {
#if defined(SIMD_HAS_SHUFFLE) && VEC_BYTES < 64
    return (u8vec)(u8_look_up_low_half(u8_load(QUOTING), vec) == vec); /* both at once */
#else
    return (u8vec)(vec == u8_splat('"')) | (u8vec)(vec == u8_splat('\\'));
#endif
}

static ALWAYS_INLINE u16vec u16_is_quoting(u16vec vec) {
    return (u16vec)(vec == u16_splat('"')) | (u16vec)(vec == u16_splat('\\'));
}

static ALWAYS_INLINE u32vec u32_is_quoting(u32vec vec) {
    return (u32vec)(vec == u32_splat('"')) | (u32vec)(vec == u32_splat('\\'));
}

/* ---- distances: zero in the lanes of some characters, and in no others ----------------------- */

/* From quotes and backslashes. */
static ALWAYS_INLINE u8vec u8_quoting_distance(u8vec vec) {
#if defined(SIMD_HAS_SHUFFLE)
    return u8_look_up_low_half(u8_load(QUOTING), vec) ^ vec;
#else
    return __builtin_elementwise_min(vec ^ u8_splat('"'), vec ^ u8_splat('\\'));
#endif
}

static ALWAYS_INLINE u16vec u16_quoting_distance(u16vec vec) {
    return __builtin_elementwise_min(vec ^ u16_splat('"'), vec ^ u16_splat('\\'));
}

/* From all that is to be escaped. With AVX-512 a condition goes through a mask register, which
 * takes as long as several other operations: to find a short str plain, one condition instead of
 * three takes 0.85 of the time (Zen 4). */

static ALWAYS_INLINE u8vec u8_escape_distance(u8vec vec) {
    return __builtin_elementwise_min(u8_quoting_distance(vec),
                                     __builtin_elementwise_sub_sat(vec, u8_splat(0x1f)));
}

static ALWAYS_INLINE u8x16 u8x16_escape_distance(u8x16 vec) {
    const u8x16 quoting = __builtin_elementwise_min(vec ^ '"', vec ^ '\\');
    return __builtin_elementwise_min(quoting,
                                     __builtin_elementwise_sub_sat(vec, (u8x16){0} + 0x1f));
}

static ALWAYS_INLINE u8half u8half_escape_distance(u8half vec) {
    const u8half quoting = __builtin_elementwise_min(vec ^ '"', vec ^ '\\');
    return __builtin_elementwise_min(quoting,
                                     __builtin_elementwise_sub_sat(vec, (u8half){0} + 0x1f));
}

static ALWAYS_INLINE u16half u16half_escape_distance(u16half vec) {
    const u16half quoting = __builtin_elementwise_min(vec ^ '"', vec ^ '\\');
    return __builtin_elementwise_min(quoting,
                                     __builtin_elementwise_sub_sat(vec, (u16half){0} + 0x1f));
}

static ALWAYS_INLINE u16vec u16_escape_distance(u16vec vec) {
    return __builtin_elementwise_min(u16_quoting_distance(vec),
                                     __builtin_elementwise_sub_sat(vec, u16_splat(0x1f)));
}

static ALWAYS_INLINE u32vec u32_escape_distance(u32vec vec) {
    const u32vec quoting = __builtin_elementwise_min(vec ^ u32_splat('"'), vec ^ u32_splat('\\'));
    return __builtin_elementwise_min(quoting, vec >> 5);
}

/* ---- the lanes that are to be escaped -------------------------------------------------------- */

#if defined(SIMD_HAS_COMPRESS)
static ALWAYS_INLINE u8vec u8_needs_escape(u8vec vec) {
    return (u8vec)(u8_escape_distance(vec) == u8_splat(0));
}

static ALWAYS_INLINE u8x16 u8x16_needs_escape(u8x16 vec) {
    return (u8x16)(u8x16_escape_distance(vec) == 0);
}

static ALWAYS_INLINE u8half u8half_needs_escape(u8half vec) {
    return (u8half)(u8half_escape_distance(vec) == 0);
}

static ALWAYS_INLINE u16vec u16_needs_escape(u16vec vec) {
    return (u16vec)(u16_escape_distance(vec) == u16_splat(0));
}

/* Lanes after the end of a text may be beyond 2^31, too; what is found of them is ignored. */
static ALWAYS_INLINE u32vec u32_needs_escape(u32vec vec) {
    return (u32vec)(u32_escape_distance(vec) == u32_splat(0));
}
#else
static ALWAYS_INLINE u8vec u8_needs_escape(u8vec vec) {
    return (u8vec)(vec < u8_splat(0x20)) | u8_is_quoting(vec);
}

static ALWAYS_INLINE u8x16 u8x16_needs_escape(u8x16 vec) {
    return (u8x16)(vec < 0x20) | (u8x16)(vec == '"') | (u8x16)(vec == '\\');
}

static ALWAYS_INLINE u8half u8half_needs_escape(u8half vec) {
    return (u8half)(vec < 0x20) | (u8half)(vec == '"') | (u8half)(vec == '\\');
}

static ALWAYS_INLINE u16vec u16_needs_escape(u16vec vec) {
    return (u16vec)(vec < u16_splat(0x20)) | u16_is_quoting(vec);
}

/* Lanes after the end of a text may be beyond 2^31, too; what is found of them is ignored. */
static ALWAYS_INLINE u32vec u32_needs_escape(u32vec vec) {
    return ~u32_at_least(vec, 0x20) | u32_is_quoting(vec);
}
#endif

static ALWAYS_INLINE u8part u8part_needs_escape(u8part vec) {
#if VEC_BYTES == 64
    return u8half_needs_escape(vec);
#else
    return u8_needs_escape(vec);
#endif
}

static ALWAYS_INLINE struct u8x32s u8x32s_needs_escape(struct u8x32s vec) {
    for (int i = 0; i < PARTS_OF_32; i++) {
        vec.parts[i] = u8part_needs_escape(vec.parts[i]);
    }
    return vec;
}

/* ---- pieces of four vectors: the lanes of which one needs an escape -------------------------- */

/* With lanes of 32 bits distances are slower here. */

static ALWAYS_INLINE u8vec u8_piece_needs_escape(const u8vec piece[4]) {
    u8vec distance = u8_quoting_distance(piece[0]);
    u8vec lowest = piece[0];
    for (int i = 1; i < 4; i++) {
        distance = __builtin_elementwise_min(distance, u8_quoting_distance(piece[i]));
        lowest = __builtin_elementwise_min(lowest, piece[i]);
    }
    return (u8vec)(distance == u8_splat(0)) | (u8vec)(lowest < u8_splat(0x20));
}

static ALWAYS_INLINE u16vec u16_piece_needs_escape(const u16vec piece[4]) {
    u16vec distance = u16_quoting_distance(piece[0]);
    u16vec lowest = piece[0];
    for (int i = 1; i < 4; i++) {
        distance = __builtin_elementwise_min(distance, u16_quoting_distance(piece[i]));
        lowest = __builtin_elementwise_min(lowest, piece[i]);
    }
    return (u16vec)(distance == u16_splat(0)) | (u16vec)(lowest < u16_splat(0x20));
}

static ALWAYS_INLINE u32vec u32_piece_needs_escape(const u32vec piece[4]) {
    u32vec special = u32_is_quoting(piece[0]);
    u32vec lowest = piece[0];
    for (int i = 1; i < 4; i++) {
        special |= u32_is_quoting(piece[i]);
        lowest = __builtin_elementwise_min(lowest, piece[i]);
    }
    return special | (u32vec)(lowest < u32_splat(0x20));
}

/* As u8_piece_needs_escape, and the lanes of which one is not ASCII. */
static ALWAYS_INLINE u8vec u8_piece_is_special(const u8vec piece[4]) {
    u8vec distance = u8_quoting_distance(piece[0]);
    i8vec lowest = (i8vec)piece[0]; /* negative where it is not ASCII */
    for (int i = 1; i < 4; i++) {
        distance = __builtin_elementwise_min(distance, u8_quoting_distance(piece[i]));
        lowest = __builtin_elementwise_min(lowest, (i8vec)piece[i]);
    }
    return (u8vec)(distance == u8_splat(0)) | (u8vec)(lowest < (i8vec)u8_splat(0x20));
}

static ALWAYS_INLINE bool is_escaped(uint32_t c) {
    return c < 0x20 || c == '"' || c == '\\';
}

#if defined(SIMD_HAS_SHUFFLE)
/* For a control character the letter of its escape, 0 where it has none; any other unit unchanged.
 * After a backslash, the result is what is written for a unit to escape. */

static ALWAYS_INLINE u8vec u8_escape_letters(u8vec vec) {
    const u8vec letters = u8_look_up(u8_load(ESCAPE_LETTERS), vec);
    const u8vec is_control = (u8vec)(vec < u8_splat(0x20));
    return (is_control & letters) | (~is_control & vec);
}

static ALWAYS_INLINE u16vec u16_escape_letters(u16vec vec) {
    const u16vec letters = (u16vec)u8_look_up(u8_load(ESCAPE_LETTERS), (u8vec)vec);
    return u16_select((u16vec)(vec < u16_splat(0x20)), letters, vec);
}

static ALWAYS_INLINE u32vec u32_escape_letters(u32vec vec) {
    const u32vec letters = (u32vec)u8_look_up(u8_load(ESCAPE_LETTERS), (u8vec)vec);
    return u32_select((u32vec)(vec < u32_splat(0x20)), letters, vec);
}
#endif

/* Store the sequence for c < 256, eight bytes with those after the sequence, and return its end. */
static ALWAYS_INLINE uint8_t *store_escape(uint8_t *out, uint8_t c) {
    const uint64_t sequence = ESCAPE_TABLE[c];
    memcpy(out, &sequence, sizeof sequence);
    return out + (sequence >> 56);
}

/* \uXXXX, lower-case digits. */
static ALWAYS_INLINE uint8_t *store_hex_escape(uint8_t *out, uint16_t unit) {
    /* nibbles into bytes, the highest first in memory */
    const uint32_t nibbles = ((uint32_t)unit >> 12) | ((uint32_t)(unit >> 8 & 15) << 8) |
                             ((uint32_t)(unit >> 4 & 15) << 16) | ((uint32_t)(unit & 15) << 24);
    const uint32_t is_letter = (nibbles + 0x06060606) >> 4 & 0x01010101;
    const uint32_t digits = nibbles + 0x30303030 + is_letter * ('a' - '0' - 10);
    out[0] = '\\';
    out[1] = 'u';
    memcpy(out + 2, &digits, 4);
    return out + 6;
}

/* \uXXXX for each of eight units, and two bytes after it, the first in a lane's lowest byte. */
static ALWAYS_INLINE void hex_escapes_of_eight(const uint16_t *units, uint64_t *sequences) {
    typedef uint32_t u32x8 __attribute__((vector_size(32)));
    typedef uint64_t u64x8 __attribute__((vector_size(64)));
    u16x8 loaded;
    memcpy(&loaded, units, sizeof loaded);
    const u32x8 wide = __builtin_convertvector(loaded, u32x8);
    const u32x8 nibbles =
        wide >> 12 | (wide & 0x0f00) | (wide << 12 & 0x0f0000) | (wide << 24 & 0x0f000000);
    const u32x8 is_letter = (nibbles + 0x06060606) >> 4 & 0x01010101;
    const u32x8 digits = nibbles + 0x30303030 + is_letter * ('a' - '0' - 10);
    const u64x8 texts = __builtin_convertvector(digits, u64x8) << 16 | ('u' << 8 | '\\');
    memcpy(sequences, &texts, sizeof texts);
}

/* One code point as ASCII text: itself, its sequence, or one or two \uXXXX. */
static ALWAYS_INLINE uint8_t *store_ascii_escape(uint8_t *out, uint32_t c) {
    if (c < 0x7f) {
        return store_escape(out, (uint8_t)c);
    }
    if (c < 0x10000) {
        return store_hex_escape(out, (uint16_t)c);
    }
    out = store_hex_escape(out, (uint16_t)(0xd7c0 + (c >> 10)));
    return store_hex_escape(out, (uint16_t)(0xdc00 + (c & 0x3ff)));
}

#endif
