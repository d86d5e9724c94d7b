/* SPDX-License-Identifier: MIT */
/* The last result, whose memory the next call takes again: most callers send or store a text and
 * drop it before they ask for the next. So one reference to it is kept. When that is the only one
 * left, nobody else can reach the object, and its memory becomes the next result: nothing is
 * allocated, no page is new to the process, and the memory is in the CPU's cache.
 *
 * What bounds it:
 * - Where the caller still holds the last result, the next RECYCLED_PAUSE calls make new objects of
 *   the exact size and keep no reference. So of results that are stored one in seventeen has memory
 *   to spare.
 * - A text of less than half the memory gets an object of its own. After RECYCLED_MISFITS of those
 *   the memory is freed.
 * - Of each type an interpreter keeps RECYCLED_MOST_BYTES at most.
 *
 * A call takes the object out of its place before it writes to it, so that a call within the call,
 * of a hook, finds none. A str is not taken again when it was interned, because the table of
 * interned strs holds it without a reference that counts, nor when it got a UTF-8 cache.
 *
 * Streams, the portable level and free-threaded builds do without: there a count of one does not
 * say that nobody else can reach the object. */
#ifndef SSRJSON_CACHE_RECYCLED_H
#define SSRJSON_CACHE_RECYCLED_H

#include "pyobject/unicode.h"

#define HAS_RECYCLED (KNOWS_LAYOUTS && !IS_FREE_THREADED)

#define RECYCLED_PAUSE 16
#define RECYCLED_MISFITS 9
#define RECYCLED_MOST_BYTES ((size_t)2 << 20)
/* A shorter text is not worth it, and bytes of one character are objects that everybody shares. */
#define RECYCLED_LEAST_BYTES 8

/* The result of one type. */
struct recycled {
    PyObject *object;  /* owned bytes or str, NULL: none */
    size_t n_bytes;    /* of text that the object has room for; of a str where it is ASCII */
    uint8_t n_pause;   /* calls to go until a result is kept again */
    uint8_t n_misfits; /* texts since, for which the memory was much too large */
};

/* One of each type, so that calls for bytes and for str may take turns. */
struct recycled_results {
    struct recycled bytes;
    struct recycled str;
};

#if HAS_RECYCLED
/* Whether an object is kept that nobody else can reach. */
static ALWAYS_INLINE bool recycled_is_free(const struct recycled *recycled) {
    PyObject *const object = recycled->object;
    return object != NULL && Py_REFCNT(object) == 1 &&
           (PyBytes_CheckExact(object) || unicode_is_only_ours(object));
}

/* Whether the object that is kept fits a text of n_bytes: it is free, and neither too small nor
 * much too large. */
static ALWAYS_INLINE bool recycled_fits(const struct recycled *recycled, size_t n_bytes) {
    return recycled_is_free(recycled) && n_bytes <= recycled->n_bytes &&
           2 * n_bytes >= recycled->n_bytes;
}

/* Take out the object that is kept: a reference, the only one. */
static ALWAYS_INLINE PyObject *recycled_take(struct recycled *recycled) {
    assert(recycled_is_free(recycled));
    PyObject *const object = recycled->object;
    recycled->object = NULL;
    return object;
}

/* Keep an object with room for n_bytes: a reference is stolen. */
static ALWAYS_INLINE void recycled_keep(struct recycled *recycled, PyObject *object,
                                        size_t n_bytes) {
    PyObject *const other = recycled->object; /* of a call within this one */
    recycled->object = object;
    recycled->n_bytes = n_bytes;
    Py_XDECREF(other);
}

/* Note a text for which the memory is much too large: false where it is to be freed. */
static inline bool recycled_note_misfit(struct recycled *recycled) {
    recycled->n_misfits++;
    return recycled->n_misfits < RECYCLED_MISFITS;
}

/* Whether to keep a reference to the object that is made for a text of n_bytes, because none is
 * kept that fits. */
static inline bool recycled_wants(struct recycled *recycled, size_t n_bytes) {
    if (recycled->object != NULL) {
        if (recycled_is_free(recycled) && n_bytes <= recycled->n_bytes &&
            recycled_note_misfit(recycled)) {
            return false;
        }
        if (Py_REFCNT(recycled->object) != 1) {
            recycled->n_pause = RECYCLED_PAUSE;
        }
        Py_CLEAR(recycled->object);
    }
    if (recycled->n_pause != 0) {
        recycled->n_pause--;
        return false;
    }
    recycled->n_misfits = 0;
    return n_bytes >= RECYCLED_LEAST_BYTES && n_bytes <= RECYCLED_MOST_BYTES;
}
#endif

static inline void recycled_results_clear(struct recycled_results *results) {
    Py_CLEAR(results->bytes.object);
    Py_CLEAR(results->str.object);
}

#endif
