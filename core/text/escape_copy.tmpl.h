/* SPDX-License-Identifier: MIT */
/* Template: escape a run of SOURCE_BITS units into TARGET_BITS units at least as wide.
 * Parameters: SOURCE_BITS, TARGET_BITS. Defines escape_copy_<source>_<target>. */
#include "text/escape.h"

#define source_unit_t CONCAT(source, CONCAT(SOURCE_BITS, TARGET_BITS))
#define target_unit_t CONCAT(target, CONCAT(SOURCE_BITS, TARGET_BITS))

#if SOURCE_BITS == 8
typedef uint8_t source_unit_t;
#elif SOURCE_BITS == 16
typedef uint16_t source_unit_t;
#else
typedef uint32_t source_unit_t;
#endif

#if TARGET_BITS == 8
typedef uint8_t target_unit_t;
#define TARGET_VEC u8vec
#define TARGET_PREFIX u8
#elif TARGET_BITS == 16
typedef uint16_t target_unit_t;
#define TARGET_VEC u16vec
#define TARGET_PREFIX u16
#else
typedef uint32_t target_unit_t;
#define TARGET_VEC u32vec
#define TARGET_PREFIX u32
#endif

#if SOURCE_BITS == TARGET_BITS
#define SOURCE_VEC TARGET_VEC
#elif SOURCE_BITS == 8 && TARGET_BITS == 16
#define SOURCE_VEC u8half
#elif SOURCE_BITS == 8
#define SOURCE_VEC u8quarter
#else
#define SOURCE_VEC u16half
#endif

#define LANES (VEC_BYTES / (TARGET_BITS / 8))
#define NAME(noun) CONCAT(noun, CONCAT(SOURCE_BITS, TARGET_BITS))

/* The lanes of one block, some of which `special` marks for escaping. */
static NOINLINE target_unit_t *NAME(escape_lanes)(const TARGET_VEC *block, size_t n_lanes,
                                                  uint64_t special, target_unit_t *out) {
    for (size_t lane = 0; lane < n_lanes; lane++) {
        const target_unit_t unit = ((const target_unit_t *)block)[lane];
        if (!(special >> lane & 1)) {
            *out++ = unit;
            continue;
        }
        const uint64_t sequence = ESCAPE_TABLE[unit & 0xff];
        const size_t n_units = sequence >> 56;
        for (size_t i = 0; i < 6; i++) {
            out[i] = (uint8_t)(sequence >> (8 * i));
        }
        out += n_units;
    }
    return out;
}

static ALWAYS_INLINE TARGET_VEC NAME(escape_load)(const source_unit_t *from) {
    SOURCE_VEC source;
    memcpy(&source, from, sizeof source);
    return __builtin_convertvector(source, TARGET_VEC);
}

static ALWAYS_INLINE const source_unit_t *NAME(escape_copy)(const source_unit_t *from,
                                                            const source_unit_t *const end,
                                                            target_unit_t **const out,
                                                            const target_unit_t *const limit) {
    target_unit_t *to = *out;
    while (from < end && LIKELY(to <= limit)) {
        const size_t n_left = (size_t)(end - from);
        /* plain text: four blocks, one test */
        if (n_left >= 4 * LANES) {
            TARGET_VEC is_special = {0};
            for (int i = 0; i < 4; i++) {
                const TARGET_VEC block = NAME(escape_load)(from + i * LANES);
                memcpy(to + i * LANES, &block, sizeof block);
                is_special |= CONCAT(TARGET_PREFIX, needs_escape)(block);
            }
            if (LIKELY(CONCAT(TARGET_PREFIX, mask)(is_special) == 0)) {
                from += 4 * LANES;
                to += 4 * LANES;
                continue;
            }
        }
        size_t n_lanes = LANES;
        TARGET_VEC block;
        if (n_left >= LANES) {
            block = NAME(escape_load)(from);
        } else {
            n_lanes = n_left;
            const u8vec bytes = u8_load_at_least(from, n_left * sizeof *from);
            SOURCE_VEC source;
            memcpy(&source, &bytes, sizeof source);
            block = __builtin_convertvector(source, TARGET_VEC);
        }
        memcpy(to, &block, sizeof block);
        const uint64_t special =
            CONCAT(TARGET_PREFIX, mask)(CONCAT(TARGET_PREFIX, needs_escape)(block)) &
            low_bits(n_lanes);
        if (LIKELY(special == 0)) {
            to += n_lanes;
        } else {
            to = NAME(escape_lanes)(&block, n_lanes, special, to);
        }
        from += n_lanes;
    }
    *out = to;
    return from;
}

#undef source_unit_t
#undef target_unit_t
#undef TARGET_VEC
#undef TARGET_PREFIX
#undef SOURCE_VEC
#undef LANES
#undef NAME
#undef SOURCE_BITS
#undef TARGET_BITS
