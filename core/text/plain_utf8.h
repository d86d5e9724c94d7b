/* SPDX-License-Identifier: MIT */
/* Transcode a str into UTF-8 from its beginning, as far as nothing in it is to be escaped: that is
 * nearly always the whole of it. The kernels of escape_utf8.h go on where these functions stop.
 *
 * Each function returns the number of units that it stored, n or fewer, and sets *out to their end.
 * It stores less than PLAIN_UTF8_ROOM(n) bytes. */
#ifndef SSRJSON_TEXT_PLAIN_UTF8_H
#define SSRJSON_TEXT_PLAIN_UTF8_H

#include "text/escape_utf8.h"

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

#define SOURCE_BITS 8
#include "text/plain_utf8.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/plain_utf8.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/plain_utf8.tmpl.h"
#undef SOURCE_BITS

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
        const size_t n_most = n_fitting < PLAIN_UTF8_UNITS ? n_fitting : PLAIN_UTF8_UNITS;
        const size_t n = n_left < n_most ? n_left : n_most;
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
