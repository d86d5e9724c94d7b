/* SPDX-License-Identifier: MIT */
#include "encode/encoder.h"

/* A cycle that is not checked is followed no further than this. */
#define MAX_UNCHECKED_FRAMES ((size_t)1 << 16)

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

/* Frames at which a cycle is an error where cycles are not checked. */
static inline size_t encoder_max_unchecked(const struct encode_options *options) {
    const size_t limit =
        options->max_depth != 0 ? options->max_depth : (size_t)Py_GetRecursionLimit();
    return limit < MAX_UNCHECKED_FRAMES ? limit : MAX_UNCHECKED_FRAMES;
}

/* Whether no cycle is found that must end here; false with the error recorded. Where cycles are not
 * checked, an object may be entered within itself down to the recursion limit, as in stdlib: a hook
 * on the way may end the cycle. */
static bool encoder_check_cycle(struct encoder *encoder, PyObject *entered) {
    const bool check_circular = encoder->options->check_circular;
    if (!check_circular && encoder->n_frames < encoder_max_unchecked(encoder->options)) {
        return true;
    }
    const int is_cycle = encoder_find_cycle(encoder, entered);
    if (is_cycle == 0) {
        return true;
    }
    encoder_fail(encoder,
                 is_cycle < 0     ? ERROR_RAISED
                 : check_circular ? ERROR_CIRCULAR
                                  : ERROR_TOO_DEEP,
                 NULL);
    return false;
}

bool encoder_make_room(struct encoder *encoder, PyObject *entered, enum frame_kind kind) {
    const size_t n = encoder->n_frames;
    const size_t max_depth = encoder->options->max_depth;
    if (kind != FRAME_REPLACEMENT && encoder_is_too_deep(encoder, entered)) {
        encoder_fail(encoder, ERROR_TOO_DEEP, NULL);
        return false;
    }
    const bool is_deeper = n >= encoder->n_cycle_check;
    if (is_deeper) {
        encoder->n_cycle_check = 2 * n;
    }
    /* twice the levels, or twice the text: both together take linear time. Each chunk of a stream
     * would be as much */
    const bool has_grown = encoder->output.frames_stop == NULL && !encoder->is_streaming;
    if ((is_deeper || has_grown) && !encoder_check_cycle(encoder, entered)) {
        return false;
    }
    size_t capacity = (size_t)(encoder->frames_end - encoder->frames);
    if (n == capacity) {
        capacity *= 2;
        if (!encoder_grow_frames(encoder, capacity)) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return false;
        }
    }
    size_t n_stop = encoder->n_cycle_check < capacity ? encoder->n_cycle_check : capacity;
    if (max_depth != 0 && max_depth < n_stop) { /* from there on each entry is checked */
        n_stop = max_depth;
    }
    encoder->output.frames_stop = encoder->frames + n_stop;
    return true;
}

/* Note that the next frame is of another object than those below it: 1 where it is, 0 where it is
 * not, -1 with MemoryError set. */
static int encoder_note_distinct(struct encoder *encoder) {
    struct address_set *const set = &encoder->distinct;
    const size_t n = encoder->n_distinct_frames;
    const struct frame *const frames = encoder->frames;
    int is_new = 1;
    if (n < FEW_FRAMES && set->blocks == NULL) {
        for (size_t i = 0; i < n; i++) {
            is_new &= frames[i].object != frames[n].object;
        }
    } else {
        for (size_t i = set->blocks == NULL ? 0 : n; i <= n && is_new > 0; i++) {
            is_new = address_set_add(set, frames[i].object);
        }
    }
    if (is_new < 0) {
        PyErr_NoMemory();
    }
    encoder->n_distinct_frames += is_new > 0;
    return is_new;
}

/* A frame was popped that was known to be of another object than those below it. */
static void encoder_forget_distinct(struct encoder *encoder, PyObject *object) {
    /* frames that own nothing are popped without a word where a walk fails */
    const bool is_next = encoder->n_distinct_frames == encoder->n_frames + 1;
    encoder->n_distinct_frames = encoder->n_frames;
    if (!is_next || encoder->n_frames < FEW_FRAMES / 2) {
        address_set_clear(&encoder->distinct);
    } else if (encoder->distinct.blocks != NULL) {
        address_set_remove(&encoder->distinct, object);
    }
}

void encoder_release_popped(struct encoder *encoder) {
    const struct frame frame = encoder->frames[encoder->n_frames];
    encoder->n_replacement_frames -= frame.kind == FRAME_REPLACEMENT;
    encoder->n_frames_by_python -= frame.is_made_by_python;
    encoder->n_final_frames -= frame.is_final;
    if (UNLIKELY(encoder->pydantic_depth > encoder->n_frames)) {
        encoder->pydantic_depth = 0;
    }
    if (encoder->n_distinct_frames > encoder->n_frames) {
        encoder_forget_distinct(encoder, frame.object);
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
    while (encoder->n_distinct_frames < encoder->n_frames) {
        const int is_new = encoder_note_distinct(encoder);
        if (is_new <= 0) {
            encoder_fail(encoder, is_new == 0 ? ERROR_CIRCULAR : ERROR_RAISED, NULL);
            return false;
        }
    }
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

#if IS_FREE_THREADED
void encoder_forget_plans(struct encoder *encoder) {
    for (size_t i = 0; i < HELD_PLANS; i++) {
        Py_CLEAR(encoder->held_plans[i].plan);
    }
}
#endif

void encoder_clear(struct encoder *encoder) {
    while (encoder->n_frames > 0) {
        encoder_pop(encoder);
    }
    if (encoder->frames != encoder->first_frames) {
        PyMem_Free(encoder->frames);
    }
#if IS_FREE_THREADED
    encoder_forget_plans(encoder);
#endif
    Py_CLEAR(encoder->native_key);
    Py_CLEAR(encoder->held_value);
    Py_CLEAR(encoder->streamed_key);
    address_set_clear(&encoder->distinct);
    writer_clear(&encoder->output.writer);
}
