/* SPDX-License-Identifier: MIT */
/* Escape a str of any PEP 393 kind into UTF-8, transcoding and escaping in one pass.
 *
 * A code point becomes a lane of four bytes whose last 1 to 4 are its UTF-8 sequence (0aaaaaaa |
 * 110aaaaa 10bbbbbb | 1110aaaa 10bbbbbb 10cccccc | 11110aaa 10bbbbbb 10cccccc 10dddddd); then the
 * used bytes of all lanes are packed together. Text below U+0800 takes lanes of two bytes, plain
 * ASCII none. A character with a letter for its escape is a lane of two bytes too, so that text
 * full of escapes is no slower. */
#ifndef SSRJSON_TEXT_ESCAPE_UTF8_H
#define SSRJSON_TEXT_ESCAPE_UTF8_H

#include "text/escape.h"
#include "simd/pack.h"
#include "text/utf8_shifts_table.h"

/* Store one code point byte by byte. */
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

static ALWAYS_INLINE u8vec u8_is_surrogate(u8vec c) {
    return c ^ c;
}

static ALWAYS_INLINE u16vec u16_is_surrogate(u16vec c) {
    return (u16vec)((c & u16_splat(0xf800)) == u16_splat(0xd800));
}

static ALWAYS_INLINE u32vec u32_is_surrogate(u32vec c) {
    return (u32vec)((c & u32_splat(0xfffff800)) == u32_splat(0xd800));
}

#if defined(SIMD_HAS_SHUFFLE)

/* In all functions below has_escapes is a constant: false where nothing in a block is to be
 * escaped. Otherwise `escaped` has the bits of the units that take a backslash and a letter. Units
 * after the end of the text are zero and take one byte, which is subtracted again. */

#if defined(SIMD_HAS_COMPRESS)
/* Store the lanes of the first n code points. The number of zero bits above a code point tells
 * which bytes it takes and which bits of them are not its own: ones and then a zero in a lead byte,
 * 10 in the others, so that moved left by one they are the tags. What is stored needs few
 * operations, because the CPU does half as many a cycle with vectors of this size; and its end is
 * known before the bytes are, because later loads wait for the address of a store (a label of seven
 * Chinese characters and a digit: 4.2 ns instead of 6.5; Zen 4, 2026-11-26). */
static ALWAYS_INLINE uint8_t *utf8_store_lanes(uint8_t *out, u32vec c, size_t n, bool has_escapes) {
    u32vec foreign = u32_look_up_first(UTF8_LANES_FOREIGN, u32_leading_zeros(c), n);
    const u32vec bits = (u32vec)u8_bits_from((u16vec)c, u8_load(UTF8_LANES_SHIFTS));
    u32vec lanes = (bits & ~foreign) | (u32vec)((u8vec)foreign + (u8vec)foreign);
    if (has_escapes) {
        const u32vec sequences = (u32_escape_letters(c) << 24) | u32_splat((uint32_t)'\\' << 16);
        const u32vec is_escape = (u32vec)(c - 1 < u32_splat(0x1f)) | (u32vec)(c == u32_splat('"')) |
                                 (u32vec)(c == u32_splat('\\'));
        lanes = u32_select(is_escape, sequences, lanes);
        foreign = u32_select(is_escape, u32_splat(0x80800000), foreign);
    }
    const uint64_t keep = u8_mask((u8vec)((i8vec)foreign < 0));
    u8_store(out, u8_compress(keep, (u8vec)lanes));
    return out + count_ones(keep);
}
#else
/* The lanes of code points, below U+10000 where is_ucs2. */
static ALWAYS_INLINE u32vec utf8_lanes(u32vec c, u32vec is_two, u32vec is_three, u32vec is_four,
                                       bool is_ucs2, bool has_escapes) {
    /* the last byte keeps all seven bits of an ASCII character */
    const u32vec bits_mask = u32_splat(0x7f3f3fff) ^ (is_two & u32_splat(0x40000000));
    const u32vec bits = (c << 24 & bits_mask) | (c << 10 & u32_splat(0x003f0000)) |
                        (c >> 4 & u32_splat(0x3f00)) | c >> 18;
    /* 10...... tags and the lead byte's, each class adding to the one below it */
    u32vec tags = (is_two & u32_splat(0x80c00000)) ^ (is_three & u32_splat(0x0040e000));
    if (!is_ucs2) {
        tags ^= is_four & u32_splat(0x000060f0);
    }
    const u32vec lanes = bits | tags;
    if (!has_escapes) {
        return lanes;
    }
    const u32vec sequences = (u32_escape_letters(c) << 24) | u32_splat((uint32_t)'\\' << 16);
    return u32_select(u32_needs_escape(c), sequences, lanes);
}
#endif

/* The lanes of two bytes of units below 0x800, of which the second may be zero. */
static ALWAYS_INLINE u16vec utf8_pairs(u16vec c) {
    const u16vec is_two = (u16vec)(c >= u16_splat(0x80));
#if defined(SIMD_HAS_COMPRESS)
    const u16vec bits = (u16vec)u8_bits_from(c, u8_load(UTF8_PAIRS_SHIFTS)) & u16_splat(0x3fff);
#else
    const u16vec bits = (c >> 6) | ((c & u16_splat(0x3f)) << 8);
#endif
    return u16_select(is_two, bits | u16_splat(0x80c0), c);
}

/* A block of units below 0x800. */
static ALWAYS_INLINE uint8_t *utf8_store_below_800(uint8_t *out, u16vec c, uint32_t two,
                                                   uint32_t escaped, bool has_escapes) {
    u16vec lanes = utf8_pairs(c);
    if (has_escapes) {
        const u16vec sequences = u16_splat('\\') | (u16_escape_letters(c) << 8);
        lanes = u16_select(u16_needs_escape(c), sequences, lanes);
        two |= escaped;
    }
    return pack_two_bytes(out, lanes, two);
}

#if defined(SIMD_HAS_COMPRESS)
/* Units of three bytes each: every eight bytes of output gather the four units that they can
 * contain, and pick six bits for each byte. Twenty-one units fill a vector except for its last
 * byte. */
static ALWAYS_INLINE u8vec utf8_triples(u16vec c, const uint16_t gathers[U16_LANES]) {
    const u16vec gathered = u16_permute(c, (u16vec)u8_load(gathers));
    const u8vec six_bits = u8_bits_from(gathered, u8_load(UTF8_TRIPLES_SHIFTS));
    return (six_bits & u8_load(UTF8_TRIPLES_KEEP)) | u8_load(UTF8_TRIPLES_TAGS);
}

/* Store a block of units of three bytes each: the second store begins at the eleventh unit and
 * overlaps the first. */
static ALWAYS_INLINE void utf8_store_triples(uint8_t *out, u16vec c) {
    u8_store(out, utf8_triples(c, UTF8_TRIPLES_FROM_FIRST));
    u8_store(out + 33, utf8_triples(c, UTF8_TRIPLES_FROM_ELEVENTH));
}
#else
/* Store units of three bytes each: the first two bytes of all and the last byte of all,
 * interleaved. */
static ALWAYS_INLINE void utf8_store_triples(uint8_t *out, u16vec c) {
    const u16vec first_two = (c >> 12) | ((c << 2) & u16_splat(0x3f00)) | u16_splat(0x80e0);
    const u16vec last = (c & u16_splat(0x3f)) | u16_splat(0x80);
    const u8vec low =
        u8_shuffle_groups((u8vec)u16_weave_low(first_two, last), u8_load(UTF8_TRIPLES_WOVEN));
    const u8vec high =
        u8_shuffle_groups((u8vec)u16_weave_high(first_two, last), u8_load(UTF8_TRIPLES_WOVEN));
    for (int group = 0; group < VEC_GROUPS; group++) {
        memcpy(out + 24 * group, (const uint8_t *)&low + 16 * group, 16);
        memcpy(out + 24 * group + 12, (const uint8_t *)&high + 16 * group, 16);
    }
}
#endif

/* Which lanes are units of three bytes. */
static ALWAYS_INLINE u16vec u16_is_triple(u16vec c) {
    return (u16vec)(c >= u16_splat(0x800)) & (u16vec)((c & u16_splat(0xf800)) != u16_splat(0xd800));
}

#if defined(SIMD_HAS_COMPRESS)
#define UTF8_TRIPLES_STEP 21
#else
#define UTF8_TRIPLES_STEP U16_LANES
#endif
#define UTF8_TRIPLES_STEPS 3
/* The number of units that are stored and tested at a time. */
#define UTF8_TRIPLES_RUN (UTF8_TRIPLES_STEPS * UTF8_TRIPLES_STEP)
#define UTF8_TRIPLES_READ (UTF8_TRIPLES_RUN - UTF8_TRIPLES_STEP + U16_LANES)

/* Store a run within long text of three bytes a unit; false, and nothing of use stored, where the
 * run has another unit. */
static ALWAYS_INLINE bool utf8_store_triples_run(uint8_t *out, const uint16_t *from) {
    u16vec run[UTF8_TRIPLES_STEPS]; /* loaded before any is stored: see copy_plain.tmpl.h */
    for (int step = 0; step < UTF8_TRIPLES_STEPS; step++) {
        run[step] = (u16vec)u8_load(from + step * UTF8_TRIPLES_STEP);
    }
    u16vec is_triple = u16_splat(0xffff);
    for (int step = 0; step < UTF8_TRIPLES_STEPS; step++) {
        const u16vec c = run[step];
        is_triple &= u16_is_triple(c);
#if defined(SIMD_HAS_COMPRESS)
        u8_store(out + step * 3 * UTF8_TRIPLES_STEP, utf8_triples(c, UTF8_TRIPLES_FROM_FIRST));
#else
        utf8_store_triples(out + step * 3 * UTF8_TRIPLES_STEP, c);
#endif
    }
    return u16_mask(is_triple) == (uint32_t)low_bits(U16_LANES);
}

/* Store as many such runs as there are in the text and room is for; returns the number of units. */
static ALWAYS_INLINE size_t utf8_store_triples_runs(uint8_t *out, const uint8_t *limit,
                                                    const uint16_t *from, const void *end) {
    size_t n = 0;
    while ((const char *)(from + n + UTF8_TRIPLES_READ) <= (const char *)end &&
           out + 3 * n <= limit && utf8_store_triples_run(out + 3 * n, from + n)) {
        n += UTF8_TRIPLES_RUN;
    }
    return n;
}

/* Store a short run of units of three bytes each; false, and nothing of use stored, where it has
 * another unit. Such units need no check for escapes, and their places depend on n only. */
static ALWAYS_INLINE bool utf8_store_short_triples(uint8_t *out, const uint16_t *from, size_t n) {
    if (n <= U16_LANES) {
        const u16vec c = (u16vec)u8_load_at_least(from, n * sizeof *from);
        utf8_store_triples(out, c);
        return (~u16_mask(u16_is_triple(c)) & low_bits(n)) == 0;
    }
    u16vec is_triple = u16_splat(0xffff);
    for (size_t at = 0;; at = at + U16_LANES < n - U16_LANES ? at + U16_LANES : n - U16_LANES) {
        const u16vec c = (u16vec)u8_load(from + at);
        is_triple &= u16_is_triple(c);
        utf8_store_triples(out + 3 * at, c);
        if (at == n - U16_LANES) {
            return u16_mask(is_triple) == low_bits(U16_LANES);
        }
    }
}

#if defined(SIMD_HAS_COMPRESS)
/* Store the first n units of a block of UCS-2 without surrogates, of one to three bytes each. */
static ALWAYS_INLINE uint8_t *utf8_store_mixed_u16(uint8_t *out, u16vec c, size_t n,
                                                   bool has_escapes) {
    if (n <= U32_LANES) {
        return utf8_store_lanes(out, u32_from_low_half(c), n, has_escapes);
    }
    out = utf8_store_lanes(out, u32_from_low_half(c), U32_LANES, has_escapes);
    return utf8_store_lanes(out, u32_from_high_half(c), n - U32_LANES, has_escapes);
}
#else
/* Store the first n units of a block of UCS-2 without surrogates, of one to three bytes each. The
 * lanes of four bytes, of which the first stays unused, are made in halves: sixteen bits of each.
 */
static ALWAYS_INLINE uint8_t *utf8_store_mixed_u16(uint8_t *out, u16vec c, size_t n,
                                                   bool has_escapes) {
    const u16vec is_two = (u16vec)(c >= u16_splat(0x80));
    const u16vec is_three = (u16vec)(c >= u16_splat(0x800));
    const u16vec first_two = (c >> 4) | u16_splat(0xe000);
    const u16vec tags = u16_splat(0x80c0) ^ (is_three & u16_splat(0x40));
    const u16vec pairs = (c >> 6 & u16_splat(0x3f)) | (c << 8 & u16_splat(0x3f00)) | tags;
    u16vec last_two = u16_select(is_two, pairs, c << 8);
    u16vec more_low = is_two ^ is_three;
    if (has_escapes) {
        const u16vec is_escape = u16_needs_escape(c);
        const u16vec sequences = u16_splat('\\') | (u16_escape_letters(c) << 8);
        last_two = u16_select(is_escape, sequences, last_two);
        more_low |= is_escape & (u16vec)(c != 0); /* zeros are after the end */
    }
    return pack_four_bytes_in_halves(out, first_two, last_two, more_low, is_three) -
           (U16_LANES - n);
}
#endif

/* Store the first n units of a block of UCS-2 without surrogates. Where they are all of one class
 * their end is known without inspecting them, and later loads need not wait for it. */
static ALWAYS_INLINE uint8_t *utf8_store_u16(uint8_t *out, u16vec c, size_t n, uint32_t escaped,
                                             bool has_escapes) {
    const uint32_t two = u16_mask((u16vec)(c >= u16_splat(0x80)));
    if (two == 0 && !has_escapes) {
        const u8half narrow = __builtin_convertvector(c, u8half);
        memcpy(out, &narrow, sizeof narrow);
        return out + n;
    }
    const uint32_t three = u16_mask((u16vec)(c >= u16_splat(0x800)));
    if (three == 0) {
        return utf8_store_below_800(out, c, two, escaped, has_escapes) - (U16_LANES - n);
    }
    if (three == (uint32_t)low_bits(n)) {
        utf8_store_triples(out, c);
        return out + 3 * n;
    }
    return utf8_store_mixed_u16(out, c, n, has_escapes);
}

/* Store the first n units of a block of Latin-1, as two blocks of UCS-2 units. */
static ALWAYS_INLINE uint8_t *utf8_store_u8(uint8_t *out, u8vec c, size_t n, uint64_t escaped,
                                            bool has_escapes) {
    const uint64_t two = u8_mask((u8vec)(c >= u8_splat(0x80)));
    if (two == 0 && !has_escapes) {
        u8_store(out, c);
        return out + n;
    }
    /* not from where the second half ends: later stores need not wait for it */
    uint8_t *const end = out + n + count_ones(two | escaped);
    const uint64_t half = low_bits(U16_LANES);
    out = utf8_store_below_800(out, u16_from_half(c, 0), (uint32_t)(two & half),
                               (uint32_t)(escaped & half), has_escapes);
    if (n > U16_LANES) {
        utf8_store_below_800(out, u16_from_half(c, 1), (uint32_t)(two >> U16_LANES),
                             (uint32_t)(escaped >> U16_LANES), has_escapes);
    }
    return end;
}

#if !defined(SIMD_HAS_COMPRESS)
/* Store a block of UCS-4 units, none a surrogate, of one to four bytes each. */
static ALWAYS_INLINE uint8_t *utf8_store_mixed_u32(uint8_t *out, u32vec c, bool has_escapes) {
    const u32vec is_two = u32_at_least(c, 0x80);
    const u32vec is_three = u32_at_least(c, 0x800);
    const u32vec is_four = u32_at_least(c, 0x10000);
    u32vec more_low = is_two ^ is_three ^ is_four;
    if (has_escapes) {
        more_low |= u32_needs_escape(c) & (u32vec)(c != 0); /* zeros are after the end */
    }
    const u32vec lanes = utf8_lanes(c, is_two, is_three, is_four, false, has_escapes);
    return pack_four_bytes(out, lanes, more_low, is_three);
}
#endif

static ALWAYS_INLINE uint8_t *utf8_store_u32(uint8_t *out, u32vec c, size_t n, uint32_t escaped,
                                             bool has_escapes) {
    const u32vec is_two = u32_at_least(c, 0x80);
    const uint32_t two = u32_mask(is_two);
    if (two == 0 && !has_escapes) { /* most of a text with emoji */
        const u8quarter narrow = __builtin_convertvector(c, u8quarter);
        memcpy(out, &narrow, sizeof narrow);
        return out + n;
    }
    (void)escaped;
#if defined(SIMD_HAS_COMPRESS)
    return utf8_store_lanes(out, c, n, has_escapes);
#else
    return utf8_store_mixed_u32(out, c, has_escapes) - (U32_LANES - n);
#endif
}

#if !defined(SIMD_HAS_COMPRESS)
/* Store as many units of UCS-4 as a block of UCS-2 has; as UCS-2 where they are of few classes,
 * which is half the work. Not wherever they could be: in a text with emoji the CPU cannot predict
 * which blocks those are. NULL, and nothing stored, where a unit needs more than to be transcoded.
 */
static ALWAYS_INLINE uint8_t *utf8_store_two_u32(uint8_t *out, const uint32_t *from) {
    const u32vec first = (u32vec)u8_load(from);
    const u32vec second = (u32vec)u8_load(from + U32_LANES);
    const u32vec any = first | second;
    if (u8_places((u8vec)u32_at_least(any, 0x800)) == 0) {
        const u16vec c = u16_narrow(first, second);
        if (UNLIKELY(u8_places((u8vec)u16_needs_escape(c)) != 0)) {
            return NULL;
        }
        const uint32_t two = u16_mask((u16vec)(c >= u16_splat(0x80)));
        return utf8_store_below_800(out, c, two, 0, false);
    }
    const u32vec least = __builtin_elementwise_min(first, second);
    if (u8_places((u8vec)(u32_at_least(any, 0x10000) | ~u32_at_least(least, 0x800))) == 0) {
        const u16vec c = u16_narrow(first, second);
        if (UNLIKELY(u8_places((u8vec)u16_is_surrogate(c)) != 0)) {
            return NULL;
        }
        utf8_store_triples(out, c);
        return out + 3 * U16_LANES;
    }
    const u32vec is_special = u32_needs_escape(first) | u32_is_surrogate(first) |
                              u32_needs_escape(second) | u32_is_surrogate(second);
    if (UNLIKELY(u8_places((u8vec)is_special) != 0)) {
        return NULL;
    }
    out = utf8_store_mixed_u32(out, first, false);
    return utf8_store_mixed_u32(out, second, false);
}
#endif

#endif

#define SOURCE_BITS 8
#include "text/escape_utf8.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/escape_utf8.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/escape_utf8.tmpl.h"
#undef SOURCE_BITS

#endif
