/* SPDX-License-Identifier: MIT */
/* Template: write a run of SOURCE_BITS units as UTF-8. Defines escape_utf8_<source>, which stops at
 * a surrogate, which UTF-8 cannot hold, and plain_utf8_blocks_<source>, which stops at what is to
 * be escaped, too. */

#define SOURCE_VEC VEC(SOURCE_BITS)
#define SOURCE_PREFIX VEC_PREFIX(SOURCE_BITS)
#define SOURCE_UNIT VEC_UNIT(SOURCE_BITS)
#define LANES VEC_LANES(SOURCE_BITS)
#define NAME(noun) CONCAT(noun, SOURCE_BITS)
#define VERB(verb) CONCAT(SOURCE_PREFIX, verb)
#define STORE CONCAT(utf8_store, SOURCE_PREFIX)

/* Escape units one by one; returns the place of a surrogate that stopped it, or end. */
static NOINLINE const SOURCE_UNIT *NAME(escape_utf8_units)(const SOURCE_UNIT *from,
                                                           const SOURCE_UNIT *const end,
                                                           uint8_t **const out) {
    uint8_t *to = *out;
    for (; from < end; from++) {
        const uint32_t c = *from;
        if (is_escaped(c)) {
            to = store_escape(to, (uint8_t)c);
        } else if ((c & 0xfffff800) == 0xd800) {
            break;
        } else {
            to = utf8_store_code_point(to, c);
        }
    }
    *out = to;
    return from;
}

static ALWAYS_INLINE const SOURCE_UNIT *NAME(escape_utf8)(const SOURCE_UNIT *from,
                                                          const SOURCE_UNIT *const end,
                                                          uint8_t **const out,
                                                          const uint8_t *const limit) {
    uint8_t *to = *out;
    while (from < end && LIKELY(to <= limit)) {
        const size_t n_left = (size_t)(end - from);
        size_t n = LANES;
#if defined(SIMD_HAS_SHUFFLE)
        uint64_t inside = low_bits(LANES);
        SOURCE_VEC block;
#if SOURCE_BITS == 32 && !defined(SIMD_HAS_COMPRESS)
        if (n_left >= U16_LANES) {
            uint8_t *const after = utf8_store_two_u32(to, from);
            if (LIKELY(after != NULL)) {
                to = after;
                from += U16_LANES;
                continue;
            }
        }
#endif
        if (n_left >= LANES) {
            memcpy(&block, from, sizeof block);
        } else {
            n = n_left;
            inside = low_bits(n);
            block = (SOURCE_VEC)u8_load_first(from, n_left * sizeof *from);
        }
        const SOURCE_VEC is_escape = VERB(needs_escape)(block);
        const SOURCE_VEC is_surrogate = VERB(is_surrogate)(block);
        const uint64_t special = VERB(mask)(is_escape | is_surrogate) & inside;
        if (LIKELY(special == 0)) {
            const uint8_t *const start = to;
            to = STORE(to, block, n, 0, false);
            from += n;
            if (SOURCE_BITS == 16 && to == start + 3 * LANES) {
                const size_t n_more = utf8_store_triples_runs(to, limit, (const void *)from, end);
                to += 3 * n_more;
                from += n_more;
            }
            continue;
        }
        const SOURCE_VEC has_no_letter =
            (SOURCE_VEC)(VERB(escape_letters)(block) == VERB(splat)(0));
        if (LIKELY((VERB(mask)(has_no_letter | is_surrogate) & inside) == 0)) {
            to = STORE(to, block, n, (__typeof__(VERB(mask)(block)))special, true);
            from += n;
            continue;
        }
#else
        n = n_left < LANES ? n_left : LANES;
#endif
        const SOURCE_UNIT *const block_end = from + n;
        uint8_t *slow = to; /* not `to` itself, which should stay in a register */
        from = NAME(escape_utf8_units)(from, block_end, &slow);
        to = slow;
        if (from < block_end) {
            break;
        }
    }
    *out = to;
    return from;
}

#if defined(SIMD_HAS_SHUFFLE) && !defined(SIMD_HAS_COMPRESS)
/* Transcode block by block, until something in a block is to be escaped, or is a surrogate: the
 * number of units. */
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
#endif

#undef SOURCE_VEC
#undef SOURCE_PREFIX
#undef SOURCE_UNIT
#undef LANES
#undef NAME
#undef VERB
#undef STORE
