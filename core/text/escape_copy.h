/* SPDX-License-Identifier: MIT */
/* Escape a str of one PEP 393 kind into text of the same or a wider kind. The 8 to 8 form also
 * escapes UTF-8 into UTF-8: no byte of a longer sequence is special. */
#ifndef SSRJSON_TEXT_ESCAPE_COPY_H
#define SSRJSON_TEXT_ESCAPE_COPY_H

#include "simd/pack.h"
#include "text/copy_plain.h"

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

/* Copy a short string of bytes as copy_short_plain_8_8 does. Most keys and values are so short that
 * narrow vectors, which cross fewer cache lines, are faster. */
static ALWAYS_INLINE bool copy_short_plain(const uint8_t *from, size_t n, uint8_t *to) {
    if (n <= 16) {
        const u8x16 bytes = u8x16_load_within_page(from, n);
        u8x16_store(to, bytes);
        return (u8x16_mask(u8x16_needs_escape(bytes)) & low_bits(n)) == 0;
    }
    if (n <= 32) {
        const u8x16 first = u8x16_load(from);
        const u8x16 last = u8x16_load(from + n - 16);
        u8x16_store(to, first);
        u8x16_store(to + n - 16, last);
        return u8x16_mask(u8x16_needs_escape(first) | u8x16_needs_escape(last)) == 0;
    }
    return copy_short_plain_8_8(from, n, to);
}

#endif
