/* SPDX-License-Identifier: MIT */
/* Template: escape a run of SOURCE_BITS units into UTF-8. Defines escape_utf8_<source>. It stops
 * at a surrogate, which UTF-8 cannot hold. */

#if SOURCE_BITS == 8
#define SOURCE_VEC u8vec
#define SOURCE_PREFIX u8
#elif SOURCE_BITS == 16
#define SOURCE_VEC u16vec
#define SOURCE_PREFIX u16
#else
#define SOURCE_VEC u32vec
#define SOURCE_PREFIX u32
#endif

#define SOURCE_UNIT __typeof__(((SOURCE_VEC){0})[0])
#define LANES (VEC_BYTES / (SOURCE_BITS / 8))
#define NAME(noun) CONCAT(noun, SOURCE_BITS)
#define STORE CONCAT(utf8_store, SOURCE_PREFIX)

static ALWAYS_INLINE const SOURCE_UNIT *NAME(escape_utf8)(const SOURCE_UNIT *from,
                                                          const SOURCE_UNIT *const end,
                                                          uint8_t **const out,
                                                          const uint8_t *const limit) {
    uint8_t *to = *out;
    while (from < end && LIKELY(to <= limit)) {
        const size_t n_left = (size_t)(end - from);
        size_t n_lanes = LANES;
        SOURCE_VEC block;
        if (n_left >= LANES) {
            memcpy(&block, from, sizeof block);
        } else {
            n_lanes = n_left;
            block = (SOURCE_VEC)u8_load_first(from, n_left * sizeof *from);
        }
        const uint64_t stops = CONCAT(SOURCE_PREFIX, stops)(block) & low_bits(n_lanes);
        if (LIKELY(stops == 0)) {
            to = STORE(to, block, n_lanes);
            from += n_lanes;
            continue;
        }
        /* what is before the first stop, then the stop itself */
        n_lanes = trailing_zeros(stops);
        block = (SOURCE_VEC)u8_keep_first((u8vec)block, n_lanes * sizeof *from);
        to = STORE(to, block, n_lanes);
        from += n_lanes;
        if (UNLIKELY(!is_escaped(*from))) {
            break;
        }
        to = store_escape(to, (uint8_t)*from++);
    }
    *out = to;
    return from;
}

#undef SOURCE_VEC
#undef SOURCE_PREFIX
#undef SOURCE_UNIT
#undef LANES
#undef NAME
#undef STORE
#undef SOURCE_BITS
