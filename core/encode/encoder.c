/* SPDX-License-Identifier: MIT */
#include "encode/encoder.h"

/* A frame that is packed stays so while others are above it, so all below it are packed, too. */
void encoder_pack_frames(struct encoder *encoder) {
    encoder_raise_generation(encoder);
    for (size_t i = encoder->n_frames; i-- > 0 && !encoder->frames[i].is_packed;) {
        frame_pack(&encoder->frames[i]);
    }
}

bool encoder_own_frames(struct encoder *encoder) {
    encoder_pack_frames(encoder);
    for (size_t i = encoder->n_owning_frames; i < encoder->n_frames; i++) {
        if (!frame_own(&encoder->frames[i])) {
            return false;
        }
        encoder->n_owning_frames = i + 1;
    }
    return true;
}

static bool encoder_grow_frames(struct encoder *encoder, size_t capacity) {
    struct frame *const frames = encoder->frames == encoder->first_frames ? NULL : encoder->frames;
    struct frame *const grown = PyMem_Realloc(frames, capacity * sizeof *frames);
    if (grown == NULL) {
        PyErr_NoMemory();
        return false;
    }
    if (frames == NULL) {
        memcpy(grown, encoder->first_frames, encoder->n_frames * sizeof *grown);
    }
    encoder->frames = grown;
    encoder->frames_end = grown + capacity;
    return true;
}

static int compare_pointers(const void *left, const void *right) {
    const uintptr_t a = (uintptr_t)*(PyObject *const *)left;
    const uintptr_t b = (uintptr_t)*(PyObject *const *)right;
    return (a > b) - (a < b);
}

/* Whether an object occurs twice among the frames and `entered`, which may be NULL: a circular
 * reference. -1 with MemoryError set. */
static int encoder_find_cycle(const struct encoder *encoder, PyObject *entered) {
    const size_t n = encoder->n_frames + 1;
    PyObject **const objects = PyMem_Malloc(n * sizeof *objects);
    if (objects == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < encoder->n_frames; i++) {
        objects[i] = encoder->frames[i].object;
    }
    objects[n - 1] = entered;
    qsort(objects, n, sizeof *objects, compare_pointers);
    int is_found = 0;
    for (size_t i = 1; i < n; i++) {
        is_found |= objects[i] == objects[i - 1];
    }
    PyMem_Free(objects);
    return is_found;
}

/* Whether a frame counts for max_depth. */
static inline bool encoder_counts_frame(enum frame_kind kind) {
    return kind != FRAME_TUPLE && kind != FRAME_DEFAULT;
}

/* Make room for frames up to max_depth; false with the error recorded. Tuples do not count, so
 * their frames are asked about each time. */
static bool encoder_make_room_to_depth(struct encoder *encoder, enum frame_kind entered) {
    size_t depth = 0;
    for (size_t i = 0; i < encoder->n_frames; i++) {
        depth += encoder_counts_frame(encoder->frames[i].kind);
    }
    const size_t n_left =
        depth < encoder->options->max_depth ? encoder->options->max_depth - depth : 0;
    if (n_left == 0 && encoder_counts_frame(entered)) {
        encoder_fail(encoder, ERROR_TOO_DEEP, NULL);
        return false;
    }
    if (!encoder_grow_frames(encoder, encoder->n_frames + (n_left != 0 ? n_left : 1))) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    return true;
}

/* A cycle without iterators never ends, so it is enough to look for one each time the array of
 * frames is full. Where cycles are not checked, an object may be entered within itself down to the
 * recursion limit, as in stdlib: a hook on the way may end the cycle. */
bool encoder_make_room(struct encoder *encoder, PyObject *entered, enum frame_kind kind) {
    if (encoder->options->max_depth != 0) {
        return encoder_make_room_to_depth(encoder, kind);
    }
    const bool check_circular = encoder->options->check_circular;
    if (check_circular || encoder->n_frames >= (size_t)Py_GetRecursionLimit()) {
        const int is_cycle = encoder_find_cycle(encoder, entered);
        if (is_cycle != 0) {
            encoder_fail(encoder,
                         is_cycle < 0     ? ERROR_RAISED
                         : check_circular ? ERROR_CIRCULAR
                                          : ERROR_TOO_DEEP,
                         NULL);
            return false;
        }
    }
    if (!encoder_grow_frames(encoder, 2 * (size_t)(encoder->frames_end - encoder->frames))) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    return true;
}

void encoder_release_popped(struct encoder *encoder) {
    const struct frame frame = encoder->frames[encoder->n_frames];
    encoder->n_default_frames -= frame.kind == FRAME_DEFAULT;
    encoder->n_frames_by_python -= frame.is_made_by_python;
    encoder->n_final_frames -= frame.is_final;
    if (UNLIKELY(encoder->pydantic_depth > encoder->n_frames)) {
        encoder->pydantic_depth = 0;
        encoder->looks_into_dicts = options_look_into_dicts(encoder->options);
    }
    if (encoder->n_distinct_frames > encoder->n_frames) {
        encoder->n_distinct_frames = encoder->n_frames;
    }
    if (encoder->n_owning_frames > encoder->n_frames) {
        encoder->n_owning_frames = encoder->n_frames;
    }
    /* the last reference may run a finaliser, so the frame is popped before. The frames below own
     * what they hold by then: only Python code can have dropped the other references. */
    frame_release(&frame);
}

bool encoder_may_ask_python(struct encoder *encoder) {
    if (encoder->n_frames_by_python >= (size_t)Py_GetRecursionLimit()) {
        encoder_fail(encoder, ERROR_TOO_DEEP, NULL);
        return false;
    }
    if (!encoder->options->check_circular) {
        return true;
    }
    int is_cycle = 0;
    if (encoder->n_frames - encoder->n_distinct_frames > INLINE_FRAMES) {
        is_cycle =
            encoder_find_cycle(encoder, NULL); /* one sort is faster than comparing each pair */
    } else {
        for (size_t i = encoder->n_distinct_frames; i < encoder->n_frames && !is_cycle; i++) {
            is_cycle = encoder_has_frame(encoder, i, encoder->frames[i].object);
        }
    }
    if (is_cycle != 0) {
        encoder_fail(encoder, is_cycle > 0 ? ERROR_CIRCULAR : ERROR_RAISED, NULL);
        return false;
    }
    encoder->n_distinct_frames = encoder->n_frames;
    return true;
}

PyObject *encoder_int_repr(struct encoder *encoder, PyObject *number) {
    Py_INCREF(number);
    PyObject *digits = NULL;
    if (encoder_own_frames(encoder)) {
        digits = PyLong_Type.tp_repr(number);
    }
    if (digits == NULL) {
        encoder_fail(encoder, ERROR_REFUSED, NULL); /* too many digits */
    }
    Py_DECREF(number);
    return digits;
}

enum sort_result encoder_sort(struct encoder *encoder, struct pairs *pairs) {
#if HAS_SORT_MEMORY
    struct sort_memory *const memory = &encoder->options->context->sort_memory;
#else
    struct sort_memory *const memory = NULL;
#endif
    const enum sort_result result = pairs_sort(pairs, memory);
    if (result == SORT_NO_MEMORY) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return result;
}

void encoder_clear(struct encoder *encoder) {
    while (encoder->n_frames > 0) {
        encoder_pop(encoder);
    }
    if (encoder->frames != encoder->first_frames) {
        PyMem_Free(encoder->frames);
    }
    Py_CLEAR(encoder->native_key);
    Py_CLEAR(encoder->streamed_key);
    writer_clear(&encoder->output.writer);
}
