/* SPDX-License-Identifier: MIT */
/* UTF-8 to the units of a str whose kind and length are known, checked at the same time.
 *
 * Well-formed is what Python's "surrogatepass" accepts: shortest sequences up to U+10FFFF,
 * including encoded surrogates. For every byte of a block, the unit that would end there is
 * computed from it and the three bytes before it, whatever the lengths of the sequences. Then the
 * units of the bytes that do end one are moved together.
 *
 * A block has at most 32 bytes, with AVX-512, too. Most strings are shorter than that, and take 0.8
 * of the time of a block of 64 bytes on Zen 4; those of a megabyte take up to 1.08 of it. */
#ifndef SSRJSON_TEXT_DECODE_UTF8_H
#define SSRJSON_TEXT_DECODE_UTF8_H

#include "simd/compress.h"

/* The number of code points in n bytes of well-formed UTF-8: the bytes that are no continuation
 * bytes. */
static inline size_t utf8_count_code_points(const uint8_t *from, size_t n) {
    size_t count = 0;
    while (n > 0) {
        /* byte counters that cannot overflow, so that the loop vectorises on bytes */
        const size_t n_block = n < 255 ? n : 255;
        uint8_t n_leads = 0;
        VECTORIZED
        for (size_t i = 0; i < n_block; i++) {
            n_leads += (int8_t)from[i] > (int8_t)0xbf;
        }
        count += n_leads;
        from += n_block;
        n -= n_block;
    }
    return count;
}

/* Lanes that continue a sequence, 10xxxxxx. */
static ALWAYS_INLINE u8part utf8_is_continuation(u8part bytes) {
    return (u8part)((i8part)bytes < (i8part)u8part_splat(0xc0));
}

/* The bytes of a block, and for each of them the ones that are one, two and three bytes before
 * it. */
struct utf8_context {
    u8part bytes;
    u8part before1;
    u8part before2;
    u8part before3;
    u8part is_continuation;
};

static ALWAYS_INLINE struct utf8_context utf8_context(u8part bytes, u8part before) {
    return (struct utf8_context){
        .bytes = bytes,
        .before1 = u8part_shift_in(bytes, before, 1),
        .before2 = u8part_shift_in(bytes, before, 2),
        .before3 = u8part_shift_in(bytes, before, 3),
        .is_continuation = utf8_is_continuation(bytes),
    };
}

/* Lanes with their highest bit set where a lead byte before asks for a continuation byte: up to
 * `longest` bytes a sequence. */
static ALWAYS_INLINE u8part utf8_wants_continuation(const struct utf8_context *context,
                                                    int longest) {
    u8part wants = __builtin_elementwise_sub_sat(context->before1, u8part_splat(0xc0 - 0x80));
    if (longest > 2) {
        wants |= __builtin_elementwise_sub_sat(context->before2, u8part_splat(0xe0 - 0x80));
    }
    if (longest > 3) {
        wants |= __builtin_elementwise_sub_sat(context->before3, u8part_splat(0xf0 - 0x80));
    }
    return wants;
}

/* Lanes with their highest bit set where the text is malformed; `longest` is what the greatest
 * byte, <= 0xf4, announces. */
static ALWAYS_INLINE u8part utf8_faults(const struct utf8_context *context, int longest) {
    const u8part lead = context->before1;
    const i8part second = (i8part)context->bytes;
    u8part faults = utf8_wants_continuation(context, longest) ^ context->is_continuation;
    /* 1100000a 10bbbbbb could be shorter */
    faults |= (u8part)((context->bytes & 0xfe) == u8part_splat(0xc0));
    if (longest > 2) { /* 11100000 100aaaaa */
        faults |=
            (u8part)(lead == u8part_splat(0xe0)) & (u8part)(second < (i8part)u8part_splat(0xa0));
    }
    if (longest > 3) { /* 11110000 1000aaaa; 11110100 and more than 1000aaaa is beyond U+10FFFF */
        faults |=
            (u8part)(lead == u8part_splat(0xf0)) & (u8part)(second < (i8part)u8part_splat(0x90));
        faults |=
            (u8part)(lead == u8part_splat(0xf4)) & (u8part)(second > (i8part)u8part_splat(0x8f));
    }
    return faults;
}

/* Bits 0-7 of the unit that ends at each lane: 0aaaaaaa, or aa of the byte before and bbbbbb. */
static ALWAYS_INLINE u8part utf8_low_bits(const struct utf8_context *context) {
    const u8part of_continuation = (context->before1 << 6) | (context->bytes & 0x3f);
    return (context->is_continuation & of_continuation) |
           (~context->is_continuation & context->bytes);
}

/* Bits 8-15: four of the byte before, and four of the one before that, if it belongs. */
static ALWAYS_INLINE u8part utf8_high_bits(const struct utf8_context *context, int longest) {
    u8part has_third = __builtin_elementwise_sub_sat(context->before2, u8part_splat(0xe0 - 0x80));
    if (longest > 3) {
        has_third |= __builtin_elementwise_sub_sat(context->before3, u8part_splat(0xf0 - 0x80));
    }
    const u8part third = (u8part)((i8part)has_third < 0) & (context->before2 << 4);
    return context->is_continuation & ((context->before1 >> 2 & 0x0f) | third);
}

/* Bits 16-20: two of the second byte and three of the lead of a sequence of four. */
static ALWAYS_INLINE u8part utf8_top_bits(const struct utf8_context *context) {
    const u8part is_quad = (u8part)(context->before3 >= u8part_splat(0xf0));
    return is_quad & (((context->before3 & 7) << 2) | (context->before2 >> 4 & 3));
}

#if !defined(SIMD_HAS_COMPRESS)
/* Two bytes a lane, of the lower or upper eight of a group. */
static ALWAYS_INLINE u16x8 u8x16_weave_low(u8x16 low, u8x16 high) {
    return (u16x8)__builtin_shufflevector(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6,
                                          22, 7, 23);
}

static ALWAYS_INLINE u16x8 u8x16_weave_high(u8x16 low, u8x16 high) {
    return (u16x8)__builtin_shufflevector(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                          14, 30, 15, 31);
}

static ALWAYS_INLINE u32x4 u16x8_weave_low(u16x8 low, u16x8 high) {
    return (u32x4)__builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
}

static ALWAYS_INLINE u32x4 u16x8_weave_high(u16x8 low, u16x8 high) {
    return (u32x4)__builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
}
#endif

#if defined(SIMD_HAS_COMPRESS)
typedef uint16_t u16part __attribute__((vector_size(PART_BYTES)));
typedef uint32_t u32part __attribute__((vector_size(PART_BYTES)));
#define PART_LANES_16 (PART_BYTES / 2)
#define PART_LANES_32 (PART_BYTES / 4)

static ALWAYS_INLINE u16part utf8_widen_half(u8part vec, size_t half) {
    typedef uint8_t half_t __attribute__((vector_size(PART_BYTES / 2)));
    half_t bytes;
    memcpy(&bytes, (const uint8_t *)&vec + half * sizeof bytes, sizeof bytes);
    return __builtin_convertvector(bytes, u16part);
}

static ALWAYS_INLINE u32part utf8_widen_quarter(u8part vec, size_t quarter) {
    typedef uint8_t quarter_t __attribute__((vector_size(PART_BYTES / 4)));
    quarter_t bytes;
    memcpy(&bytes, (const uint8_t *)&vec + quarter * sizeof bytes, sizeof bytes);
    return __builtin_convertvector(bytes, u32part);
}
#endif

#if defined(SIMD_HAS_COMPRESS)
/* Store the first n_left units of a whole vector, or all where n_left is greater. */
static ALWAYS_INLINE void utf8_store(void *to, u8part units, size_t unit_bytes, size_t n_left) {
    const size_t n_bytes = n_left * unit_bytes;
    u8part_store_first(to, units, n_bytes < PART_BYTES ? n_bytes : PART_BYTES);
}
#endif

/* Write the units of the block that end at the lanes of `ends`; a store goes up to PART_BYTES units
 * beyond `to`, unless it is exact. Returns where the units end. */
static ALWAYS_INLINE uint8_t *utf8_write_8(uint8_t *to, const struct utf8_context *context,
                                           uint64_t ends, bool is_exact) {
#if defined(SIMD_HAS_COMPRESS)
    const size_t n = is_exact ? count_ones(ends) : PART_BYTES;
    utf8_store(to, u8part_compress(ends, utf8_low_bits(context)), 1, n);
    return to + count_ones(ends);
#else
    uint8_t block[PART_BYTES];
    uint8_t *const start = is_exact ? block : to;
    const size_t n = (size_t)(compress_8(start, utf8_low_bits(context), ends) - start);
    if (is_exact) {
        copy_short(to, block, n);
    }
    return to + n;
#endif
}

static ALWAYS_INLINE uint16_t *utf8_write_16(uint16_t *to, const struct utf8_context *context,
                                             uint64_t ends, bool is_exact) {
    const u8part low = utf8_low_bits(context);
    const u8part high = utf8_high_bits(context, 3);
#if defined(SIMD_HAS_COMPRESS)
    const u8part low_kept = u8part_compress(ends, low);
    const u8part high_kept = u8part_compress(ends, high);
    const size_t n = is_exact ? count_ones(ends) : PART_BYTES;
    for (size_t half = 0; half < 2; half++) {
        const size_t n_before = half * PART_LANES_16;
        const u16part units = utf8_widen_half(low_kept, half) | utf8_widen_half(high_kept, half)
                                                                    << 8;
        if (half == 0 || n > n_before) {
            utf8_store(to + n_before, (u8part)units, sizeof *to, n - n_before);
        }
    }
    return to + count_ones(ends);
#else
    uint16_t block[PART_BYTES];
    uint16_t *const start = is_exact ? block : to;
    uint16_t *out = start;
    for (int group = 0; group < (PART_BYTES / 16); group++) {
        const u8x16 low_group = u8_group(low, group);
        const u8x16 high_group = u8_group(high, group);
        const uint32_t bits = ends >> (16 * group) & 0xffff;
        out = compress_16x8(out, u8x16_weave_low(low_group, high_group), bits & 0xff);
        out = compress_16x8(out, u8x16_weave_high(low_group, high_group), bits >> 8);
    }
    const size_t n = (size_t)(out - start);
    if (is_exact) {
        copy_short(to, block, n * sizeof *to);
    }
    return to + n;
#endif
}

#if !defined(SIMD_HAS_COMPRESS)
static ALWAYS_INLINE uint32_t *utf8_write_32_of_8(uint32_t *to, u16x8 units, u16x8 tops,
                                                  uint32_t bits) {
    uint16_t kept_units[16];
    uint16_t kept_tops[16];
    const uint16_t *const end = compress_16x8(kept_units, units, bits);
    compress_16x8(kept_tops, tops, bits);
    u16x8 low, high;
    memcpy(&low, kept_units, sizeof low);
    memcpy(&high, kept_tops, sizeof high);
    const u32x4 first = u16x8_weave_low(low, high);
    const u32x4 second = u16x8_weave_high(low, high);
    memcpy(to, &first, sizeof first);
    memcpy(to + 4, &second, sizeof second);
    return to + (end - kept_units);
}
#endif

static ALWAYS_INLINE uint32_t *utf8_write_32(uint32_t *to, const struct utf8_context *context,
                                             uint64_t ends, bool is_exact) {
    const u8part low = utf8_low_bits(context);
    const u8part high = utf8_high_bits(context, 4);
    const u8part top = utf8_top_bits(context);
#if defined(SIMD_HAS_COMPRESS)
    const u8part low_kept = u8part_compress(ends, low);
    const u8part high_kept = u8part_compress(ends, high);
    const u8part top_kept = u8part_compress(ends, top);
    const size_t n = is_exact ? count_ones(ends) : PART_BYTES;
    for (size_t quarter = 0; quarter < 4; quarter++) {
        const size_t n_before = quarter * PART_LANES_32;
        const u32part units = utf8_widen_quarter(low_kept, quarter) |
                              utf8_widen_quarter(high_kept, quarter) << 8 |
                              utf8_widen_quarter(top_kept, quarter) << 16;
        if (quarter == 0 || n > n_before) {
            utf8_store(to + n_before, (u8part)units, sizeof *to, n - n_before);
        }
    }
    return to + count_ones(ends);
#else
    uint32_t block[PART_BYTES];
    uint32_t *const start = is_exact ? block : to;
    uint32_t *out = start;
    const u8x16 zero = {0};
    for (int group = 0; group < (PART_BYTES / 16); group++) {
        const u8x16 low_group = u8_group(low, group);
        const u8x16 high_group = u8_group(high, group);
        const u8x16 top_group = u8_group(top, group);
        const uint32_t bits = ends >> (16 * group) & 0xffff;
        out = utf8_write_32_of_8(out, u8x16_weave_low(low_group, high_group),
                                 u8x16_weave_low(top_group, zero), bits & 0xff);
        out = utf8_write_32_of_8(out, u8x16_weave_high(low_group, high_group),
                                 u8x16_weave_high(top_group, zero), bits >> 8);
    }
    const size_t n = (size_t)(out - start);
    if (is_exact) {
        copy_short(to, block, n * sizeof *to);
    }
    return to + n;
#endif
}

/* A bit for each byte of a block whose next byte is no continuation byte. In well-formed text those
 * bytes end a sequence. In other text there are as many as bytes that are no continuation bytes,
 * except at the edges of the block. */
static ALWAYS_INLINE uint64_t utf8_ends(const uint8_t *from) {
    return ~(uint64_t)u8part_mask(utf8_is_continuation(u8part_load(from + 1))) &
           low_bits(PART_BYTES);
}

/* Whether the text ends within a sequence. */
static ALWAYS_INLINE bool utf8_is_cut(const uint8_t *from, size_t n) {
    return from[n - 1] >= 0xc0 || (n > 1 && from[n - 2] >= 0xe0) || (n > 2 && from[n - 3] >= 0xf0);
}

#define TARGET_BITS 8
#include "text/decode_utf8.tmpl.h"
#undef TARGET_BITS

#define TARGET_BITS 16
#include "text/decode_utf8.tmpl.h"
#undef TARGET_BITS

#define TARGET_BITS 32
#include "text/decode_utf8.tmpl.h"
#undef TARGET_BITS

#endif
