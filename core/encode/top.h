/* SPDX-License-Identifier: MIT */
/* The frame on top, unpacked so that the walk can take items from it.
 *
 * The invariant: the unpacked data are valid only while no Python code runs and no frame is owned,
 * pushed or popped. Afterwards a list may have moved its items, and a dict that was read in place
 * is replaced by its pairs: an index into its entries would skip some.
 *
 * Two things guard it. The walk sees the encoder through a pointer to const, and every function
 * that may do one of these takes a pointer that is not const: only top_leave gives it, and
 * top_leave drops the unpacked data. The functions that write text (output.h) cannot reach the
 * frames at all. And in builds with assertions each of these actions increments
 * encoder->generation, which every use of a struct top compares. */
#ifndef SSRJSON_ENCODE_TOP_H
#define SSRJSON_ENCODE_TOP_H

#include "encode/encoder.h"

/* Arrays are read as dicts are: entries of n bytes with the value at the end. */
#define ARRAY_ENTRY_BYTES sizeof(PyObject *)
/* Marks entries of dicts with shared keys, whose values are in an array of their own, none
 * missing. */
#define SHARED_ENTRY_BYTES 1

struct top {
    const struct encoder *encoder;
    struct frame *frame; /* NULL where it is to be looked up */
    size_t entry_bytes;  /* 0 where the frame must be unpacked before its next item */
    const char *entries;
    Py_ssize_t index; /* of the next entry */
    Py_ssize_t n;
#ifndef NDEBUG
    size_t generation;
#endif
};

static ALWAYS_INLINE void top_assert_fresh(const struct top *top) {
#ifndef NDEBUG
    assert(top->generation == top->encoder->generation);
#else
    (void)top;
#endif
}

/* The encoder for functions that may run Python code, or own, push or pop frames: afterwards the
 * frame on top must be looked up and unpacked again. */
static ALWAYS_INLINE struct encoder *top_leave(struct top *top) {
    top->frame = NULL;
    top->entry_bytes = 0;
    return (struct encoder *)top->encoder;
}

/* Look up the frame on top; false where there is none. */
static ALWAYS_INLINE bool top_find(struct top *top) {
    if (UNLIKELY(top->encoder->n_frames == 0)) {
        return false;
    }
    top->frame = &top->encoder->frames[top->encoder->n_frames - 1];
    return true;
}

/* Enter a container in place; false with the error recorded. */
static ALWAYS_INLINE bool top_enter(struct top *top, PyObject *container, enum frame_kind kind) {
    top->frame = encoder_enter(top_leave(top), container, kind);
    return LIKELY(top->frame != NULL);
}

/* Leave the container on top and return to the one below; false where there is none. */
static ALWAYS_INLINE bool top_pop(struct top *top) {
    struct frame *const frame = top->frame;
    encoder_pop(top_leave(top));
    if (UNLIKELY(top->encoder->n_frames == 0)) {
        return false;
    }
    top->frame = frame - 1;
    return true;
}

static ALWAYS_INLINE void top_unpack(struct top *top, const void *entries, size_t entry_bytes,
                                     Py_ssize_t n) {
    top->entries = entries;
    top->entry_bytes = entry_bytes;
    top->index = top->frame->index;
    top->n = n;
#ifndef NDEBUG
    top->generation = top->encoder->generation;
#endif
}

/* Whether the current value is an item of an array that is read in place. */
static ALWAYS_INLINE bool top_is_array(const struct top *top) {
    if (top->entry_bytes != ARRAY_ENTRY_BYTES) {
        return false;
    }
    top_assert_fresh(top);
    return true;
}

/* The items of an array. */
static ALWAYS_INLINE PyObject *const *top_items(const struct top *top) {
    top_assert_fresh(top);
    return (PyObject *const *)top->entries;
}

/* The items of an array from the current one on, and their number. */
static ALWAYS_INLINE PyObject *const *top_run(const struct top *top, Py_ssize_t *n) {
    *n = top->n - top->index + 1;
    return top_items(top) + top->index - 1;
}

/* Continue after a run of n_written items, of which the current one was the first. */
static ALWAYS_INLINE void top_skip_run(struct top *top, Py_ssize_t n_written) {
    top_assert_fresh(top);
    top->index += n_written - 1;
    top->frame->index = top->index;
}

/* The next item of an array that is not at its end. */
static ALWAYS_INLINE PyObject *top_next_item(struct top *top) {
    PyObject *const item = top_items(top)[top->index];
    top->frame->index = ++top->index;
    return item;
}

/* The next pair of a dict or of pairs, borrowed; false at the end. */
static ALWAYS_INLINE bool top_next_pair(struct top *top, PyObject **key, PyObject **value) {
    top_assert_fresh(top);
    do {
        if (top->index >= top->n) {
            return false;
        }
        if (UNLIKELY(top->entry_bytes == SHARED_ENTRY_BYTES)) {
            *key = ((PyObject *const *)top->entries)[2 * top->index];
            *value = dict_entries(top->frame->items).values[top->index++];
            break;
        }
    } while (UNLIKELY(!dict_entry(top->entries, top->entry_bytes, NULL, top->index++, key, value)));
    top->frame->index = top->index;
    return true;
}

#endif
