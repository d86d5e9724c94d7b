/* SPDX-License-Identifier: MIT */
/* The frame on top, and what the walk's loop keeps of it in registers: its layout and where its
 * next entry is.
 *
 * That is valid only while no Python code runs and no frame is owned, pushed or popped. Afterwards
 * a list may have moved its items, and a dict that was read in place is replaced by its pairs: an
 * address of its entries would be one of freed memory. So the loop calls what may do one of these
 * with top_leave(): it gives the encoder, and drops what was kept. The functions that write text
 * take a struct output (output.h), from which the frames cannot be reached. In builds with
 * assertions each of these actions increments encoder->generation, which every use of a struct top
 * compares.
 *
 * Frames below keep their layouts while the walk is in a container within them. Whatever may run
 * Python code packs them all: see encoder_own_frames. */
#ifndef SSRJSON_ENCODE_TOP_H
#define SSRJSON_ENCODE_TOP_H

#include "encode/encoder.h"

struct top {
    struct encoder *encoder;
    struct frame *frame; /* NULL where it is to be looked up */
    size_t layout;       /* enum frame_layout; LAYOUT_NONE where the frame must be looked up, or is
                            pulled */
    const char *at;      /* the next entry */
    const char *end;
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
 * frame on top must be looked up again. */
static ALWAYS_INLINE struct encoder *top_leave(struct top *top) {
    struct encoder *const encoder = top->encoder;
    if (top->layout != LAYOUT_NONE) {
        top_assert_fresh(top);
        top->frame->at = top->at;
        encoder->n_frames = (size_t)(top->frame - encoder->frames) + 1;
    }
    top->frame = NULL;
    top->layout = LAYOUT_NONE;
    return encoder;
}

/* Look up the frame on top; false where there is none. */
static ALWAYS_INLINE bool top_find(struct top *top) {
    if (UNLIKELY(top->encoder->n_frames == 0)) {
        return false;
    }
    top->frame = &top->encoder->frames[top->encoder->n_frames - 1];
    return true;
}

/* Copy the layout, and where the entries are, from the frame that was looked up and unpacked. */
static ALWAYS_INLINE void top_take(struct top *top) {
    top->layout =
        UNLIKELY(!top->encoder->output.is_on_one_line) ? LAYOUT_LINES : top->frame->layout;
    top->at = top->frame->at;
    top->end = top->frame->end;
#ifndef NDEBUG
    top->generation = top->encoder->generation;
#endif
}

/* Levels of the text that are open in the frame on top. */
static ALWAYS_INLINE size_t top_depth(const struct top *top) {
    return (size_t)(top->frame - top->encoder->frames) + 1 - top->encoder->n_replacement_frames;
}

/* Whether a container in the frame on top may be beyond max_depth. Asked where a container is
 * written without being entered; encoder_make_room checks those that are. */
static ALWAYS_INLINE bool top_is_deep(const struct top *top) {
    const struct encoder *const encoder = top->encoder;
    const size_t n_frames =
        top->layout != LAYOUT_NONE ? (size_t)(top->frame - encoder->frames) + 1 : encoder->n_frames;
    return encoder->options->max_depth != 0 && n_frames >= encoder->options->max_depth;
}

/* Give the frame that was looked up, which is read in place, its layout, if it has none, and read
 * its entries from here on. */
static ALWAYS_INLINE void top_unpack(struct top *top) {
    if (top->frame->layout == LAYOUT_NONE) {
        frame_unpack(top->frame);
    }
    top_take(top);
}

/* Enter a container whose entries are known to be read in place: within another one that is, or as
 * the outermost. False where encoder_enter must do it, as in text that is not on one line. */
static ALWAYS_INLINE bool top_enter_quickly(struct top *top, PyObject *container,
                                            enum frame_kind kind, enum frame_layout layout,
                                            const void *entries, size_t n_bytes) {
    struct encoder *const encoder = top->encoder;
    struct frame *const below = top->frame;
    struct frame *frame = encoder->frames;
    if (LIKELY(top->layout >= LAYOUT_ITEMS)) {
        top_assert_fresh(top);
        frame = below + 1;
        if (UNLIKELY(frame >= encoder->output.frames_stop)) {
            return false;
        }
        below->at = top->at;
    } else if (encoder->n_frames != 0 || !encoder->reads_in_place ||
               !encoder->output.is_on_one_line) {
        return false;
    }
    top->at = entries;
    top->end = top->at + n_bytes;
    top->layout = layout;
    top->frame = frame;
    encoder_enter_quickly(encoder, frame, container, kind, layout, top->end);
#ifndef NDEBUG
    top->generation = encoder->generation;
#endif
    return true;
}

/* Leave the container on top, which is read in place, and return to the one below. False where that
 * one must be looked up, and unpacked, or there is none. */
static ALWAYS_INLINE bool top_pop(struct top *top) {
    struct encoder *const encoder = top->encoder;
    struct frame *const frame = top->frame;
    top_assert_fresh(top);
    if (UNLIKELY(frame->has_holdings) || UNLIKELY(frame == encoder->frames) ||
        UNLIKELY(frame[-1].layout == LAYOUT_NONE)) {
        encoder_pop(top_leave(top));
        return false;
    }
    encoder_raise_generation(encoder);
    top->frame = frame - 1;
    top_take(top);
    return true;
}

/* The number of items of an array from the current one on, which has been taken. */
static ALWAYS_INLINE Py_ssize_t top_n_left(const struct top *top) {
    top_assert_fresh(top);
    return (PyObject *const *)top->end - (PyObject *const *)top->at + 1;
}

/* The items of an array from the current one on. */
static ALWAYS_INLINE PyObject *const *top_run(const struct top *top) {
    top_assert_fresh(top);
    return (PyObject *const *)top->at - 1;
}

/* Continue after a run of n_written items, of which the current one was the first. */
static ALWAYS_INLINE void top_skip_run(struct top *top, Py_ssize_t n_written) {
    top_assert_fresh(top);
    top->at = (const char *)((PyObject *const *)top->at + n_written - 1);
}

/* The prefetch distance, in entries: the object of the entry that is this far ahead is prefetched,
 * because it may be anywhere in memory. Out-of-order execution does not reach that far, because it
 * waits at branches on the current object. 200,000 Chinese strs in shuffled memory take 0.56 of the
 * time with it (Zen 4, 2026-11-25). With 8 items ahead they take 0.46, but dicts that hold
 * lists 1.2. */
#define ITEMS_AHEAD 4
#define VALUES_AHEAD 3

/* The next item of an array that is not at its end. */
static ALWAYS_INLINE PyObject *top_next_item(struct top *top) {
    top_assert_fresh(top);
    PyObject *const *const next = (PyObject *const *)top->at;
    top->at += sizeof *next;
    if (top->end - top->at >= (ptrdiff_t)(ITEMS_AHEAD * sizeof *next)) {
        __builtin_prefetch(next[ITEMS_AHEAD]);
    }
    return next[0];
}

/* Have the CPU fetch what the entries of the next item are in, where the current one is a container
 * of a type in an array, and the next one is of that type, too. */
static ALWAYS_INLINE void top_prefetch_entries(const struct top *top, const PyTypeObject *type) {
    if (IS_FREE_THREADED || top->layout != LAYOUT_ITEMS || top->at == top->end) {
        return;
    }
    PyObject *const next = *(PyObject *const *)top->at;
    if (Py_TYPE(next) != type) {
        return;
    }
    if (type == &PyDict_Type) {
        dict_prefetch_keys(next);
    } else {
        assert(type == &PyList_Type);
        __builtin_prefetch(((PyListObject *)next)->ob_item);
    }
}

/* The next pair of LAYOUT_STR_PAIRS that is not at its end, borrowed. */
static ALWAYS_INLINE void top_next_str_pair(struct top *top, PyObject **key, PyObject **value) {
    top_assert_fresh(top);
    PyObject *const *const next = (PyObject *const *)top->at;
    *key = next[0];
    *value = next[1];
    top->at += STR_PAIR_BYTES;
    if (top->end - top->at >= (ptrdiff_t)(VALUES_AHEAD * STR_PAIR_BYTES)) {
        __builtin_prefetch(next[2 * VALUES_AHEAD + 1]);
    }
}

/* The next pair of LAYOUT_SHARED that is not at its end, borrowed. The values are half as far apart
 * as the keys: frame->values is their address minus half the address of the keys. */
static ALWAYS_INLINE void top_next_shared_pair(struct top *top, PyObject **key, PyObject **value) {
    top_assert_fresh(top);
    *key = ((PyObject *const *)top->at)[0];
    *value = *(PyObject *const *)(top->frame->values + (uintptr_t)top->at / 2);
    top->at += STR_PAIR_BYTES;
}

/* The next pair of LAYOUT_PAIRS, borrowed; false at the end. */
static ALWAYS_INLINE bool top_next_pair(struct top *top, PyObject **key, PyObject **value) {
    top_assert_fresh(top);
    do {
        if (top->at == top->end) {
            return false;
        }
        top->at += top->frame->entry_bytes;
        *key = ((PyObject *const *)top->at)[-2];
        *value = ((PyObject *const *)top->at)[-1];
    } while (UNLIKELY(*value == NULL));
    return true;
}

/* Leave the loop's way to read a frame of LAYOUT_PAIRS, because the key of the pair that was just
 * taken is not an exact str: this pair and all after it are pulled, by encoder_next. */
static ALWAYS_INLINE void top_pull_from_here(struct top *top) {
    struct frame *const frame = top->frame;
    top->at -= frame->entry_bytes;
    top_leave(top);
    frame_pack(frame);
    frame->is_packed = false; /* those below are not */
    frame->is_in_place = false;
}

#endif
