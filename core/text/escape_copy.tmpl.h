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
#define DOUBLE_VEC u16vec
#define DOUBLE_PREFIX u16
#define PACK_TWO pack_two_bytes
#elif TARGET_BITS == 16
typedef uint16_t target_unit_t;
#define TARGET_VEC u16vec
#define TARGET_PREFIX u16
#define DOUBLE_VEC u32vec
#define DOUBLE_PREFIX u32
#define PACK_TWO pack_two_units
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

/* Escape the lanes of a block one by one; `special` marks those to escape. */
static NOINLINE target_unit_t *NAME(escape_lanes)(const target_unit_t *lanes, size_t n_lanes,
                                                  uint64_t special, target_unit_t *out) {
    for (size_t lane = 0; lane < n_lanes; lane++) {
        const target_unit_t unit = lanes[lane];
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

#if defined(SIMD_HAS_SHUFFLE) && TARGET_BITS < 32
/* Escape the first n_lanes of a block, which are in its first n_halves halves: `special` marks
 * those to escape, and `letters` has the letter of each. */
static ALWAYS_INLINE target_unit_t *NAME(escape_with_letters)(TARGET_VEC block, TARGET_VEC letters,
                                                              int n_halves, size_t n_lanes,
                                                              uint64_t special,
                                                              target_unit_t *out) {
#if defined(SIMD_HAS_COMPRESS)
    /* the lanes of a half moved apart, over backslashes: of two units for each lane, the first
     * ones are backslashes, written where they are needed, and the second ones the letters */
    (void)block;
    const uint64_t first_of_two = 0x5555555555555555;
    for (int half = 0; half < n_halves; half++) {
        const uint64_t escaped = special >> (half * (LANES / 2)) & low_bits(LANES / 2);
        const uint64_t is_written = deposit_bits(escaped, first_of_two) | ~first_of_two;
        const uint64_t places = extract_bits(~first_of_two, is_written & low_bits(LANES));
        const TARGET_VEC lanes = half == 0 ? letters : (TARGET_VEC)u8_second_half((u8vec)letters);
        const TARGET_VEC text =
            CONCAT(TARGET_PREFIX, expand)(CONCAT(TARGET_PREFIX, splat)('\\'), places, lanes);
        memcpy(out, &text, sizeof text);
        out += LANES / 2 + count_ones(escaped);
    }
#else
    /* as lanes of two units each, packed together */
    for (int half = 0; half < n_halves; half++) {
        const uint32_t escaped = (uint32_t)(special >> (half * (LANES / 2)) & low_bits(LANES / 2));
        DOUBLE_VEC lanes = CONCAT(DOUBLE_PREFIX, from_half)(block, half);
        const DOUBLE_VEC sequences =
            CONCAT(DOUBLE_PREFIX, splat)('\\') |
            (CONCAT(DOUBLE_PREFIX, from_half)(letters, half) << TARGET_BITS);
        lanes = CONCAT(DOUBLE_PREFIX, select)(CONCAT(DOUBLE_PREFIX, needs_escape)(lanes), sequences,
                                              lanes);
        out = PACK_TWO(out, lanes, escaped);
    }
#endif
    return out - ((size_t)n_halves * (LANES / 2) - n_lanes);
}
#endif

/* Escape the first n_lanes of a block: `special` marks those to escape. */
static ALWAYS_INLINE target_unit_t *NAME(escape_block)(TARGET_VEC block, size_t n_lanes,
                                                       uint64_t special, target_unit_t *out) {
#if defined(SIMD_HAS_SHUFFLE) && TARGET_BITS < 32
    const TARGET_VEC letters = CONCAT(TARGET_PREFIX, escape_letters)(block);
    const TARGET_VEC has_no_letter = (TARGET_VEC)(letters == CONCAT(TARGET_PREFIX, splat)(0));
    if (LIKELY((CONCAT(TARGET_PREFIX, mask)(has_no_letter) & low_bits(n_lanes)) == 0)) {
        return NAME(escape_with_letters)(block, letters, 2, n_lanes, special, out);
    }
#endif
    return NAME(escape_lanes)((const target_unit_t *)&block, n_lanes, special, out);
}

static ALWAYS_INLINE TARGET_VEC NAME(escape_load)(const source_unit_t *from) {
    SOURCE_VEC source;
    memcpy(&source, from, sizeof source);
    return __builtin_convertvector(source, TARGET_VEC);
}

static ALWAYS_INLINE TARGET_VEC NAME(escape_load_first)(const source_unit_t *from, size_t n) {
    const u8vec bytes = u8_load_at_least(from, n * sizeof *from);
    SOURCE_VEC source;
    memcpy(&source, &bytes, sizeof source);
    return __builtin_convertvector(source, TARGET_VEC);
}

#if SOURCE_BITS == 8 && TARGET_BITS > 8
/* Copy 16 units; returns the flags of those to escape. */
static ALWAYS_INLINE u8x16 NAME(copy_sixteen)(u8x16 units, target_unit_t *to) {
    typedef target_unit_t wide_t __attribute__((vector_size(16 * sizeof(target_unit_t))));
    const wide_t wide = __builtin_convertvector(units, wide_t);
    memcpy(to, &wide, sizeof wide);
    return u8x16_needs_escape(units);
}

/* Copy a short run, n <= COPY_SHORT_NARROW units, where nothing in it is to be escaped; false where
 * something is. It stores 16 units where n is less. The units are inspected before they are wide.
 */
static ALWAYS_INLINE bool NAME(copy_short_plain)(const source_unit_t *from, size_t n,
                                                 target_unit_t *to) {
    assert(n <= COPY_SHORT_NARROW);
    if (n <= 16) {
        const u8x16 special = NAME(copy_sixteen)(u8x16_load_within_page(from, n), to);
        return (u8x16_mask(special) & low_bits(n)) == 0;
    }
    /* the first and the last half, which overlap */
    u8x16 special = NAME(copy_sixteen)(u8x16_load(from), to);
    special |= NAME(copy_sixteen)(u8x16_load(from + n - 16), to + n - 16);
    if (n > 32) {
        special |= NAME(copy_sixteen)(u8x16_load(from + 16), to + 16);
        special |= NAME(copy_sixteen)(u8x16_load(from + n - 32), to + n - 32);
    }
    return u8x16_mask(special) == 0;
}
#else
/* Copy a short run, n <= COPY_SHORT_BLOCKS blocks, where nothing in it is to be escaped; false
 * where something is. Stores up to a vector more than n. */
static ALWAYS_INLINE bool NAME(copy_short_plain)(const source_unit_t *from, size_t n,
                                                 target_unit_t *to) {
    assert(n <= COPY_SHORT_BLOCKS * LANES);
    if (n <= LANES) {
        const TARGET_VEC block = NAME(escape_load_first)(from, n);
        memcpy(to, &block, sizeof block);
        return (CONCAT(TARGET_PREFIX, mask)(CONCAT(TARGET_PREFIX, needs_escape)(block)) &
                low_bits(n)) == 0;
    }
    /* the first and the last half, which overlap */
    const int n_half = COPY_SHORT_BLOCKS == 2 || n <= 2 * LANES ? 1 : 2;
    TARGET_VEC nearest = ~(TARGET_VEC){0};
    for (int i = 0; i < n_half; i++) {
        const size_t at[2] = {(size_t)i * LANES, n - (size_t)(i + 1) * LANES};
        for (int end = 0; end < 2; end++) {
            const TARGET_VEC block = NAME(escape_load)(from + at[end]);
            memcpy(to + at[end], &block, sizeof block);
            nearest =
                __builtin_elementwise_min(nearest, CONCAT(TARGET_PREFIX, escape_distance)(block));
        }
    }
    return CONCAT(TARGET_PREFIX, mask)((TARGET_VEC)(nearest == 0)) == 0;
}
#endif

/* The units that copy_blocks copies together. */
#define STEP ((SOURCE_BITS == TARGET_BITS ? 2 : 1) * VEC_BYTES / (SOURCE_BITS / 8))

/* Copy a step of units; whether one is to be escaped. */
static ALWAYS_INLINE bool NAME(copy_step)(const source_unit_t *from, target_unit_t *to) {
    VEC(SOURCE_BITS) units[STEP / (VEC_BYTES / (SOURCE_BITS / 8))];
    memcpy(units, from, sizeof units);
    for (int i = 0; i < STEP / LANES; i++) {
        const TARGET_VEC block = NAME(escape_load)(from + i * LANES);
        memcpy(to + i * LANES, &block, sizeof block);
    }
    VEC(SOURCE_BITS) is_special = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
#if SOURCE_BITS == 8 && defined(SIMD_HAS_COMPRESS)
        is_special |= u8_look_up_ascii(ASCII_ESCAPES, units[i]) & ~units[i];
#else
        is_special |= CONCAT(VEC_PREFIX(SOURCE_BITS), needs_escape)(units[i]);
#endif
    }
#if SOURCE_BITS == 8 && defined(SIMD_HAS_COMPRESS)
    is_special = (u8vec)((i8vec)is_special < 0); /* the flag is the highest bit */
#endif
    return CONCAT(VEC_PREFIX(SOURCE_BITS), mask)(is_special) != 0;
}

/* Copy units from the beginning of a run of n >= STEP until one is to be escaped: the number of
 * those copied, or a few less; n where none is. */
static ALWAYS_INLINE size_t NAME(copy_blocks)(const source_unit_t *from, size_t n,
                                              target_unit_t *to) {
    assert(n >= STEP);
    size_t at = 0;
    while (n - at > STEP) {
        if (UNLIKELY(NAME(copy_step)(from + at, to + at))) {
            return at;
        }
        at += STEP;
    }
    /* the last two steps overlap */
    return UNLIKELY(NAME(copy_step)(from + n - STEP, to + n - STEP)) ? at : n;
}

static ALWAYS_INLINE const source_unit_t *NAME(escape_copy)(const source_unit_t *from,
                                                            const source_unit_t *const end,
                                                            target_unit_t **const out,
                                                            const target_unit_t *const limit) {
    target_unit_t *to = *out;
    int n_single = 0; /* number of blocks to test one by one */
    while (from < end && LIKELY(to <= limit)) {
        const size_t n_left = (size_t)(end - from);
        /* plain text: four blocks, one test */
        if (n_left >= 4 * LANES && n_single-- <= 0) {
            TARGET_VEC is_special = {0};
            TARGET_VEC lowest = CONCAT(TARGET_PREFIX, splat)(0x20);
            for (int i = 0; i < 4; i++) {
                const TARGET_VEC block = NAME(escape_load)(from + i * LANES);
                memcpy(to + i * LANES, &block, sizeof block);
                is_special |= CONCAT(TARGET_PREFIX, is_quoting)(block);
                lowest = __builtin_elementwise_min(lowest, block);
            }
            is_special |= (TARGET_VEC)(lowest < CONCAT(TARGET_PREFIX, splat)(0x20));
            if (LIKELY(CONCAT(TARGET_PREFIX, mask)(is_special) == 0)) {
                from += 4 * LANES;
                to += 4 * LANES;
#if SOURCE_BITS == TARGET_BITS
                if (UNLIKELY(end - from >= COPY_PLAIN_MIN * LANES)) {
                    const ptrdiff_t n = end - from < limit - to ? end - from : limit - to;
                    const size_t n_copied =
                        CONCAT(copy_plain, SOURCE_BITS)(from, n > 0 ? (size_t)n : 0, to);
                    from += n_copied;
                    to += n_copied;
                }
#endif
                continue;
            }
            n_single = 3;
        }
        size_t n_lanes = LANES;
        TARGET_VEC block;
        if (n_left >= LANES) {
            block = NAME(escape_load)(from);
        } else {
            n_lanes = n_left;
            block = NAME(escape_load_first)(from, n_left);
        }
        memcpy(to, &block, sizeof block);
        const uint64_t special =
            CONCAT(TARGET_PREFIX, mask)(CONCAT(TARGET_PREFIX, needs_escape)(block)) &
            low_bits(n_lanes);
        if (LIKELY(special == 0)) {
            to += n_lanes;
        } else {
            to = NAME(escape_block)(block, n_lanes, special, to);
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
#undef DOUBLE_VEC
#undef DOUBLE_PREFIX
#undef PACK_TWO
#undef SOURCE_VEC
#undef LANES
#undef STEP
#undef NAME
