/* SPDX-License-Identifier: MIT */
/* Template: escape a run of SOURCE_BITS units into ASCII. Defines escape_ascii_<source>. */
#include "text/escape.h"

#define SOURCE_VEC VEC(SOURCE_BITS)
#define SOURCE_PREFIX VEC_PREFIX(SOURCE_BITS)
#define SOURCE_UNIT VEC_UNIT(SOURCE_BITS)
#define LANES VEC_LANES(SOURCE_BITS)
#if SOURCE_BITS == 8
#define NARROW_VEC u8vec
#elif SOURCE_BITS == 16
#define NARROW_VEC u8half
#else
#define NARROW_VEC u8quarter
#endif
#define NAME(noun) CONCAT(noun, SOURCE_BITS)

static ALWAYS_INLINE const SOURCE_UNIT *NAME(escape_ascii)(const SOURCE_UNIT *from,
                                                           const SOURCE_UNIT *const end,
                                                           uint8_t **const out,
                                                           const uint8_t *const limit) {
    uint8_t *to = *out;
    while (from < end && LIKELY(to <= limit)) {
        const size_t n_left = (size_t)(end - from);
        const size_t n_lanes = n_left < LANES ? n_left : LANES;
        SOURCE_VEC block;
        if (n_left >= LANES) {
            memcpy(&block, from, sizeof block);
        } else {
            block = (SOURCE_VEC)u8_load_first(from, n_left * sizeof *from);
        }
        const NARROW_VEC narrow = __builtin_convertvector(block, NARROW_VEC);
        memcpy(to, &narrow, sizeof narrow);
        const SOURCE_VEC is_special = CONCAT(SOURCE_PREFIX, needs_escape)(block) |
                                      (SOURCE_VEC)(block >= CONCAT(SOURCE_PREFIX, splat)(0x7f));
        const uint64_t special = CONCAT(SOURCE_PREFIX, mask)(is_special) & low_bits(n_lanes);
        if (LIKELY(special == 0)) {
            to += n_lanes;
            from += n_lanes;
            continue;
        }
        const SOURCE_UNIT *const block_end = from + n_lanes;
        to += trailing_zeros(special);
        from += trailing_zeros(special);
#if SOURCE_BITS == 16
        for (; block_end - from >= 8; from += 8) {
            uint64_t sequences[8];
            hex_escapes_of_eight(from, sequences);
            for (int i = 0; i < 8; i++) {
                if (LIKELY(from[i] >= 0x7f)) {
                    memcpy(to, &sequences[i], sizeof sequences[i]);
                    to += 6;
                } else {
                    to = store_escape(to, (uint8_t)from[i]);
                }
            }
        }
#endif
        while (from < block_end) {
            to = store_ascii_escape(to, *from++);
        }
    }
    *out = to;
    return from;
}

#undef SOURCE_VEC
#undef SOURCE_PREFIX
#undef NARROW_VEC
#undef SOURCE_UNIT
#undef LANES
#undef NAME
