/* SPDX-License-Identifier: MIT */
/* Template: copy and measure runs of SOURCE_BITS units. Defines copy_plain_<source>,
 * measure_escaped_<source> and measure_ratio_<source>. */

#define SOURCE_VEC VEC(SOURCE_BITS)
#define SOURCE_PREFIX VEC_PREFIX(SOURCE_BITS)
#define SOURCE_UNIT VEC_UNIT(SOURCE_BITS)
#define LANES VEC_LANES(SOURCE_BITS)
#define NAME(noun) CONCAT(noun, SOURCE_BITS)

/* Copy units from the beginning of a run of n until one is to be escaped or few are left: the
 * number of those copied, which ends up to 8 vectors before. It may write beyond them, up to n.
 *
 * Each piece of four vectors is loaded before the one before it is stored, because a load stalls on
 * a store shortly before it whose address has the same last twelve bits (4K aliasing), and a text
 * and its copy often lie so. The vectors that are stored are aligned: those that cross cache lines
 * take twice as long. */
static NOINLINE size_t NAME(copy_plain)(const SOURCE_UNIT *from, size_t n, SOURCE_UNIT *to) {
    if (n < COPY_PLAIN_MIN * LANES) {
        return 0;
    }
    SOURCE_VEC first;
    memcpy(&first, from, sizeof first);
    memcpy(to, &first, sizeof first);
    if (CONCAT(SOURCE_PREFIX, mask)(CONCAT(SOURCE_PREFIX, needs_escape)(first)) != 0) {
        return 0;
    }
    size_t n_copied = (VEC_BYTES - ((uintptr_t)to & (VEC_BYTES - 1))) / sizeof *to;
    SOURCE_VEC piece[4];
    memcpy(piece, from + n_copied, sizeof piece);
    do {
        SOURCE_VEC next[4];
        memcpy(next, from + n_copied + 4 * LANES, sizeof next);
        const SOURCE_VEC special = CONCAT(SOURCE_PREFIX, piece_needs_escape)(piece);
        if (CONCAT(SOURCE_PREFIX, mask)(special) != 0) {
            break;
        }
        memcpy(to + n_copied, piece, sizeof piece);
        memcpy(piece, next, sizeof piece);
        n_copied += 4 * LANES;
    } while (n - n_copied >= 8 * LANES);
    return n_copied;
}

#undef SOURCE_VEC
#undef SOURCE_PREFIX
#undef SOURCE_UNIT
#undef LANES
#undef NAME

#define SOURCE_VEC VEC(SOURCE_BITS)
#define SOURCE_PREFIX VEC_PREFIX(SOURCE_BITS)
#define SOURCE_UNIT VEC_UNIT(SOURCE_BITS)
#define LANES VEC_LANES(SOURCE_BITS)
/* few enough to count in a lane of eight bits */
#define MEASURED_BLOCKS 64
#define NAME(noun) CONCAT(noun, SOURCE_BITS)
#define VERB(verb) CONCAT(SOURCE_PREFIX, verb)
#define AT_LEAST(c, min) ((SOURCE_VEC)((c) >= VERB(splat)(min)))

/* The number of units that n units take in addition to one each, tested one by one. */
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
        SOURCE_VEC extra = {0}; /* the number to subtract, in each lane */
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

/* The number of units that each unit takes in a few runs of a long text, 0 where it differs between
 * them. If it is the same in those runs, it most likely is in all of the text, and the text need
 * not be measured. */
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
