/* SPDX-License-Identifier: MIT */
/* Template: copy a long run of units of SOURCE_BITS in which nothing is to be escaped. Defines
 * copy_plain_<source>. */

#define SOURCE_VEC VEC(SOURCE_BITS)
#define SOURCE_PREFIX VEC_PREFIX(SOURCE_BITS)
#define SOURCE_UNIT VEC_UNIT(SOURCE_BITS)
#define LANES VEC_LANES(SOURCE_BITS)
#define NAME(noun) CONCAT(noun, SOURCE_BITS)

/* Copy units from the beginning of a run of n until one is to be escaped or few are left: the
 * number of those copied, which ends up to 8 vectors before. It may write beyond them, up to n.
 *
 * Each piece of four vectors is loaded before the one before it is stored, because a load waits
 * for a store shortly before it whose address has the same last twelve bits, and a text and its
 * copy often lie so. The vectors that are stored are aligned: those that cross cache lines take
 * twice as long. */
static NOINLINE size_t NAME(copy_plain)(const SOURCE_UNIT *from, size_t n, SOURCE_UNIT *to) {
    if (n < COPY_PLAIN_LEAST * LANES) {
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
