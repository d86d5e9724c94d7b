/* SPDX-License-Identifier: MIT */
/* The state of one encoding call: the output, the containers being walked, and the error.
 *
 * Nesting is kept in an array of frames, not on the C stack. Containers and items are borrowed
 * while only builtin code runs. Python code may run in a hook, an overridden method, a comparison,
 * or an allocation that collects garbage. Before that, encoder_own_frames takes references and
 * freezes the items of dicts that are being walked; containers that are entered later are borrowed
 * again. Without the GIL every container is frozen on entry: see encode/uncommon.h. */
#ifndef SSRJSON_ENCODE_ENCODER_H
#define SSRJSON_ENCODE_ENCODER_H

#include "encode/frame.h"
#include "encode/key_texts.h"
#include "encode/output.h"
#include "pyobject/dict.h"
#include "pyobject/type.h"

#define INLINE_FRAMES 128

/* How a walk over one kind of output ended. */
enum walk_status {
    WALK_DONE,
    WALK_PAUSED,      /* a chunk is full: continue at the frame on top */
    WALK_FAILED,      /* the error says why */
    WALK_WANTS_WIDER, /* the output cannot hold a string: continue with wanted_form */
};

/* Where a walk that wants a wider output continues. */
enum resume_point {
    RESUME_VALUE,
    RESUME_KEY,
    RESUME_FRAME,
};

struct encoder {
    struct output output;
    const struct encode_options *options; /* the same as those of the output */
    struct frame *frames;
    size_t n_frames; /* stale while the walk has the frame on top in a struct top: see top_leave */
    struct frame *frames_end;
    size_t n_default_frames;   /* they add no level to the text */
    size_t n_frames_by_python; /* limited, because each may return another one for ever */
    size_t n_final_frames;    /* values that hooks returned where types are exact: no hook is called
                                 within them */
    size_t n_distinct_frames; /* n frames from the bottom are known to be of different objects */
    size_t n_owning_frames;   /* n frames from the bottom own what they hold */
    bool reads_in_place;      /* builtin containers are read in place; otherwise, and where a frame
                                 is of another kind, encoder_next finds each item */
    bool has_float_runs;      /* consecutive floats are formatted together */
    bool looks_into_dicts;    /* dicts are inspected before they are entered: keys may be sorted, or
                                 refused */
    bool is_streaming; /* the caller gets the text in chunks, and Python code runs between them */
    bool is_converted; /* the text is converted to another type or form at the end */
    enum resume_point resume;
    size_t chunk_bytes; /* of a stream: it pauses after this much text */
    PyObject *key; /* borrowed from the frame on top; not set while the walk has the key in a local
                      variable */
    PyObject *native_key;   /* owned: the replacement of a key of a native type, or NULL */
    PyObject *streamed_key; /* owned: the last key that was taken out of a streamed dict */
    PyObject *value;        /* borrowed from the frame on top, or the root */
    struct sort_memory sort_memory;
    uint32_t key_epoch;      /* of the texts of keys that may be used; 0: begin another */
    bool has_failed_at_key;  /* the error is not at a value of the container on top */
    bool has_failed_at_next; /* while it looked for its next item */
#ifndef NDEBUG
    size_t
        generation; /* incremented by every action that makes an unpacked frame stale: see top.h */
#endif
    struct frame inline_frames[INLINE_FRAMES];
};

/* The output of an encoder whose frames must not change: const protects the frames only. */
static ALWAYS_INLINE struct output *encoder_output(const struct encoder *encoder) {
    return (struct output *)&encoder->output;
}

/* Record an error; the culprit is borrowed. */
static COLD void encoder_fail(struct encoder *encoder, enum error_kind kind, PyObject *culprit) {
    output_fail(&encoder->output, kind, culprit);
}

static ALWAYS_INLINE bool encoder_has_failed(const struct encoder *encoder) {
    return output_has_failed(&encoder->output);
}

/* From here on, the data that were unpacked of a frame are stale. */
static ALWAYS_INLINE void encoder_raise_generation(struct encoder *encoder) {
#ifndef NDEBUG
    encoder->generation++;
#else
    (void)encoder;
#endif
}

/* No text of a key that was kept until now may be used again. */
static ALWAYS_INLINE void encoder_forget_keys(struct encoder *encoder) {
    encoder->key_epoch = 0;
}

/* Pack all frames, so that containers may change. A frame that is packed stays so while others are
 * above it, so all below it are packed, too. */
static COLD void encoder_pack_frames(struct encoder *encoder) {
    encoder_raise_generation(encoder);
    for (size_t i = encoder->n_frames; i-- > 0 && !encoder->frames[i].is_packed;) {
        frame_pack(&encoder->frames[i]);
    }
}

/* Take references to all that the frames hold, so that Python code may run; false with an exception
 * set. */
static COLD bool encoder_own_frames(struct encoder *encoder) {
    encoder_pack_frames(encoder);
    encoder_forget_keys(encoder);
    sort_memory_forget(&encoder->sort_memory); /* borrowed keys may be freed from here on */
    for (size_t i = encoder->n_owning_frames; i < encoder->n_frames; i++) {
        if (!frame_own(&encoder->frames[i])) {
            return false;
        }
        encoder->n_owning_frames = i + 1;
    }
    return true;
}

/* Levels of the text that are open. */
static ALWAYS_INLINE size_t encoder_depth(const struct encoder *encoder) {
    return encoder->n_frames - encoder->n_default_frames;
}

static COLD bool encoder_grow_frames(struct encoder *encoder) {
    const size_t capacity = 2 * (size_t)(encoder->frames_end - encoder->frames);
    struct frame *const frames = encoder->frames == encoder->inline_frames ? NULL : encoder->frames;
    struct frame *const grown = PyMem_Realloc(frames, capacity * sizeof *frames);
    if (grown == NULL) {
        PyErr_NoMemory();
        return false;
    }
    if (frames == NULL) {
        memcpy(grown, encoder->inline_frames, sizeof encoder->inline_frames);
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
static COLD int encoder_find_cycle(const struct encoder *encoder, PyObject *entered) {
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

/* Make room for another frame; false with the error recorded. A cycle without iterators never ends,
 * so it is enough to look for one each time the array of frames is full. Where cycles are not
 * checked, an object may be entered within itself down to the recursion limit, as in stdlib: a hook
 * on the way may end the cycle. */
static COLD bool encoder_make_room(struct encoder *encoder, PyObject *entered) {
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
    if (!encoder_grow_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    return true;
}

/* Whether the walk reads the entries of such a frame itself. */
static ALWAYS_INLINE bool encoder_reads_in_place(const struct encoder *encoder,
                                                 enum frame_kind kind) {
    return encoder->reads_in_place &&
           (kind == FRAME_LIST || kind == FRAME_TUPLE || kind == FRAME_DICT || kind == FRAME_PAIRS);
}

/* Enter a container; false with the error recorded and what the frame owns released. */
static inline bool encoder_push(struct encoder *encoder, const struct frame *frame) {
    if (UNLIKELY(&encoder->frames[encoder->n_frames] == encoder->frames_end) &&
        !encoder_make_room(encoder, frame->object)) {
        frame_release(frame);
        return false;
    }
    struct frame *const pushed = &encoder->frames[encoder->n_frames++];
    *pushed = *frame;
    pushed->is_in_place = encoder_reads_in_place(encoder, frame->kind);
    encoder_raise_generation(encoder);
    return true;
}

/* Release what the frame that was on top owns. */
static COLD void encoder_release_popped(struct encoder *encoder) {
    const struct frame frame = encoder->frames[encoder->n_frames];
    encoder->n_default_frames -= frame.kind == FRAME_DEFAULT;
    encoder->n_frames_by_python -= frame.is_made_by_python;
    encoder->n_final_frames -= frame.is_final;
    if (encoder->n_distinct_frames > encoder->n_frames) {
        encoder->n_distinct_frames = encoder->n_frames;
    }
    if (encoder->n_owning_frames > encoder->n_frames) {
        encoder->n_owning_frames = encoder->n_frames;
    }
    /* the last reference may run a finaliser, so the frame is popped before. The frames below own
     * what they hold by then: only Python code can have dropped the other references. */
    if (frame_release_may_free(&frame)) {
        encoder_forget_keys(encoder);
    }
    frame_release(&frame);
}

static inline void encoder_pop(struct encoder *encoder) {
    encoder->n_frames--;
    encoder_raise_generation(encoder);
    if (UNLIKELY(encoder->frames[encoder->n_frames].has_holdings)) {
        encoder_release_popped(encoder);
    }
}

/* The kind of frame for a dict whose items() is dict's own. */
static ALWAYS_INLINE enum frame_kind encoder_dict_kind(const struct encoder *encoder,
                                                       PyObject *dict) {
    return encoder->reads_in_place && dict_has_entries(dict) ? FRAME_DICT : FRAME_DICT_SLOWLY;
}

/* Enter a container in place: the frame on top, or NULL with the error recorded. The frame is
 * written directly: a copy of another frame would wait for the stores to that one. */
static ALWAYS_INLINE struct frame *encoder_enter(struct encoder *encoder, PyObject *container,
                                                 enum frame_kind kind) {
    if (UNLIKELY(&encoder->frames[encoder->n_frames] == encoder->frames_end) &&
        !encoder_make_room(encoder, container)) {
        return NULL;
    }
    struct frame *const frame = &encoder->frames[encoder->n_frames++];
    encoder_raise_generation(encoder);
    frame_begin(frame, container, kind, LAYOUT_NONE, encoder_reads_in_place(encoder, kind));
    frame->index = 0;
    if (UNLIKELY(encoder->is_streaming)) {
        if (kind == FRAME_DICT_SLOWLY) {
            frame->n_expected = PyDict_GET_SIZE(container);
        }
        frame_take_references(frame);
    }
    return frame;
}

/* Enter a container in place, with `frame` above the one on top. The caller knows that there is
 * room for it, and that the frame below, if any, is unpacked. It updates n_frames later: a counter
 * in memory that is incremented and decremented at each container would be waited for. */
static ALWAYS_INLINE void encoder_enter_quickly(struct encoder *encoder, struct frame *frame,
                                                PyObject *container, enum frame_kind kind,
                                                enum frame_layout layout, const char *end) {
    assert(encoder->reads_in_place && frame < encoder->frames_end);
    encoder_raise_generation(encoder);
    frame_begin(frame, container, kind, layout, true);
    frame->end = end;
}

/* Push a frame that owns its items: `items` is stolen, also on failure. */
static inline bool encoder_push_owned(struct encoder *encoder, PyObject *items, PyObject *object,
                                      enum frame_kind kind, bool is_made_by_python) {
    Py_INCREF(object);
    const struct frame frame = {.items = items,
                                .object = object,
                                .kind = kind,
                                .is_owning = true,
                                .has_holdings = true,
                                .is_made_by_python = is_made_by_python};
    if (!encoder_push(encoder, &frame)) {
        return false;
    }
    encoder->n_frames_by_python += is_made_by_python;
    encoder->n_default_frames += kind == FRAME_DEFAULT;
    return true;
}

/* Whether an object is among the lowest n frames. */
static inline bool encoder_has_frame(const struct encoder *encoder, size_t n, PyObject *object) {
    for (size_t i = 0; i < n; i++) {
        if (encoder->frames[i].object == object) {
            return true;
        }
    }
    return false;
}

/* Whether only values exactly of JSON's types are written, and all others go to the hook. */
static ALWAYS_INLINE bool encoder_is_exact(const struct encoder *encoder) {
    return encoder->options->exact_types && encoder->n_final_frames == 0;
}

/* Whether Python code may be called for one more frame: not without end, and not within a cycle,
 * where stdlib would not call it. False with the error recorded. */
static inline bool encoder_may_ask_python(struct encoder *encoder) {
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

/* Record that an exception of Python code is set, unless another error was recorded before. */
static inline void encoder_fail_unless_failed(struct encoder *encoder) {
    if (!encoder_has_failed(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
}

/* The pairs of a dict whose order or items() only Python knows: mixed keys, subclasses. NULL with
 * an exception set; an exception for keys that cannot be compared is recorded. */
static inline PyObject *encoder_dict_items(struct encoder *encoder, PyObject *dict) {
    PyObject *const items = PyMapping_Items(dict);
    if (items != NULL && encoder->options->sort_keys && PyList_Sort(items) != 0) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        Py_DECREF(items);
        return NULL;
    }
    return items;
}

/* Whether stdlib accepts a key that is not a str and writes it as a str. */
static ALWAYS_INLINE bool encoder_is_coercible_key(PyObject *key) {
    return PyLong_Check(key) || PyFloat_Check(key) || key == Py_None;
}

/* int's own repr, even for subclasses: a new reference, NULL with the error recorded. It raises
 * above the limit of digits, and from Python 3.12 on it runs Python code for large ints. */
static COLD PyObject *encoder_int_repr(struct encoder *encoder, PyObject *number) {
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

static inline void encoder_clear(struct encoder *encoder) {
    while (encoder->n_frames > 0) {
        encoder_pop(encoder);
    }
    if (encoder->frames != encoder->inline_frames) {
        PyMem_Free(encoder->frames);
    }
    Py_CLEAR(encoder->native_key);
    Py_CLEAR(encoder->streamed_key);
    sort_memory_forget(&encoder->sort_memory);
    writer_clear(&encoder->output.writer);
}

#endif
