/* SPDX-License-Identifier: MIT */
/* Template, part of plain_utf8.h: transcode units of SOURCE_BITS block by block, until something in
 * a block is to be escaped, or is a surrogate. Defines plain_utf8_blocks_<source>. */

#define SOURCE_VEC VEC(SOURCE_BITS)
#define SOURCE_PREFIX VEC_PREFIX(SOURCE_BITS)
#define SOURCE_UNIT VEC_UNIT(SOURCE_BITS)
#define LANES VEC_LANES(SOURCE_BITS)
#define NAME(noun) CONCAT(noun, SOURCE_BITS)
#define VERB(verb) CONCAT(SOURCE_PREFIX, verb)

static ALWAYS_INLINE size_t NAME(plain_utf8_blocks)(const SOURCE_UNIT *from, size_t n,
                                                    uint8_t **out) {
    uint8_t *to = *out;
    size_t at = 0;
    while (at < n) {
        const size_t n_units = n - at < LANES ? n - at : LANES;
        const SOURCE_VEC c = n_units == LANES
                                 ? (SOURCE_VEC)u8_load(from + at)
                                 : (SOURCE_VEC)u8_load_first(from + at, n_units * sizeof *from);
        const SOURCE_VEC is_special = VERB(needs_escape)(c) | VERB(is_surrogate)(c);
        if (UNLIKELY((VERB(mask)(is_special) & low_bits(n_units)) != 0)) {
            break;
        }
        to = CONCAT(utf8_store, SOURCE_PREFIX)(to, c, n_units, 0, false);
        at += n_units;
    }
    *out = to;
    return at;
}

#undef SOURCE_VEC
#undef SOURCE_PREFIX
#undef SOURCE_UNIT
#undef LANES
#undef NAME
#undef VERB
