/* SPDX-License-Identifier: MIT */
/* Find where white space ends (space, line feed, carriage return, tab), where a string's plain
 * characters end, and how wide they are. */
#ifndef SSRJSON_TEXT_SCAN_H
#define SSRJSON_TEXT_SCAN_H

#include "simd/simd.h"
#include "text/characters.h"
#include "text/long_text.h"
#include "text/decode_utf8.h"

/* Where a string is longer than this, its rest may be better read in another way. */
#define SCAN_PAUSE_UNITS 8192

#if VEC_BYTES == 64
/* The first special byte among the next 32, which can be read; NULL where there is none. *widest is
 * raised as by scan_string_8. Most strings end there, and a vector of 64 bytes takes 1.3 times as
 * long on Zen 4. Not for wider units: where strings are about as long as 16 or 8 of those, the CPU
 * cannot predict which are longer. */
static ALWAYS_INLINE const uint8_t *scan_short_string(const uint8_t *from, uint32_t *widest) {
    const u8part block = u8part_load(from);
    const uint32_t special = u8part_mask(u8part_needs_escape(block));
    if (special == 0) {
        return NULL;
    }
    const size_t n = trailing_zeros(special);
    const uint32_t found = __builtin_reduce_max(u8part_keep_first(block, n));
    *widest = *widest > found ? *widest : found;
    return from + n;
}
#endif

#define SOURCE_BITS 8
#include "text/scan.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/scan.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/scan.tmpl.h"
#undef SOURCE_BITS

/* A block of [from, end), from < end, with zeros after the end. */
static ALWAYS_INLINE u8vec scan_load(const uint8_t *from, const uint8_t *end) {
    const size_t n_left = (size_t)(end - from);
    return LIKELY(n_left >= VEC_BYTES) ? u8_load(from) : u8_load_first(from, n_left);
}

/* Lanes that are special or not ASCII. */
static ALWAYS_INLINE u8vec scan_stops(u8vec block) {
#if defined(SIMD_HAS_COMPRESS)
    const u8vec ascii = (u8vec)__builtin_elementwise_max((i8vec)block, (i8vec)u8_splat(0));
    return (u8vec)(u8_escape_distance(ascii) == u8_splat(0)); /* what is not ASCII counts as zero */
#else
    /* negative ones are not ASCII */
    return (u8vec)((i8vec)block < (i8vec)u8_splat(0x20)) | u8_is_quoting(block);
#endif
}

static ALWAYS_INLINE struct u8x32s u8x32s_scan_stops(struct u8x32s vec) {
    for (int i = 0; i < PARTS_OF_32; i++) {
#if VEC_BYTES == 64
        /* not scan_stops: of three conditions the result is there earlier */
        typedef int8_t signed_t __attribute__((vector_size(sizeof(u8part))));
        const u8part part = vec.parts[i];
        vec.parts[i] =
            (u8part)((signed_t)part < 0x20) | (u8part)(part == '"') | (u8part)(part == '\\');
#else
        vec.parts[i] = scan_stops(vec.parts[i]);
#endif
    }
    return vec;
}

/* Skip pieces of four vectors that are ASCII without a special byte; the last bytes of the text are
 * left. */
static NOINLINE const uint8_t *scan_ascii_pieces(const uint8_t *from, const uint8_t *const end) {
    while ((size_t)(end - from) > 4 * VEC_BYTES) {
        u8vec piece[4];
        memcpy(piece, from, sizeof piece);
        if (u8_mask(u8_piece_is_special(piece)) != 0) {
            break;
        }
        from += 4 * VEC_BYTES;
    }
    return from;
}

/* The first byte of [from, end) that is special or not ASCII, or end. */
static ALWAYS_INLINE const uint8_t *scan_ascii(const uint8_t *from, const uint8_t *const end) {
    const uint8_t *const begin = from;
    while (LIKELY(from < end)) {
        if (UNLIKELY(from == begin + 2 * VEC_BYTES)) {
            from = scan_ascii_pieces(from, end);
        }
        const u8vec block = scan_load(from, end);
        const uint64_t stops = u8_places(scan_stops(block));
        if (stops != 0) {
            from += first_place(stops);
            return LIKELY(from < end) ? from : end;
        }
        from += VEC_BYTES;
    }
    return end;
}

/* What is known about the UTF-8 text from a string's start to the place where it was scanned. */
struct utf8_extent {
    const uint8_t *stop; /* at a special byte, or the end */
    size_t n_units;      /* bytes that are no continuation bytes */
    uint32_t widest;     /* the greatest byte, exact where it is 0x80 or more */
};

/* Move the extent to the first special byte before `end`, or to `end`. */
static ALWAYS_INLINE void scan_utf8(struct utf8_extent *extent, const uint8_t *const end) {
    const uint8_t *from = extent->stop;
    u8vec greatest = {0};
    size_t count = 0;
    while ((size_t)(end - from) >= 4 * VEC_BYTES) {
        u8vec piece[4];
        memcpy(piece, from, sizeof piece);
        if (u8_mask(u8_piece_needs_escape(piece)) != 0) {
            break;
        }
        u8vec units = {0}; /* a count in each lane */
        for (int i = 0; i < 4; i++) {
            greatest = __builtin_elementwise_max(greatest, piece[i]);
            units -= (u8vec)((i8vec)piece[i] >= (i8vec)u8_splat(0xc0));
        }
        count += u8_sum(units);
        from += 4 * VEC_BYTES;
    }
    while (LIKELY(from < end)) {
        const u8vec block = scan_load(from, end);
        const uint64_t is_unit = u8_mask((u8vec)((i8vec)block >= (i8vec)u8_splat(0xc0)));
        const uint64_t special = u8_mask(u8_needs_escape(block));
        if (special != 0) {
            const size_t n = trailing_zeros(special);
            greatest = __builtin_elementwise_max(greatest, u8_keep_first(block, n));
            count += count_ones(is_unit & low_bits(n));
            from += n;
            break;
        }
        greatest = __builtin_elementwise_max(greatest, block);
        count += count_ones(is_unit);
        from += VEC_BYTES;
    }
    const uint32_t found = __builtin_reduce_max(greatest);
    extent->widest = extent->widest > found ? extent->widest : found;
    extent->n_units += count;
    extent->stop = LIKELY(from < end) ? from : end;
}

/* The number of bytes of a string that are scanned and decoded in one pass. */
#define SHORT_UTF8_BYTES 256
#define SHORT_UTF8_UNITS (SHORT_UTF8_BYTES + PART_BYTES) /* room for whole vectors */

/* What is known about a string whose start was scanned. */
enum short_utf8 {
    SHORT_UTF8_DECODED,   /* it ended or stopped at a special byte; the text before is decoded */
    SHORT_UTF8_MALFORMED, /* so far */
    SHORT_UTF8_GOES_ON,   /* the text is longer */
    SHORT_UTF8_HAS_QUADS, /* a sequence of four bytes, and units are of 16 bits: start again */
};

/* Move the extent over the first SHORT_UTF8_BYTES of a string, or to its first special byte if that
 * is among them, and decode them into `units`: uint32_t where there may be quads, sequences of four
 * bytes, otherwise uint16_t. */
static ALWAYS_INLINE enum short_utf8 scan_short_utf8(struct utf8_extent *extent,
                                                     const uint8_t *const end, void *const units,
                                                     const bool may_have_quads) {
    const uint8_t *const begin = extent->stop;
    const uint8_t *from = begin;
    uint16_t *to_16 = units;
    uint32_t *to_32 = units;
    u8part greatest = {0};
    u8part faults = {0};
    u8part before = {0};
    uint64_t is_last_end;
    uint64_t special;
    do {
        const size_t n_left = (size_t)(end - from);
        u8part block =
            LIKELY(n_left >= PART_BYTES) ? u8part_load(from) : u8part_load_first(from, n_left);
        special = u8part_mask(u8part_needs_escape(block));
        size_t n = PART_BYTES;
        is_last_end = 1;
        if (special != 0) {
            n = trailing_zeros(special);
            block = u8part_keep_first(block, n);
        } else if (from + PART_BYTES < end) {
            is_last_end = (from[PART_BYTES] & 0xc0) != 0x80;
        }
        if (!may_have_quads && UNLIKELY(u8part_mask((u8part)(block >= u8part_splat(0xf0))) != 0)) {
            return SHORT_UTF8_HAS_QUADS;
        }
        const struct utf8_context context = utf8_context(block, before);
        const uint64_t is_unit = ~(uint64_t)u8part_mask(context.is_continuation);
        const uint64_t ends =
            n == 0 ? 0 : (is_unit >> 1 & low_bits(n - 1)) | is_last_end << (n - 1);
        greatest = __builtin_elementwise_max(greatest, block);
        faults |= utf8_faults(&context, may_have_quads ? 4 : 3);
        if (may_have_quads) {
            to_32 = utf8_write_32(to_32, &context, ends, false);
        } else {
            to_16 = utf8_write_16(to_16, &context, ends, false);
        }
        before = block;
        from += n;
    } while (special == 0 && from < begin + SHORT_UTF8_BYTES && from < end);
    const size_t n_written =
        (size_t)(may_have_quads ? to_32 - (uint32_t *)units : to_16 - (uint16_t *)units);
    extent->widest = __builtin_reduce_max(greatest);
    extent->n_units = n_written + (is_last_end ^ 1); /* subtract that of a cut sequence */
    extent->stop = from;
    if (special == 0) {
        return SHORT_UTF8_GOES_ON;
    }
    const bool is_well_formed = u8part_mask((u8part)((i8part)faults < 0)) == 0 &&
                                (begin[0] & 0xc0) != 0x80 && extent->widest <= 0xf4;
    return LIKELY(is_well_formed) ? SHORT_UTF8_DECODED : SHORT_UTF8_MALFORMED;
}

#endif
