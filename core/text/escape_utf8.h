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
#include "simd/compress.h"
#include "text/transcoding_tables.h"

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
 * known before the bytes are, because later loads stall until the address of a store is known (a
 * label of seven Chinese characters and a digit: 4.2 ns instead of 6.5; Zen 4, 2026-11-26). */
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
    u16vec run[UTF8_TRIPLES_STEPS]; /* loaded before any is stored: see long_text.tmpl.h */
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
 * their end is known without inspecting them, and later loads do not stall on it. */
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
    /* not from where the second half ends: the address of later stores is known earlier */
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
    const u32vec lowest = __builtin_elementwise_min(first, second);
    if (u8_places((u8vec)(u32_at_least(any, 0x10000) | ~u32_at_least(lowest, 0x800))) == 0) {
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

/* ---- plain text ---------------------------------------------------------------------------- */

/* Transcode a str into UTF-8 from its beginning, as far as nothing in it is to be escaped: that is
 * nearly always the whole of it. The kernels above go on where these functions stop.
 *
 * Each function returns the number of units that it stored, n or fewer, and sets *out to their end.
 * It stores less than PLAIN_UTF8_ROOM(n) bytes. */

/* Longer texts are written by the kernels that ask for room. */
#define PLAIN_UTF8_UNITS 1024
#define PLAIN_UTF8_ROOM(n) (4 * (n) + 2 * VEC_BYTES)
/* So many units fit into the room of a block. */
#define PLAIN_UTF8_SHORT_UNITS 64
_Static_assert(PLAIN_UTF8_ROOM(PLAIN_UTF8_SHORT_UNITS) <= TEXT_BLOCK_ROOM, "no test of room");

#if defined(SIMD_HAS_COMPRESS)
/* Which bytes below 0x80 are to be escaped; others by their low seven bits. */
static ALWAYS_INLINE u8vec u8_escape_flags(u8vec bytes) {
    return (u8vec)((i8vec)u8_look_up_ascii(ASCII_ESCAPES, bytes) < 0);
}

/* A short text of Latin-1, n <= U16_LANES, is one vector of lanes of two bytes. */
static ALWAYS_INLINE size_t plain_utf8_short_8(const uint8_t *from, size_t n, uint8_t **out) {
    assert(n <= U16_LANES);
    const u8half c = (u8half)u8part_load_first(from, n);
    if (UNLIKELY((u8half_mask(u8half_needs_escape(c)) & low_bits(n)) != 0)) {
        return 0;
    }
    pack_nonzero_bytes(*out, (u8vec)utf8_pairs(__builtin_convertvector(c, u16vec)));
    *out += n + count_ones(u8half_mask((u8half)(c >= 0x80)));
    return n;
}

static ALWAYS_INLINE size_t plain_utf8_blocks_8(const uint8_t *from, size_t n, uint8_t **out) {
    uint8_t *to = *out;
    size_t at = 0;
    while (at < n) {
        const size_t n_units = n - at < VEC_BYTES ? n - at : VEC_BYTES;
        const u8vec c = u8_load_first(from + at, n_units);
        const uint64_t two = u8_mask((u8vec)(c >= u8_splat(0x80)));
        const uint64_t special = u8_mask(u8_escape_flags(c)) & ~two;
        if (UNLIKELY((special & low_bits(n_units)) != 0)) {
            break;
        }
        to = utf8_store_u8(to, c, n_units, 0, false);
        at += n_units;
    }
    *out = to;
    return at;
}

/* Latin-1. */
static ALWAYS_INLINE size_t plain_utf8_8(const uint8_t *from, size_t n, uint8_t **out) {
    return n <= U16_LANES ? plain_utf8_short_8(from, n, out) : plain_utf8_blocks_8(from, n, out);
}

/* Blocks of 64 units of UCS-2 below U+0800, as long as there are such. */
static ALWAYS_INLINE size_t plain_utf8_pairs(const uint16_t *from, size_t n, uint8_t **out) {
    uint8_t *to = *out;
    size_t at = 0;
    while (n - at >= 2 * U16_LANES) {
        const u16vec first = (u16vec)u8_load(from + at);
        const u16vec second = (u16vec)u8_load(from + at + U16_LANES);
        if (u16_mask((u16vec)((first | second) >= u16_splat(0x800))) != 0) {
            break;
        }
        const u8vec narrow = u16_saturated_by_turns(first, second);
        const u8vec is_special = u8_escape_flags(narrow) & (u8vec)(narrow < u8_splat(0x80));
        if (UNLIKELY(u8_mask(is_special) != 0)) {
            break;
        }
        to =
            utf8_store_below_800(to, first, u16_mask((u16vec)(first >= u16_splat(0x80))), 0, false);
        to = utf8_store_below_800(to, second, u16_mask((u16vec)(second >= u16_splat(0x80))), 0,
                                  false);
        at += 2 * U16_LANES;
    }
    *out = to;
    return at;
}

/* Whether a str of UCS-2 is one for plain_utf8_short_16 rather than for plain_utf8_16. */
static ALWAYS_INLINE bool plain_utf8_is_short(const uint16_t *from, size_t n) {
    (void)from;
    return n <= U32_LANES;
}

/* A short text of UCS-2 is one vector: of lanes of two bytes where no unit takes more, otherwise of
 * four. Most of those with a unit of three bytes have no others, and need no packing. */
static ALWAYS_INLINE size_t plain_utf8_short_16(const uint16_t *from, size_t n, uint8_t **out) {
    const u16half c = (u16half)u8part_load_first(from, n * sizeof *from);
    const u16half distance = __builtin_elementwise_min(
        u16half_escape_distance(c), (u16half)((c & 0xf800) ^ 0xd800)); /* and from surrogates */
    if (UNLIKELY((u16half_mask((u16half)(distance == 0)) & low_bits(n)) != 0)) {
        return 0;
    }
    const uint32_t three = u16half_mask((u16half)(c >= 0x800));
    if (three == 0) {
        pack_nonzero_bytes(*out, (u8vec)utf8_pairs(u16_from_u16half(c)));
        *out += n + count_ones(u16half_mask((u16half)(c >= 0x80)));
    } else if (three == (uint32_t)low_bits(n)) {
        u8_store(*out, utf8_triples(u16_from_u16half(c), UTF8_TRIPLES_FROM_FIRST));
        *out += 3 * n;
    } else {
        *out = utf8_store_lanes(*out, __builtin_convertvector(c, u32vec), n, false);
    }
    return n;
}

/* UCS-2. */
static ALWAYS_INLINE size_t plain_utf8_16(const uint16_t *from, size_t n, uint8_t **out) {
    uint8_t *to = *out;
    size_t at = plain_utf8_pairs(from, n, &to);
    while (at < n) {
        const size_t n_units = n - at < U16_LANES ? n - at : U16_LANES;
        const uint32_t inside = (uint32_t)low_bits(n_units);
        const u16vec c = (u16vec)u8_load_first(from + at, n_units * sizeof *from);
        const uint32_t three = u16_mask((u16vec)(c >= u16_splat(0x800)));
        if (three == inside) { /* no comparison with what JSON escapes */
            if (UNLIKELY(u16_mask(u16_is_surrogate(c)) != 0)) {
                break;
            }
            utf8_store_triples(to, c);
            to += 3 * n_units;
            at += n_units;
            continue;
        }
        const u8half narrow = u16_saturated_bytes(c);
        if (UNLIKELY((u8half_mask(u8half_needs_escape(narrow)) & inside) != 0)) {
            break;
        }
        if (three == 0) {
            const uint32_t two = u16_mask((u16vec)(c >= u16_splat(0x80)));
            to = utf8_store_below_800(to, c, two, 0, false) - (U16_LANES - n_units);
        } else {
            if (UNLIKELY(u16_mask(u16_is_surrogate(c)) != 0)) {
                break;
            }
            to = utf8_store_mixed_u16(to, c, n_units, false);
        }
        at += n_units;
    }
    *out = to;
    return at;
}

/* Store two blocks of UCS-4: their end, or NULL, and nothing of use stored, where something in them
 * is to be escaped. */
static ALWAYS_INLINE uint8_t *plain_utf8_two_u32(uint8_t *out, const uint32_t *from) {
    const u32vec first = (u32vec)u8_load(from);
    const u32vec second = (u32vec)u8_load(from + U32_LANES);
    if (u32_mask((u32vec)((first | second) >= u32_splat(0x80))) == 0) {
        const u8x16 narrow[2] = {u32_saturated_bytes(first), u32_saturated_bytes(second)};
        memcpy(out, narrow, sizeof narrow);
        const u8x16 is_special = u8x16_needs_escape(narrow[0]) | u8x16_needs_escape(narrow[1]);
        return LIKELY(u8x16_mask(is_special) == 0) ? out + 2 * U32_LANES : NULL;
    }
    const u32vec is_special = u32_needs_escape(first) | u32_is_surrogate(first) |
                              u32_needs_escape(second) | u32_is_surrogate(second);
    out = utf8_store_lanes(out, first, U32_LANES, false);
    out = utf8_store_lanes(out, second, U32_LANES, false);
    return LIKELY(u32_mask(is_special) == 0) ? out : NULL;
}

/* UCS-4. Most of a text with emoji is ASCII, but the CPU can hardly predict which block is. So they
 * are asked in pairs, and not at all where there are few. */
static ALWAYS_INLINE size_t plain_utf8_32(const uint32_t *from, size_t n, uint8_t **out) {
    uint8_t *to = *out;
    size_t at = 0;
    while (n - at > 4 * U32_LANES) {
        uint8_t *const after = plain_utf8_two_u32(to, from + at);
        if (UNLIKELY(after == NULL)) {
            break;
        }
        to = after;
        at += 2 * U32_LANES;
    }
    while (at < n) {
        const size_t n_units = n - at < U32_LANES ? n - at : U32_LANES;
        const u32vec c = (u32vec)u8_load_first(from + at, n_units * sizeof *from);
        const u32vec is_special = u32_needs_escape(c) | u32_is_surrogate(c);
        if (UNLIKELY((u32_mask(is_special) & low_bits(n_units)) != 0)) {
            break;
        }
        to = utf8_store_lanes(to, c, n_units, false);
        at += n_units;
    }
    *out = to;
    return at;
}

#elif defined(SIMD_HAS_SHUFFLE)

/* Latin-1. */
static ALWAYS_INLINE size_t plain_utf8_8(const uint8_t *from, size_t n, uint8_t **out) {
    return plain_utf8_blocks_8(from, n, out);
}

static ALWAYS_INLINE bool plain_utf8_is_short(const uint16_t *from, size_t n) {
    return n <= PLAIN_UTF8_SHORT_UNITS && *from >= 0x800;
}

/* UCS-2 whose units take different numbers of bytes. */
static NOINLINE size_t plain_utf8_mixed_16(const uint16_t *from, size_t n, uint8_t **out) {
    return plain_utf8_blocks_16(from, n, out);
}

/* A short text of UCS-2 whose units are mostly of three bytes. */
static ALWAYS_INLINE size_t plain_utf8_short_16(const uint16_t *from, size_t n, uint8_t **out) {
    if (UNLIKELY(!utf8_store_short_triples(*out, from, n))) {
        return plain_utf8_mixed_16(from, n, out);
    }
    *out += 3 * n;
    return n;
}

/* UCS-2: runs of units of three bytes each, or else up to the first block with one such unit. */
static ALWAYS_INLINE size_t plain_utf8_16(const uint16_t *from, size_t n, uint8_t **out) {
    uint8_t *to = *out;
    if (*from >= 0x800) {
        const size_t n_stored = utf8_store_triples_runs(to, to + 4 * n, from, from + n);
        *out = to + 3 * n_stored;
        return n_stored;
    }
    size_t at = 0;
    while (at < n) {
        const size_t n_units = n - at < U16_LANES ? n - at : U16_LANES;
        const u16vec c = n_units == U16_LANES
                             ? (u16vec)u8_load(from + at)
                             : (u16vec)u8_load_first(from + at, n_units * sizeof *from);
        const u16vec is_special = u16_needs_escape(c) | (u16vec)(c >= u16_splat(0x800));
        if (UNLIKELY((u16_mask(is_special) & low_bits(n_units)) != 0)) {
            break;
        }
        const uint32_t two = u16_mask((u16vec)(c >= u16_splat(0x80)));
        to = utf8_store_below_800(to, c, two, 0, false) - (U16_LANES - n_units);
        at += n_units;
    }
    *out = to;
    return at;
}

/* UCS-4. */
static ALWAYS_INLINE size_t plain_utf8_32(const uint32_t *from, size_t n, uint8_t **out) {
    size_t at = 0;
    while (n - at >= U16_LANES) {
        uint8_t *const after = utf8_store_two_u32(*out, from + at);
        if (UNLIKELY(after == NULL)) {
            return at;
        }
        *out = after;
        at += U16_LANES;
    }
    return at + plain_utf8_blocks_32(from + at, n - at, out);
}

#else
static ALWAYS_INLINE bool plain_utf8_is_short(const uint16_t *from, size_t n) {
    (void)from;
    (void)n;
    return false;
}

static ALWAYS_INLINE size_t plain_utf8_short_16(const uint16_t *from, size_t n, uint8_t **out) {
    (void)from;
    (void)n;
    (void)out;
    return 0;
}

static ALWAYS_INLINE size_t plain_utf8_16(const uint16_t *from, size_t n, uint8_t **out) {
    (void)from;
    (void)n;
    (void)out;
    return 0;
}

static ALWAYS_INLINE size_t plain_utf8_8(const uint8_t *from, size_t n, uint8_t **out) {
    (void)from;
    (void)n;
    (void)out;
    return 0;
}

static ALWAYS_INLINE size_t plain_utf8_32(const uint32_t *from, size_t n, uint8_t **out) {
    (void)from;
    (void)n;
    (void)out;
    return 0;
}
#endif

/* Escape a run of units of unit_bytes each, as the kernels of escape_utf8.h do: returns the place
 * where it stopped, at the end, at a surrogate, or because `limit` was passed. */
static NOINLINE const char *escape_utf8_run(const char *from, const char *const end, int unit_bytes,
                                            uint8_t **out, const uint8_t *const limit) {
    ALIGN_FRAME_TO_VECTORS();
    return unit_bytes == 1   ? (const char *)escape_utf8_8((const uint8_t *)from,
                                                           (const uint8_t *)end, out, limit)
           : unit_bytes == 2 ? (const char *)escape_utf8_16((const uint16_t *)from,
                                                            (const uint16_t *)end, out, limit)
                             : (const char *)escape_utf8_32((const uint32_t *)from,
                                                            (const uint32_t *)end, out, limit);
}

#if defined(SIMD_HAS_COMPRESS)
#define ESCAPED_FEW_UNITS 64
#define ESCAPED_MANY_UNITS 4096

/* As escape_utf8_run: what is plain is stored without a look at each block. After something to be
 * escaped a few units are escaped, and more each time while there is nothing plain in between. */
static NOINLINE const char *write_utf8_run(const char *from, const char *const end, int unit_bytes,
                                           uint8_t **out, const uint8_t *const limit) {
    size_t n_escaped = ESCAPED_FEW_UNITS;
    while (from < end && *out <= limit) {
        if (unit_bytes == 2) {
            const size_t n = utf8_store_triples_runs(*out, limit, (const void *)from, end);
            *out += 3 * n;
            from += 2 * n;
        }
        const size_t n_left = (size_t)(end - from) / (size_t)unit_bytes;
        const size_t n_fitting =
            ((size_t)(limit - *out) + TEXT_BLOCK_ROOM - PLAIN_UTF8_ROOM(0)) / 4;
        const size_t n_max = n_fitting < PLAIN_UTF8_UNITS ? n_fitting : PLAIN_UTF8_UNITS;
        const size_t n = n_left < n_max ? n_left : n_max;
        const size_t n_plain = unit_bytes == 1 ? plain_utf8_blocks_8((const uint8_t *)from, n, out)
                               : unit_bytes == 2 ? plain_utf8_16((const uint16_t *)from, n, out)
                                                 : plain_utf8_32((const uint32_t *)from, n, out);
        from += n_plain * (size_t)unit_bytes;
        if (n_plain == n) {
            continue;
        }
        n_escaped = n_plain != 0                     ? ESCAPED_FEW_UNITS
                    : n_escaped < ESCAPED_MANY_UNITS ? 2 * n_escaped
                                                     : n_escaped;
        const size_t n_more = n_left - n_plain < n_escaped ? n_left - n_plain : n_escaped;
        const char *const stop = from + n_more * (size_t)unit_bytes;
        from = escape_utf8_run(from, stop, unit_bytes, out, limit);
        if (UNLIKELY(from < stop)) {
            break;
        }
    }
    return from;
}
#else
#define write_utf8_run escape_utf8_run
#endif

#endif
