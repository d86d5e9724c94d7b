/* SPDX-License-Identifier: MIT */
/* Escape a str of any PEP 393 kind into UTF-8, transcoding and escaping in one pass.
 *
 * A code point becomes a lane of four bytes whose last 1 to 4 are its UTF-8 sequence
 * (0aaaaaaa | 110aaaaa 10bbbbbb | 1110aaaa 10bbbbbb 10cccccc | 11110aaa 10bbbbbb 10cccccc
 * 10dddddd); the used bytes of all lanes are then packed together: by one compression where the
 * level has it, by a shuffle out of a table for each four lanes elsewhere. Text below U+0800 takes
 * lanes of two bytes, ASCII none. A block may have fewer characters than lanes: the rest is zero,
 * packs to one byte a lane, and is taken off the end again. */
#ifndef SSRJSON_TEXT_ESCAPE_UTF8_H
#define SSRJSON_TEXT_ESCAPE_UTF8_H

#include "text/escape.h"
#include "text/utf8_pack_table.h"
#include "text/utf8_triples_table.h"

/* One code point, written bytewise. */
static ALWAYS_INLINE uint8_t *utf8_store_code_point(uint8_t *out, uint32_t c) {
    if (c < 0x80) {
        *out++ = (uint8_t)c;
    } else if (c < 0x800) {
        *out++ = (uint8_t)(0xc0 | c >> 6);
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (uint8_t)(0xe0 | c >> 12);
        *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    } else {
        *out++ = (uint8_t)(0xf0 | c >> 18);
        *out++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    }
    return out;
}

#if defined(SIMD_HAS_SHUFFLE) && !defined(SIMD_HAS_COMPRESS)
#define VEC_GROUPS (VEC_BYTES / 16)

/* Pack each group of sixteen bytes by its row of a table and store the groups behind each other. */
static ALWAYS_INLINE uint8_t *utf8_store_groups(uint8_t *out, u8vec lanes,
                                                const uint8_t table[256][16],
                                                const uint8_t rows[VEC_GROUPS],
                                                const uint8_t n_bytes[VEC_GROUPS]) {
    u8vec index;
    for (int group = 0; group < VEC_GROUPS; group++) {
        memcpy((uint8_t *)&index + 16 * group, table[rows[group]], 16);
    }
    const u8vec packed = u8_shuffle_groups(lanes, index);
    for (int group = 0; group < VEC_GROUPS; group++) {
        memcpy(out, (const uint8_t *)&packed + 16 * group, 16);
        out += n_bytes[group];
    }
    return out;
}
#endif

/* The first n lanes of a block of code points; the others are zero. */
static ALWAYS_INLINE uint8_t *utf8_store_u32(uint8_t *out, u32vec c, size_t n) {
    const size_t n_cut = U32_LANES - n;
#if !defined(SIMD_HAS_SHUFFLE)
    for (int lane = 0; lane < U32_LANES; lane++) {
        out = utf8_store_code_point(out, c[lane]);
    }
    return out - n_cut;
#else
    const u32vec is_two = (u32vec)(c >= u32_splat(0x80));
    const u32vec is_three = (u32vec)(c >= u32_splat(0x800));
    const u32vec is_four = (u32vec)(c >= u32_splat(0x10000));
    /* the last byte keeps all seven bits of an ASCII character */
    const u32vec low_bits_mask = u32_splat(0x7f) ^ (is_two & u32_splat(0x40));
    const u32vec bits = ((c & low_bits_mask) << 24) | ((c << 10) & u32_splat(0x003f0000)) |
                        ((c >> 4) & u32_splat(0x00003f00)) | (c >> 18);
    /* 10...... tags and the lead byte's, each class adding to the one below it */
    const u32vec tags = (is_two & u32_splat(0x80c00000)) ^ (is_three & u32_splat(0x0040e000)) ^
                        (is_four & u32_splat(0x000060f0));
    const u32vec lanes = bits | tags;
#if defined(SIMD_HAS_COMPRESS)
    const uint64_t keep = 0x8888888888888888 | deposit_bits(u32_mask(is_two), 0x4444444444444444) |
                          deposit_bits(u32_mask(is_three), 0x2222222222222222) |
                          deposit_bits(u32_mask(is_four), 0x1111111111111111);
    u8_store(out, u8_compress(keep, (u8vec)lanes));
    return out + count_ones(keep) - n_cut;
#else
    /* each lane's count less one, as two bit planes */
    const uint32_t low_plane = u32_mask((is_two ^ is_three) | is_four);
    const uint32_t high_plane = u32_mask(is_three);
    uint8_t rows[VEC_GROUPS];
    uint8_t n_bytes[VEC_GROUPS];
    for (int group = 0; group < VEC_GROUPS; group++) {
        const uint32_t low = low_plane >> (4 * group) & 15;
        const uint32_t high = high_plane >> (4 * group) & 15;
        rows[group] = (uint8_t)(low | high << 4);
        n_bytes[group] = (uint8_t)(4 + count_ones(low) + 2 * count_ones(high));
    }
    return utf8_store_groups(out, (u8vec)lanes, UTF8_PACK_FOUR, rows, n_bytes) - n_cut;
#endif
#endif
}

/* A block of units below 0x800; lanes of zero give one byte each. */
static ALWAYS_INLINE uint8_t *utf8_store_below_800(uint8_t *out, u16vec c, uint32_t two_mask) {
#if !defined(SIMD_HAS_SHUFFLE)
    (void)two_mask;
    for (int lane = 0; lane < U16_LANES; lane++) {
        out = utf8_store_code_point(out, c[lane]);
    }
    return out;
#else
    const u16vec is_two = (u16vec)(c >= u16_splat(0x80));
    const u16vec pairs = (c >> 6) | ((c & u16_splat(0x3f)) << 8) | u16_splat(0x80c0);
    const u16vec lanes = u16_select(is_two, pairs, c);
#if defined(SIMD_HAS_COMPRESS)
    const uint64_t keep = 0x5555555555555555 | deposit_bits(two_mask, 0xaaaaaaaaaaaaaaaa);
    u8_store(out, u8_compress(keep, (u8vec)lanes));
    return out + count_ones(keep);
#else
    uint8_t rows[VEC_GROUPS];
    uint8_t n_bytes[VEC_GROUPS];
    for (int group = 0; group < VEC_GROUPS; group++) {
        rows[group] = (uint8_t)(two_mask >> (8 * group));
        n_bytes[group] = (uint8_t)(8 + count_ones(rows[group]));
    }
    return utf8_store_groups(out, (u8vec)lanes, UTF8_PACK_TWO, rows, n_bytes);
#endif
#endif
}

#if defined(SIMD_HAS_COMPRESS)
/* Units of three bytes each: every eight bytes of output gather the four units that
 * they can touch and pick six bits for each byte. Twenty-one units fill a vector but for its last
 * byte; the second store begins at the eleventh unit and overlaps the first. */
static ALWAYS_INLINE void utf8_store_triples(uint8_t *out, u16vec c) {
    for (int half = 0; half < 2; half++) {
        const u16vec first =
            (u16vec)u8_load(half ? UTF8_TRIPLES_FROM_ELEVENTH : UTF8_TRIPLES_FROM_FIRST);
        const u16vec gathered = u16_permute(c, first);
        const u8vec six_bits = u8_bits_from(gathered, u8_load(UTF8_TRIPLES_SHIFTS));
        u8_store(out + 33 * half,
                 (six_bits & u8_load(UTF8_TRIPLES_KEEP)) | u8_load(UTF8_TRIPLES_TAGS));
    }
}
#endif

/* The first n lanes of a block of UCS-2 units without surrogates; the others are zero. */
static ALWAYS_INLINE uint8_t *utf8_store_u16(uint8_t *out, u16vec c, size_t n) {
    uint8_t *const start = out;
    const size_t n_cut = U16_LANES - n;
    const uint32_t two_mask = u16_mask((u16vec)(c >= u16_splat(0x80)));
    if (two_mask == 0) {
        const u8half narrow = __builtin_convertvector(c, u8half);
        memcpy(out, &narrow, sizeof narrow);
        return start + n;
    }
    const uint32_t three_mask = u16_mask((u16vec)(c >= u16_splat(0x800)));
    if (three_mask == 0) {
        return utf8_store_below_800(out, c, two_mask) - n_cut;
    }
#if defined(SIMD_HAS_COMPRESS)
    if (three_mask == (uint32_t)low_bits(n)) {
        utf8_store_triples(out, c);
        return start + 3 * n;
    }
#endif
    out = utf8_store_u32(out, u32_from_low_half(c), U32_LANES);
    return utf8_store_u32(out, u32_from_high_half(c), U32_LANES) - n_cut;
}

/* Latin-1: the first n lanes of a block of bytes, as two blocks of units. */
static ALWAYS_INLINE uint8_t *utf8_store_u8(uint8_t *out, u8vec c, size_t n) {
    if (u8_mask((u8vec)(c >= u8_splat(0x80))) == 0) {
        u8_store(out, c);
        return out + n;
    }
    u8half halves[2];
    memcpy(halves, &c, sizeof halves);
    for (int half = 0; half < 2; half++) {
        const u16vec units = __builtin_convertvector(halves[half], u16vec);
        out = utf8_store_below_800(out, units, u16_mask((u16vec)(units >= u16_splat(0x80))));
    }
    return out - (VEC_BYTES - n);
}

static ALWAYS_INLINE uint64_t u8_stops(u8vec c) {
    return u8_mask(u8_needs_escape(c));
}

static ALWAYS_INLINE uint64_t u16_stops(u16vec c) {
    const u16vec is_surrogate = (u16vec)((c & u16_splat(0xf800)) == u16_splat(0xd800));
    return u16_mask(u16_needs_escape(c) | is_surrogate);
}

static ALWAYS_INLINE uint64_t u32_stops(u32vec c) {
    const u32vec is_surrogate = (u32vec)((c & u32_splat(0xfffff800)) == u32_splat(0xd800));
    return u32_mask(u32_needs_escape(c) | is_surrogate);
}

#define SOURCE_BITS 8
#include "text/escape_utf8.tmpl.h"

#define SOURCE_BITS 16
#include "text/escape_utf8.tmpl.h"

#define SOURCE_BITS 32
#include "text/escape_utf8.tmpl.h"

#endif
