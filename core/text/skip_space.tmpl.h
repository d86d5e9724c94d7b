/* SPDX-License-Identifier: MIT */
/* Template: skip white space of SOURCE_BITS a unit. Defines skip_space_<source>. */

#define NAME(noun) CONCAT(noun, SOURCE_BITS)
#if SOURCE_BITS == 8
typedef uint8_t NAME(space_unit);
typedef u8x16 NAME(space_block);
#elif SOURCE_BITS == 16
typedef uint16_t NAME(space_unit);
typedef u16x8 NAME(space_block);
#else
typedef uint32_t NAME(space_unit);
typedef u32x4 NAME(space_block);
#endif
#define unit_t NAME(space_unit)
#define block_t NAME(space_block)

/* Bytes of all ones where a block's unit is not white space. */
static ALWAYS_INLINE u8x16 NAME(is_no_space)(const unit_t *p) {
    block_t block;
    memcpy(&block, p, sizeof block);
#if SOURCE_BITS == 8 && defined(SIMD_HAS_SHUFFLE)
    /* at the index of a character's low half is the one character that is space there; elsewhere
     * zero, which only NUL equals, and NUL's index holds a space */
    const u8x16 spaces = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};
    return (u8x16)(u8x16_look_up_low_half(spaces, block) != block);
#else
    const block_t is_space =
        (block_t)((block == ' ') | (block == '\n') | (block == '\r') | (block == '\t'));
    return (u8x16)~is_space;
#endif
}

/* The end of white space that is longer than a unit: a line end and the next line's indentation. */
static NOINLINE const unit_t *NAME(skip_space_run)(const unit_t *p, const unit_t *const end) {
    const ptrdiff_t n_lanes = sizeof(block_t) / sizeof(unit_t);
    while (end - p >= 2 * n_lanes) {
        const uint32_t others =
            u8x16_mask_two(NAME(is_no_space)(p), NAME(is_no_space)(p + n_lanes));
        if (LIKELY(others != 0)) {
            return p + trailing_zeros(others) / sizeof(unit_t);
        }
        p += 2 * n_lanes;
    }
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        p++;
    }
    return p;
}

/* The first unit in [p, end) that is not white space, or end. */
static ALWAYS_INLINE const unit_t *NAME(skip_space)(const unit_t *p, const unit_t *const end) {
    if (LIKELY(p < end && *p > ' ')) {
        return p;
    }
    if (end - p > 1 && *p == ' ' && p[1] > ' ') {
        return p + 1;
    }
    return NAME(skip_space_run)(p, end);
}

#undef unit_t
#undef block_t
#undef NAME
