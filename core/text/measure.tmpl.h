/* SPDX-License-Identifier: MIT */
/* Template: measure a run of SOURCE_BITS units. Defines measure_escaped_<source> and
 * measure_ratio_<source>. */
#include "text/escape.h"

#define SOURCE_VEC VEC(SOURCE_BITS)
#define SOURCE_PREFIX VEC_PREFIX(SOURCE_BITS)
#define SOURCE_UNIT VEC_UNIT(SOURCE_BITS)
#define LANES VEC_LANES(SOURCE_BITS)
/* so few that a lane of eight bits can count them */
#define MEASURED_BLOCKS 64
#define NAME(noun) CONCAT(noun, SOURCE_BITS)
#define VERB(verb) CONCAT(SOURCE_PREFIX, verb)
#define AT_LEAST(c, least) ((SOURCE_VEC)((c) >= VERB(splat)(least)))

/* What n units take beyond one each, looked at one by one. */
static ALWAYS_INLINE size_t NAME(measure_units)(const SOURCE_UNIT *from, size_t n, bool to_utf8) {
    size_t n_extra = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t c = from[i];
        if (is_escaped(c)) {
            n_extra += (ESCAPE_TABLE[c] >> 56) - 1;
        } else if (to_utf8) {
            n_extra += (size_t)(c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
        }
    }
    return n_extra;
}

/* The units that n units become, escaped and, where to_utf8, transcoded. */
static NOINLINE size_t NAME(measure_escaped)(const SOURCE_UNIT *from, size_t n, bool to_utf8) {
    size_t n_units = n;
    while (n >= LANES) {
        const size_t n_blocks = n / LANES < MEASURED_BLOCKS ? n / LANES : MEASURED_BLOCKS;
        SOURCE_VEC extra = {0}; /* less so many, in each lane */
        for (size_t block = 0; block < n_blocks; block++) {
            SOURCE_VEC c;
            memcpy(&c, from + block * LANES, sizeof c);
            extra += AT_LEAST(c, 0x80);
#if SOURCE_BITS > 8
            extra += AT_LEAST(c, 0x800);
#endif
#if SOURCE_BITS > 16
            extra += AT_LEAST(c, 0x10000);
#endif
            if (UNLIKELY(VERB(mask)(VERB(needs_escape)(c)) != 0)) {
                n_units += NAME(measure_units)(from + block * LANES, LANES, false);
            }
        }
        for (int lane = 0; to_utf8 && lane < LANES; lane++) {
            n_units += (SOURCE_UNIT)-extra[lane];
        }
        from += n_blocks * LANES;
        n -= n_blocks * LANES;
    }
    return n_units + NAME(measure_units)(from, n, to_utf8);
}

/* How many units runs here and there in a long text take for each of theirs, 0 where that is not
 * one number: most likely it then holds for all of the text, and no look at the whole is needed. */
static inline size_t NAME(measure_ratio)(const SOURCE_UNIT *from, size_t n, bool to_utf8) {
    enum { SAMPLES = 16, SAMPLE = 64 };
    assert(n >= SAMPLES * SAMPLE);
    const size_t first = NAME(measure_escaped)(from, SAMPLE, to_utf8);
    for (size_t i = 1; i < SAMPLES; i++) {
        if (NAME(measure_escaped)(from + n / SAMPLES * i, SAMPLE, to_utf8) != first) {
            return 0;
        }
    }
    return first % SAMPLE == 0 ? first / SAMPLE : 0;
}

#undef SOURCE_VEC
#undef SOURCE_PREFIX
#undef SOURCE_UNIT
#undef LANES
#undef MEASURED_BLOCKS
#undef NAME
#undef VERB
#undef AT_LEAST
