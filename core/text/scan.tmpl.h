/* SPDX-License-Identifier: MIT */
/* Template: skip white space of SOURCE_BITS a unit, and scan units up to a quote, a backslash or a
 * control character. Defines skip_space_<source>, scan_string_<source> and copy_string_<source>. */

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
    while (p < end && is_space(*p)) {
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

#define SOURCE_VEC VEC(SOURCE_BITS)
#define SOURCE_PREFIX VEC_PREFIX(SOURCE_BITS)
#define SOURCE_UNIT VEC_UNIT(SOURCE_BITS)
#define LANES VEC_LANES(SOURCE_BITS)
#define NAME(noun) CONCAT(noun, SOURCE_BITS)

/* Skip pieces of four vectors without a special unit; the last units of the text are left.
 * *greatest is raised by them, lane by lane. */
static NOINLINE const SOURCE_UNIT *NAME(scan_string_pieces)(const SOURCE_UNIT *from,
                                                            const SOURCE_UNIT *const end,
                                                            SOURCE_VEC *greatest) {
    SOURCE_VEC widest = *greatest;
    while ((size_t)(end - from) > 4 * LANES) {
        SOURCE_VEC piece[4];
        memcpy(piece, from, sizeof piece);
        if (CONCAT(SOURCE_PREFIX, mask)(CONCAT(SOURCE_PREFIX, piece_needs_escape)(piece)) != 0) {
            break;
        }
        for (int i = 0; i < 4; i++) {
            widest = __builtin_elementwise_max(widest, piece[i]);
        }
        from += 4 * LANES;
    }
    *greatest = widest;
    return from;
}

/* The first special unit in [from, end), or end, or a plain unit after SCAN_PAUSE_UNITS or more.
 * *widest is raised to the greatest unit before it, exact where that is 0x80 or more. */
static ALWAYS_INLINE const SOURCE_UNIT *NAME(scan_string)(const SOURCE_UNIT *from,
                                                          const SOURCE_UNIT *const end,
                                                          uint32_t *widest) {
#if VEC_BYTES == 64 && SOURCE_BITS == 8
    if (LIKELY(end - from >= PART_BYTES)) {
        const uint8_t *const stop = scan_short_string(from, widest);
        if (LIKELY(stop != NULL)) {
            return stop;
        }
    }
#endif
    SOURCE_VEC greatest = {0};
    const SOURCE_UNIT *const begin = from;
    while (from < end) {
        if (UNLIKELY(from == begin + 2 * LANES)) {
            const bool is_near = end - begin <= SCAN_PAUSE_UNITS + 4 * LANES;
            const SOURCE_UNIT *const pause = begin + SCAN_PAUSE_UNITS + 4 * LANES;
            from = NAME(scan_string_pieces)(from, is_near ? end : pause, &greatest);
            if (UNLIKELY(from >= begin + SCAN_PAUSE_UNITS)) {
                break;
            }
        }
        const size_t n_left = (size_t)(end - from);
        size_t n_lanes = LANES;
        SOURCE_VEC block;
        if (n_left >= LANES) {
            memcpy(&block, from, sizeof block);
        } else {
            n_lanes = n_left;
            block = (SOURCE_VEC)u8_load_first(from, n_left * sizeof *from);
        }
        const uint64_t special =
            CONCAT(SOURCE_PREFIX, mask)(CONCAT(SOURCE_PREFIX, needs_escape)(block)) &
            low_bits(n_lanes);
        if (special != 0) {
            n_lanes = trailing_zeros(special);
            block = (SOURCE_VEC)u8_keep_first((u8vec)block, n_lanes * sizeof *from);
        }
        greatest = __builtin_elementwise_max(greatest, block);
        from += n_lanes;
        if (special != 0) {
            break;
        }
    }
    if (CONCAT(SOURCE_PREFIX, mask)((SOURCE_VEC)(greatest >= CONCAT(SOURCE_PREFIX, splat)(0x80))) !=
        0) {
        const uint32_t found = __builtin_reduce_max(greatest);
        *widest = *widest > found ? *widest : found;
    }
    return from;
}

/* Copy the units of [from, end) up to the first special one: its place, or end. There is room for
 * all of them. */
static NOINLINE const SOURCE_UNIT *NAME(copy_string)(const SOURCE_UNIT *from,
                                                     const SOURCE_UNIT *const end,
                                                     SOURCE_UNIT *to) {
    const size_t n_copied = NAME(copy_plain)(from, (size_t)(end - from), to);
    from += n_copied;
    to += n_copied;
    while ((size_t)(end - from) >= LANES) {
        SOURCE_VEC block;
        memcpy(&block, from, sizeof block);
        memcpy(to, &block, sizeof block);
        if (CONCAT(SOURCE_PREFIX, mask)(CONCAT(SOURCE_PREFIX, needs_escape)(block)) != 0) {
            break;
        }
        from += LANES;
        to += LANES;
    }
    while (from < end && !is_escaped(*from)) {
        *to++ = *from++;
    }
    return from;
}

#undef SOURCE_VEC
#undef SOURCE_PREFIX
#undef SOURCE_UNIT
#undef LANES
#undef NAME
