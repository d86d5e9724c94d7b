/* SPDX-License-Identifier: MIT */
/* The state of one encoding call: the output, the containers being walked, and the error.
 *
 * Nesting is kept in an array of frames, not on the C stack. Containers and items are borrowed
 * while only builtin code runs. Python code may run in a hook, an overridden method, a comparison,
 * or an allocation that collects garbage. Before that, encoder_own_frames takes references and
 * freezes the items of dicts that are being walked; containers that are entered later are borrowed
 * again. Without the GIL every container is frozen on entry: see encode/slow_path.c. */
#ifndef SSRJSON_ENCODE_ENCODER_H
#define SSRJSON_ENCODE_ENCODER_H

#include "encode/context.h"
#include "encode/frame.h"
#include "cache/key_texts.h"
#include "encode/output.h"
#include "pyobject/address_set.h"
#include "pyobject/dict.h"
#include "pyobject/type.h"

#define INLINE_FRAMES 128
/* A cycle is looked for at this number of frames, and each time it has doubled. */
#define FIRST_CYCLE_CHECK 8
/* At most this number of frames are compared with each other; the objects of more are in a set. */
#define FEW_FRAMES 16

/* How a walk over one kind of output ended. */
enum walk_status {
    WALK_DONE,
    WALK_PAUSED,      /* a chunk is full: continue at the frame on top */
    WALK_FAILED,      /* the error says why */
    WALK_WANTS_WIDER, /* the output cannot hold a string: continue with wanted_form */
};

/* Where a walk begins, or continues after it wanted a wider output or paused. */
enum resume_point {
    RESUME_VALUE, /* at encoder->value: the root, or a value that the narrower output cannot hold */
    RESUME_KEY,   /* at encoder->key, and then the value */
    RESUME_FRAME, /* at the next entry of the frame on top: the next chunk of a stream */
};

#if IS_FREE_THREADED
/* Number of plans that a call remembers: those of the classes of a document's objects. */
#define HELD_PLANS 4

/* A plan that a call has used: it is found again without a look at a weak reference. */
struct held_plan {
    struct plan *plan; /* owned; or NULL */
    unsigned version;  /* of the class, which the plan owns if it is a model */
};
#endif

/* What is set to the same values for most calls lies together, so that few stores do it. */
struct encoder {
    struct output output;
    const struct encode_options *options; /* the same as those of the output */
    PyObject *value;                      /* borrowed from the frame on top, or the root */
    struct frame *frames;
    struct frame *frames_end;
    struct frame *first_frames; /* the caller's INLINE_FRAMES, used until they are too few */
    size_t chunk_bytes;         /* of a stream: it pauses after this much text */
    bool reads_in_place;        /* builtin containers are read in place; otherwise all entries are
                                   pulled: in a stream, or where the key separator is long */
    bool has_float_runs;        /* consecutive floats are formatted together */
    bool looks_into_dicts;      /* dicts are inspected before they are entered: keys may be sorted,
                                   or refused, and items left out */
    bool is_streaming;          /* the caller gets the text in chunks, and Python code runs between
                                   them */
    bool is_converted;          /* the text is converted to another type or form at the end */
    bool has_failed_at_key;     /* the error is at a key, not at a value, of the container on top */
    bool has_failed_at_next;    /* the error came up while the next item of the container on top was
                                   looked for */
    bool has_ended_entry; /* where the walk must look up the frame on top: an entry of it has ended;
                             otherwise the frame was entered */
    uint8_t resume;       /* enum resume_point */
    size_t n_frames; /* stale while the walk has the frame on top in a struct top: see top_leave */
    size_t n_replacement_frames; /* they add no level to the text */
    size_t n_frames_by_python;   /* limited, because each may return another one for ever */
    size_t n_final_frames;    /* values that hooks returned where types are exact: no hook is called
                                 within them */
    size_t pydantic_depth;    /* number of frames up to the outermost object that pydantic's rules
                                 are for; 0: none, or no option needs to know */
    size_t n_cycle_check;     /* number of frames at which a cycle is looked for next */
    size_t n_distinct_frames; /* n frames, from the outermost on, are known to be of different
                                 objects */
    struct address_set distinct; /* those objects, where there are more than FEW_FRAMES */
    size_t n_owning_frames;      /* n frames, from the outermost on, own what they hold */
    PyObject *key; /* borrowed from the frame on top; not set while the walk has the key in a local
                      variable */
    PyObject *native_key; /* owned: the replacement of a key of a native type, or NULL */
    PyObject *
        held_value; /* owned: the value that is written after Python code has run for it, or NULL */
    PyObject *streamed_key; /* owned: the last key that was taken out of a streamed dict */
#if HAS_KEY_TEXTS
    struct key_text *key_texts;
#endif
#if IS_FREE_THREADED
    struct held_plan held_plans[HELD_PLANS];
    struct uuid_slot uuid_slot;
#endif
    uint32_t key_format; /* of the texts of keys that may be used: see output_key_format */
#ifndef NDEBUG
    size_t
        generation; /* incremented by every action that makes an unpacked frame stale: see top.h */
#endif
};

/* Record an error; the culprit is borrowed. */
static inline COLD void encoder_fail(struct encoder *encoder, enum error_kind kind,
                                     PyObject *culprit) {
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

#if HAS_KEY_TEXTS
/* Where the text of a key is, if it is kept. */
static ALWAYS_INLINE struct key_text *encoder_key_text(const struct encoder *encoder,
                                                       const PyObject *key) {
    return &encoder->key_texts[key_text_number(key)];
}
#endif

/* The plan of a class, borrowed until Python code runs or another plan is looked for; NULL where it
 * is not cached. */
static ALWAYS_INLINE struct plan *encoder_find_plan(struct encoder *encoder, PyTypeObject *type) {
    const struct encode_options *const options = encoder->options;
#if IS_FREE_THREADED
    struct held_plan *const held = &encoder->held_plans[plan_cache_set(type) % HELD_PLANS];
    const unsigned version = type_version(type);
    if (held->plan != NULL && held->plan->type == type && held->version == version) {
        return held->plan;
    }
    struct plan *const plan =
        plan_cache_find(options_plan_cache(options), type, options->native.models);
    if (plan != NULL) {
        struct plan *const before = held->plan;
        *held = (struct held_plan){.plan = plan, .version = version};
        Py_XDECREF(before);
    }
    return plan;
#else
    return plan_cache_find(options_plan_cache(options), type, options->native.models);
#endif
}

/* Whether the plan of an object's class is cached and is pydantic's. */
static ALWAYS_INLINE bool encoder_has_dict_plan(struct encoder *encoder, PyObject *object) {
    const struct plan *const plan = encoder_find_plan(encoder, Py_TYPE(object));
    return plan != NULL && plan->kind == PLAN_DICT;
}

#define encoder_pack_frames SHARED_NAME(encoder_pack_frames)
#define encoder_own_frames SHARED_NAME(encoder_own_frames)
#define encoder_make_room SHARED_NAME(encoder_make_room)
#define encoder_release_popped SHARED_NAME(encoder_release_popped)
#define encoder_may_ask_python SHARED_NAME(encoder_may_ask_python)
#define encoder_int_repr SHARED_NAME(encoder_int_repr)
#define encoder_sort SHARED_NAME(encoder_sort)
#define encoder_clear SHARED_NAME(encoder_clear)

/* Pack all frames, so that containers may change. */
COLD void encoder_pack_frames(struct encoder *encoder);

/* Take references to all that the frames hold, so that Python code may run; false with an exception
 * set. */
COLD bool encoder_own_frames(struct encoder *encoder);

/* Check that an object may be entered: the depth, a cycle, and room for another frame. Called at
 * each entry from output.frames_stop on; false with the error recorded. */
COLD bool encoder_make_room(struct encoder *encoder, PyObject *entered, enum frame_kind kind);

/* Release what the frame that was on top owns. */
COLD void encoder_release_popped(struct encoder *encoder);

/* Whether Python code may be called for one more frame: not without end, and not within a cycle,
 * where stdlib would not call it. False with the error recorded. */
bool encoder_may_ask_python(struct encoder *encoder);

/* int's own repr, even for subclasses: a new reference, NULL with the error recorded. It raises
 * above the limit of digits, and from Python 3.12 on it runs Python code for large ints. */
COLD PyObject *encoder_int_repr(struct encoder *encoder, PyObject *number);

/* Sort pairs by key, with the error recorded where memory is short. */
COLD enum sort_result encoder_sort(struct encoder *encoder, struct pairs *pairs);

void encoder_clear(struct encoder *encoder);

#if IS_FREE_THREADED
/* Forget the plans that were used. */
#define encoder_forget_plans SHARED_NAME(encoder_forget_plans)
void encoder_forget_plans(struct encoder *encoder);
#endif

/* Levels of the text that are open. */
static ALWAYS_INLINE size_t encoder_depth(const struct encoder *encoder) {
    return encoder->n_frames - encoder->n_replacement_frames;
}

/* Whether an object would open the level after max_depth. As in orjson, a tuple may be that level,
 * and what is within it is not refused. */
static inline bool encoder_is_too_deep(const struct encoder *encoder, PyObject *object) {
    const size_t max_depth = encoder->options->max_depth;
    return max_depth != 0 && !PyTuple_CheckExact(object) && encoder_depth(encoder) == max_depth;
}

/* Whether the walk reads the entries of such a frame itself. */
static ALWAYS_INLINE bool encoder_reads_in_place(const struct encoder *encoder,
                                                 enum frame_kind kind, PyObject *container) {
    return encoder->reads_in_place &&
           (kind == FRAME_LIST || kind == FRAME_TUPLE ||
            (kind == FRAME_DICT && dict_has_entries(container)) || kind == FRAME_PAIRS);
}

/* Enter a container; false with the error recorded and what the frame owns released. */
static inline bool encoder_push(struct encoder *encoder, const struct frame *frame) {
    if (UNLIKELY(&encoder->frames[encoder->n_frames] >= encoder->output.frames_stop) &&
        !encoder_make_room(encoder, frame->object, frame->kind)) {
        frame_release(frame);
        return false;
    }
    struct frame *const pushed = &encoder->frames[encoder->n_frames++];
    *pushed = *frame;
    pushed->is_in_place = encoder_reads_in_place(encoder, frame->kind, frame->items);
    encoder_raise_generation(encoder);
    return true;
}

static inline void encoder_pop(struct encoder *encoder) {
    encoder->n_frames--;
    encoder_raise_generation(encoder);
    if (UNLIKELY(encoder->frames[encoder->n_frames].has_holdings)) {
        encoder_release_popped(encoder);
    }
}

/* Enter a builtin container: the frame on top, or NULL with the error recorded. The frame is
 * written directly: a copy of another frame would have to wait until that one is stored. */
static ALWAYS_INLINE struct frame *encoder_enter(struct encoder *encoder, PyObject *container,
                                                 enum frame_kind kind) {
    if (UNLIKELY(&encoder->frames[encoder->n_frames] >= encoder->output.frames_stop) &&
        !encoder_make_room(encoder, container, kind)) {
        return NULL;
    }
    struct frame *const frame = &encoder->frames[encoder->n_frames++];
    encoder_raise_generation(encoder);
    frame_begin(frame, container, kind, LAYOUT_NONE,
                encoder_reads_in_place(encoder, kind, container));
    frame->index = 0;
    if (UNLIKELY(encoder->is_streaming)) {
        if (kind == FRAME_DICT) {
            frame->n_expected = PyDict_GET_SIZE(container);
        }
        frame_take_references(frame);
    }
    return frame;
}

/* Enter a container in place, with `frame` above the one on top. The caller knows that there is
 * room for it, and that the frame below, if any, is unpacked. It updates n_frames later: a counter
 * in memory that is incremented and decremented at each container is a store-forwarding stall. */
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
    encoder->n_replacement_frames += kind == FRAME_REPLACEMENT;
    return true;
}

/* Push the pairs of an object, which are owned, and stolen also on failure. The frame is written
 * directly, as encoder_enter does it. */
static inline bool encoder_push_pairs(struct encoder *encoder, struct pairs *pairs,
                                      PyObject *object) {
    assert(pairs->first_owned == 0);
    if (UNLIKELY(&encoder->frames[encoder->n_frames] >= encoder->output.frames_stop) &&
        !encoder_make_room(encoder, object, FRAME_PAIRS)) {
        pairs_free(pairs);
        return false;
    }
    struct frame *const frame = &encoder->frames[encoder->n_frames++];
    encoder_raise_generation(encoder);
    frame_begin(frame, object, FRAME_PAIRS, LAYOUT_NONE, encoder->reads_in_place);
    frame->pairs = pairs;
    frame->index = 0;
    frame->is_of_attributes = false;
    frame->is_owning = true;
    frame->has_holdings = true;
    Py_INCREF(object);
    return true;
}

/* Whether an object is that of a frame; after encoder_may_ask_python. */
static inline bool encoder_has_frame(const struct encoder *encoder, PyObject *object) {
    assert(encoder->n_distinct_frames == encoder->n_frames);
    if (encoder->distinct.blocks != NULL) {
        return address_set_has(&encoder->distinct, object);
    }
    for (size_t i = 0; i < encoder->n_frames; i++) {
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

/* Whether items that are None are left out here: not within an object that pydantic's rules are
 * for. */
static ALWAYS_INLINE bool encoder_leaves_out_none(const struct encoder *encoder) {
    return encoder->options->leaves_out_none && encoder->pydantic_depth == 0;
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
    if (items != NULL && encoder_leaves_out_none(encoder) && !pair_list_leave_out_none(items)) {
        Py_DECREF(items);
        return NULL;
    }
    if (items != NULL && encoder->options->sort_keys && !encoder->options->replaces_keys &&
        PyList_Sort(items) != 0) {
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

/* The notes of an exception about the place where an encoding failed: the path, or from Python 3.14
 * on the notes of stdlib's json, "when serializing dict item 'a'", the innermost first. */

#define encoder_note_place SHARED_NAME(encoder_note_place)
#define encoder_note_surrogate SHARED_NAME(encoder_note_surrogate)

/* Record in the error where the encoding failed: the path where the exception will be of our
 * classes, otherwise stdlib's notes. */
COLD void encoder_note_place(struct encoder *encoder);

/* Record in the error the place of a lone surrogate: the whole text will be refused because of it
 * when it is finished. */
COLD void encoder_note_surrogate(struct encoder *encoder);

#endif
