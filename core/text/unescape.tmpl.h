/* SPDX-License-Identifier: MIT */
/* Template: take short escapes out of units of SOURCE_BITS. Defines unescape_<source>, its result,
 * and hex_value_<source>. */

#if SOURCE_BITS == 8
#define vec_t u8vec
#define unit_t uint8_t
#define PREFIX u8
#elif SOURCE_BITS == 16
#define vec_t u16vec
#define unit_t uint16_t
#define PREFIX u16
#else
#define vec_t u32vec
#define unit_t uint32_t
#define PREFIX u32
#endif
#define LANES (VEC_BYTES / (SOURCE_BITS / 8))
#define NAME(noun) CONCAT(noun, SOURCE_BITS)
#define SPLAT(value) CONCAT(PREFIX, splat)(value)
#define MASK(condition) CONCAT(PREFIX, mask)((vec_t)(condition))

typedef vec_t NAME(unescape_vec);

/* The characters for the letters after backslashes; 0 for those that have no meaning, and for u. */
static ALWAYS_INLINE vec_t NAME(escape_meanings)(vec_t letters) {
    const vec_t of_b = (vec_t)(letters == SPLAT('b')) & '\b';
    const vec_t of_r = (vec_t)(letters == SPLAT('r')) & '\r';
#if defined(SIMD_HAS_SHUFFLE)
    const u8vec low = (u8vec)(letters & 15);
    const vec_t known = (vec_t)u8_shuffle_groups(u8_load(UNESCAPE_LETTERS), low);
    const vec_t codes = (vec_t)u8_shuffle_groups(u8_load(UNESCAPE_CODES), low);
    return ((vec_t)(letters == known) & codes) | of_b | of_r;
#else
    const vec_t of_itself = (vec_t)(letters == SPLAT('"')) | (vec_t)(letters == SPLAT('\\')) |
                            (vec_t)(letters == SPLAT('/'));
    const vec_t of_f = (vec_t)(letters == SPLAT('f')) & '\f';
    const vec_t of_n = (vec_t)(letters == SPLAT('n')) & '\n';
    const vec_t of_t = (vec_t)(letters == SPLAT('t')) & '\t';
    return (of_itself & letters) | of_b | of_r | of_f | of_n | of_t;
#endif
}

/* A block of a string, decoded unit by unit. */
struct NAME(escaped_block) {
    vec_t meant;
    uint64_t leads;   /* backslashes that begin an escape: they are removed */
    uint64_t escaped; /* the units after them, beyond the block too */
    uint64_t
        stops; /* quotes, control characters, and escaped characters that are no short escape */
};

static ALWAYS_INLINE struct NAME(escaped_block)
    NAME(read_block)(vec_t block, bool is_escaped, bool is_strict) {
    const vec_t is_quote = (vec_t)(block == SPLAT('"'));
    const uint64_t ends = MASK(
        is_quote | ((vec_t)(block < SPLAT(0x20)) & SPLAT(is_strict ? (unit_t) ~(unit_t)0 : 0)));
    const uint64_t leads = escape_leads(MASK(block == SPLAT('\\')), is_escaped);
    const uint64_t escaped = leads << 1 | is_escaped;
    const vec_t meanings = NAME(escape_meanings)(block);
    const uint64_t meaningless = MASK(meanings == SPLAT(0));
    const vec_t is_letter = CONCAT(PREFIX, from_mask)(escaped);
    return (struct NAME(escaped_block)){
        .meant = (is_letter & meanings) | (~is_letter & block),
        .leads = leads,
        .escaped = escaped,
        .stops = (ends & ~escaped) | (meaningless & escaped & low_bits(LANES)),
    };
}

struct NAME(unescaped) {
    const unit_t *from; /* after the last unit that was read */
    unit_t *out;        /* after the last unit that was written */
    bool has_stopped; /* at a quote, a control character, the end, or an escape that is not short */
    bool is_escaped;  /* the next unit is after a backslash */
};

/* Read the text of a string from `from` on, UNESCAPE_BLOCKS blocks at most, and write its decoded
 * units to `out`, which has room for one block more than that. *greatest is raised to the greatest
 * unit that was read, lane by lane. */
static ALWAYS_INLINE struct NAME(unescaped)
    NAME(unescape)(const unit_t *from, const unit_t *const end, bool is_escaped, bool is_strict,
                   unit_t *out, NAME(unescape_vec) * greatest) {
    vec_t widest = *greatest;
    vec_t block = {0};
    uint64_t outside = 0;
    size_t n_blocks = (size_t)(end - from) / LANES;
    n_blocks = n_blocks < UNESCAPE_BLOCKS ? n_blocks : UNESCAPE_BLOCKS;
    if (n_blocks > 0) {
        memcpy(&block, from, sizeof block);
    }
    struct NAME(escaped_block) read;
    for (;;) {
        if (n_blocks == 0) {
            const size_t n_left = (size_t)(end - from);
            if (n_left >= LANES) {
                *greatest = widest;
                return (struct NAME(unescaped)){.from = from, .out = out, .is_escaped = is_escaped};
            }
            block = (vec_t){0};
            if (n_left > 0) { /* after the text there may be no page */
                block = (vec_t)u8_load_first(from, n_left * sizeof *from);
            }
            outside = ~low_bits(n_left);
        }
        read = NAME(read_block)(block, is_escaped, is_strict);
        read.stops |= outside;
        if (read.stops != 0) {
            break;
        }
        widest = __builtin_elementwise_max(widest, block);
        from += LANES;
        n_blocks--;
        /* before the store, whose address is known late: loads stall until the addresses of older
         * stores are known */
        if (n_blocks > 0) {
            memcpy(&block, from, sizeof block);
        }
        out = NAME(compress)(out, read.meant, ~read.leads & low_bits(LANES));
        is_escaped = read.leads >> (LANES - 1) & 1;
    }
    const unsigned n = trailing_zeros(read.stops);
    block = (vec_t)u8_keep_first((u8vec)block, n * sizeof *from);
    *greatest = __builtin_elementwise_max(widest, block);
    return (struct NAME(unescaped)){
        .from = from + n,
        .out = NAME(compress)(out, read.meant, ~read.leads & low_bits(n)),
        .has_stopped = true,
        .is_escaped = read.escaped >> n & 1,
    };
}

/* The value of four hex digits at p; negative where they are not hex digits. */
static ALWAYS_INLINE int32_t NAME(hex_value)(const unit_t *p) {
#if SOURCE_BITS > 8
    if (UNLIKELY((p[0] | p[1] | p[2] | p[3]) > 0xff)) {
        return -1;
    }
#endif
    return (int32_t)((uint32_t)HEX_VALUES[p[0]] << 12 | (uint32_t)HEX_VALUES[p[1]] << 8 |
                     (uint32_t)HEX_VALUES[p[2]] << 4 | (uint32_t)HEX_VALUES[p[3]]);
}

#undef vec_t
#undef unit_t
#undef PREFIX
#undef LANES
#undef NAME
#undef SPLAT
#undef MASK
