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

/* The end of white space that is longer than a unit: line ends with the next line's indentation. */
static NOINLINE const unit_t *NAME(skip_space_run)(const unit_t *p, const unit_t *const end) {
    while (end - p >= (ptrdiff_t)(sizeof(block_t) / sizeof(unit_t))) {
        block_t block;
        memcpy(&block, p, sizeof block);
        const block_t is_space =
            (block_t)((block == ' ') | (block == '\n') | (block == '\r') | (block == '\t'));
        const uint32_t others = u8x16_mask((u8x16)~is_space);
        if (others != 0) {
            return p + trailing_zeros(others) / sizeof(unit_t);
        }
        p += sizeof(block_t) / sizeof(unit_t);
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
#undef SOURCE_BITS
