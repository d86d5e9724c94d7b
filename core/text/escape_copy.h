/* SPDX-License-Identifier: MIT */
/* Escape a str of one PEP 393 kind into text of the same or a wider kind. The 8 to 8 form also
 * escapes UTF-8 into UTF-8: no byte of a longer sequence is special. */
#ifndef SSRJSON_TEXT_ESCAPE_COPY_H
#define SSRJSON_TEXT_ESCAPE_COPY_H

#include "simd/compress.h"
#include "text/escape_tables.h"
#include "text/long_text.h"

/* A short run has at most this many vectors, or from bytes to wider units as many units. */
#define COPY_SHORT_BLOCKS (VEC_BYTES == 64 ? 2 : 4)
#define COPY_SHORT_NARROW 64

#define SOURCE_BITS 8
#define TARGET_BITS 8
#include "text/escape_copy.tmpl.h"
#undef SOURCE_BITS
#undef TARGET_BITS

#define SOURCE_BITS 8
#define TARGET_BITS 16
#include "text/escape_copy.tmpl.h"
#undef SOURCE_BITS
#undef TARGET_BITS

#define SOURCE_BITS 8
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"
#undef SOURCE_BITS
#undef TARGET_BITS

#define SOURCE_BITS 16
#define TARGET_BITS 16
#include "text/escape_copy.tmpl.h"
#undef SOURCE_BITS
#undef TARGET_BITS

#define SOURCE_BITS 16
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"
#undef SOURCE_BITS
#undef TARGET_BITS

#define SOURCE_BITS 32
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"
#undef SOURCE_BITS
#undef TARGET_BITS

/* Copy a short string of bytes as copy_short_plain_8_8 does. Most keys and values have at most 32
 * bytes: these are one case, because the CPU can hardly predict the length of a value. It stores 32
 * bytes where n is less. */
static ALWAYS_INLINE bool copy_short_plain(const uint8_t *from, size_t n, uint8_t *to) {
    if (LIKELY(n <= 32)) {
        const struct u8x32s bytes = u8x32s_load_at_least(from, n);
        memcpy(to, &bytes, sizeof bytes);
        return (u8x32s_mask(u8x32s_needs_escape(bytes)) & low_bits(n)) == 0;
    }
    return copy_short_plain_8_8(from, n, to);
}

/* Most strings of ASCII that need an escape need few. escape_few is a text kernel for them, whose
 * `limit` leaves TEXT_BLOCK_ROOM; it may stop anywhere, and the other kernels go on from there. */
#if defined(SIMD_HAS_COMPRESS)
/* Escape the first n bytes of a block of ASCII, which are in its first n_halves halves. Where one
 * or two are special, the others move by as many lanes; what so leaves the vector at its end is
 * stored before the rest. */
static ALWAYS_INLINE uint8_t *escape_bytes(u8vec block, size_t n, int n_halves, uint8_t *to) {
    assert(u8_mask((u8vec)(block >= u8_splat(0x80))) == 0);
    const u8vec escapes = u8_look_up_ascii(ASCII_ESCAPES, block);
    const uint64_t special = u8_mask((u8vec)((i8vec)escapes < 0)) & low_bits(n);
    const u8vec letters = escapes & 0x7f;
    if (UNLIKELY((u8_mask((u8vec)(letters == u8_splat(0))) & low_bits(n)) != 0)) {
        return escape_lanes_8_8((const uint8_t *)&block, n, special, to);
    }
    const uint64_t after_first = special & (special - 1);
    const uint64_t after_second = after_first & (after_first - 1);
    const uint64_t at_end = after_first >> (VEC_BYTES - 1); /* its backslash is beyond the vector */
    if (UNLIKELY((after_second | at_end) != 0)) {
        return escape_with_letters_8_8(block, letters, n_halves, n, special, to);
    }
    const size_t n_special = count_ones(special);
    const uint64_t backslashes = (special ^ after_first) | after_first << 1;
    if (n_halves == 2) {
        u8_store(to + n_special, letters);
    }
    u8_store(to, u8_expand(u8_splat('\\'), ~backslashes, letters));
    return to + n + n_special;
}

/* Within the two blocks where something is to be escaped none is asked whether it is that one: the
 * CPU cannot predict it. */
static ALWAYS_INLINE const uint8_t *escape_few(const uint8_t *from, const uint8_t *const end,
                                               uint8_t **out, const uint8_t *const limit) {
    uint8_t *to = *out;
    if (end - from <= VEC_BYTES / 2 && LIKELY(to <= limit)) {
        const size_t n = (size_t)(end - from);
        *out = escape_bytes(u8_load_first(from, n), n, 1, to);
        return end;
    }
    for (int n_blocks = 1; from < end && LIKELY(to <= limit); n_blocks++) {
        const size_t n_left = (size_t)(end - from);
        if (n_left <= VEC_BYTES) {
            to = escape_bytes(u8_load_first(from, n_left), n_left, 2, to);
            from = end;
            break;
        }
        to = escape_bytes(u8_load(from), VEC_BYTES, 2, to);
        from += VEC_BYTES;
        if (n_blocks % 2 == 0 && end - from >= 2 * VEC_BYTES && LIKELY(end - from <= limit - to)) {
            const size_t n_plain = copy_blocks_8_8(from, (size_t)(end - from), to);
            from += n_plain;
            to += n_plain;
        }
    }
    *out = to;
    return from;
}
#else
static ALWAYS_INLINE bool has_more_than_two_bits(uint32_t bits) {
    bits &= bits - 1;
    return (bits & (bits - 1)) != 0;
}

#define FEW_ESCAPES 20

/* Escape a run of bytes that has few escapes, one by one, and copy what is between: before one more
 * than FEW_ESCAPES, or more than two in 32 bytes, it stops. */
static NOINLINE const uint8_t *escape_few(const uint8_t *from, const uint8_t *const end,
                                          uint8_t **out, const uint8_t *const limit) {
    uint8_t *to = *out;
    int n_escapes = 0;
    while (from < end && LIKELY(to <= limit)) {
        const size_t n = end - from < 32 ? (size_t)(end - from) : 32;
        const struct u8x32s bytes = u8x32s_load_at_least(from, n);
        memcpy(to, &bytes, sizeof bytes);
        const uint32_t special = u8x32s_mask(u8x32s_needs_escape(bytes)) & (uint32_t)low_bits(n);
        if (special == 0) {
            from += n;
            to += n;
        } else if (n_escapes++ == FEW_ESCAPES || has_more_than_two_bits(special)) {
            break;
        } else {
            const size_t n_plain = (size_t)__builtin_ctz(special);
            to = store_escape(to + n_plain, from[n_plain]);
            from += n_plain + 1;
            if (end - from >= 2 * VEC_BYTES && LIKELY(end - from <= limit - to)) {
                const size_t n_more = copy_blocks_8_8(from, (size_t)(end - from), to);
                from += n_more;
                to += n_more;
            }
        }
    }
    *out = to;
    return from;
}
#endif

#endif
