/* SPDX-License-Identifier: MIT */
/* Template: walk a tree of Python objects and write JSON text to one kind of output.
 * Parameters: OUTPUT, one of bytes, ascii, ucs2 and ucs4, and OUTPUT_BITS, the width of its unit.
 * Defines walk_<output>. */

#if CONCAT(OUTPUT_NUMBER, OUTPUT) != OUTPUT_NUMBER_bytes
#include "encode/string_output.tmpl.h"
#endif

#define OUTPUT_IS_ASCII (CONCAT(OUTPUT_NUMBER, OUTPUT) == OUTPUT_NUMBER_ascii)
#define NAME(noun) CONCAT(noun, OUTPUT)
#define unit_t VEC_UNIT(OUTPUT_BITS)

/* End the walk where a key or a value was not written: either the error is recorded, or a wider
 * output is wanted, output.cursor is set, and the walk of that output begins at `point`. */
static ALWAYS_INLINE enum walk_status NAME(stop)(struct encoder *encoder, enum resume_point point,
                                                 PyObject *value) {
    if (encoder_has_failed(encoder)) {
        encoder->has_failed_at_key |= point == RESUME_KEY;
        return WALK_FAILED;
    }
    encoder->resume = point;
    encoder->value = value;
    return WALK_WANTS_WIDER;
}

/* Write a str in quotes, with few instructions where it is short ASCII without escapes. NULL where
 * it was not written: the error is recorded, or a wider output is wanted. */
static ALWAYS_INLINE unit_t *NAME(put_string)(struct output *output, unit_t *out,
                                              PyObject *string) {
#if !OUTPUT_IS_ASCII
    unit_t *const end = UNIT_NAME(put_short_ascii)(out, string, SHORT_ASCII_CHARS);
    if (LIKELY(end != NULL)) {
        return end;
    }
#endif
    return NAME(put_any_string)(output, out, string);
}

/* Write what an object exports by Arrow, and close it. Where this output is not UTF-8, the finished
 * text replaces the object in the frame on top. */
static COLD unit_t *NAME(put_arrow_data)(struct encoder *encoder, unit_t *out,
                                         struct arrow *arrow) {
#if OUTPUT_BITS == 8 && !OUTPUT_IS_ASCII
    struct output *const output = &encoder->output;
    if (output->writer.form == TEXT_UTF8 && !output->options->canonical) {
        output->has_line_end |= output->options->line_safe;
        out =
            put_arrow(output, out, arrow, encoder_leaves_out_none(encoder), encoder_depth(encoder));
        arrow_close(arrow);
        return out;
    }
#endif
    out = arrow_enter_as_text(encoder, arrow) ? out : NULL;
    arrow_close(arrow);
    return out;
}

/* A value that the loop does not write itself: one that is not exactly of one of JSON's own types,
 * an int beyond 64 bits, a dict that is inspected first, an empty container at the depth limit, or
 * without the GIL a list. It is written, or entered, or replaced by another value in the frame on
 * top. May run Python code. NULL where it was not written: the error is recorded, or a wider output
 * is wanted. */
static NOINLINE unit_t *NAME(put_any_value)(struct encoder *encoder, unit_t *out, PyObject *value) {
    struct output *const output = &encoder->output;
    struct native native; /* not initialised whole: it is large */
#if OUTPUT_BITS == 8
    native.text = (char *)out + 1;
#else
    char room[ISO_TIME_ROOM];
    native.text = room;
#endif
    native.plan = NULL;
    enum native_outcome outcome = NATIVE_NOT_KNOWN;
    if (value_may_be_fast(output->options, value)) {
        outcome = encoder_enter_fast(encoder, value, &native);
    }
    if (outcome == NATIVE_NOT_KNOWN) {
        if (LIKELY(!encoder_is_exact(encoder)) || PyLong_CheckExact(value)) {
            if (PyUnicode_Check(value)) {
                return NAME(put_any_string)(output, out, value);
            }
            if (PyLong_Check(value)) {
                return UNIT_NAME(put_any_int)(encoder, out, value);
            }
            if (PyFloat_Check(value)) {
                return UNIT_NAME(put_rare_float)(output, out, value);
            }
        }
        const bool is_fragment = Py_TYPE(value) == output->options->context->fragment_type;
        if (is_fragment && LIKELY(!output->options->canonical)) {
            return NAME(put_fragment)(output, out, value);
        }
        outcome = is_fragment ? encoder_enter_fragment(encoder, value)
                              : encoder_enter_any(encoder, value, &native);
    }
    switch (outcome) {
    case NATIVE_AS_TEXT: *out = '"';
#if OUTPUT_BITS == 8
        out += 1 + native.n_text;
#else
        out = UNIT_NAME(put_ascii)(out + 1, native.text, native.n_text);
#endif
        *out = '"';
        return out + 1;
    case NATIVE_AS_DIGITS:
        if (UNLIKELY(output->options->canonical)) {
            return UNIT_NAME(put_canonical_digits)(output, out, native.text, native.n_text, value);
        }
        return UNIT_NAME(put_ascii)(out, native.text, native.n_text);
    case NATIVE_AS_NUMBER:
        out = UNLIKELY(output->options->canonical)
                  ? UNIT_NAME(put_canonical_text)(output, out, native.object, value)
                  : UNIT_NAME(put_raw)(output, out, native.object);
        Py_DECREF(native.object);
        return out;
    case NATIVE_NDARRAY:
        out = UNIT_NAME(put_ndarray)(output, out, &native.array, encoder_depth(encoder));
        ndarray_close(&native.array);
        return out;
    case NATIVE_ARROW_DATA: return NAME(put_arrow_data)(encoder, out, native.arrow);
    case NATIVE_AS_STR: return NAME(put_any_string)(output, out, value);
    case NATIVE_AS_INT: return UNIT_NAME(put_any_int)(encoder, out, value);
    case NATIVE_AS_SCALAR:
        return PyUnicode_Check(native.object) ? NAME(put_any_string)(output, out, native.object)
                                              : UNIT_NAME(put_any_int)(encoder, out, native.object);
    case NATIVE_AS_NULL: return UNIT_NAME(put_ascii)(out, "null", 4);
    case NATIVE_AS_EMPTY_ARRAY: return UNIT_NAME(put_ascii)(out, "[]", 2);
    case NATIVE_AS_EMPTY_OBJECT: return UNIT_NAME(put_ascii)(out, "{}", 2);
    case NATIVE_IN_ARRAY: *out = '['; return out + 1;
    case NATIVE_IN_OBJECT: *out = '{'; return out + 1;
    case NATIVE_AS_VALUE: return out;
    case NATIVE_FAILED:
    case NATIVE_NOT_KNOWN: break;
    }
    return NULL;
}

#if HAS_KEY_TEXTS
#include "encode/key_text_output.tmpl.h"
#endif

/* Write any key that stdlib writes, and the key separator: NULL where it was not written. May run
 * Python code. There is room for an entry afterwards. */
static NOINLINE unit_t *NAME(put_any_key)(struct encoder *encoder, unit_t *out, PyObject *key) {
    struct output *const output = &encoder->output;
#if HAS_KEY_TEXTS
    const size_t before = (size_t)((char *)out - output->writer.begin);
#endif
    out = LIKELY(PyUnicode_Check(key)) ? NAME(put_string)(output, out, key)
                                       : UNIT_NAME(put_coerced_key)(encoder, out, key);
    if (UNLIKELY(out == NULL)) {
        return NULL;
    }
    out = UNIT_NAME(put_key_separator)(output, out);
    if (UNLIKELY(out == NULL)) {
        return NULL;
    }
#if HAS_KEY_TEXTS
    const unit_t *const from = (const unit_t *)(output->writer.begin + before);
    if (out - from <= KEY_TEXT_UNITS && encoder->key_format != 0 && PyUnicode_CheckExact(key) &&
        key_is_shared(key)) {
        NAME(keep_key_text)(encoder, key, from, (size_t)(out - from));
    }
#endif
    return LIKELY(UNIT_NAME(has_room)(output, out)) ? out : UNIT_NAME(grow)(output, out, 0);
}

/* Write a key, an exact str, and the key separator; where writes_separator is set, the item
 * separator before them. Separators that it writes are short. False where the key was not written:
 * the error is recorded, or a wider output is wanted. There is room for an entry before and after.
 */
static ALWAYS_INLINE bool NAME(put_str_key)(struct encoder *encoder, unit_t **out, PyObject *key,
                                            bool writes_separator) {
    const struct output *const output = &encoder->output;
#if HAS_KEY_TEXTS
    const struct key_text *const text = encoder_key_text(encoder, key);
    if (LIKELY(text->key == key) && LIKELY(text->format == encoder->key_format)) {
        *out = NAME(put_key_text)(*out, text, writes_separator ? 0 : output->item_separator.n);
        return true;
    }
#endif
    if (writes_separator) {
        *out = UNIT_NAME(put_short_separator)(*out, &output->item_separator);
    }
#if !OUTPUT_IS_ASCII
    unit_t *const end = UNIT_NAME(put_short_ascii)(*out, key, SHORT_KEY_CHARS);
    if (LIKELY(end != NULL)) {
        unit_t *const next = UNIT_NAME(put_short_separator)(end, &output->key_separator);
#if HAS_KEY_TEXTS
        if (encoder->key_format != 0 && key_is_shared(key)) {
            NAME(keep_key_text)(encoder, key, *out, (size_t)(next - *out));
        }
#endif
        *out = next;
        return true;
    }
#endif
    *out = NAME(put_any_key)(encoder, *out, key);
    return *out != NULL;
}

/* What pull_entry took of the frame on top, and the cursor after what it wrote. */
struct NAME(pulled) {
    unit_t *out;
    enum taken taken;
};

/* Write a separator, unless the entry is the first, and the line break of an indented text: NULL
 * with the error recorded. There is room for an entry afterwards. */
static NOINLINE unit_t *NAME(begin_line)(struct output *output, unit_t *out, bool is_first,
                                         size_t depth) {
    out = UNIT_NAME(put_item_separator)(output, out, is_first, depth);
    return out == NULL || LIKELY(UNIT_NAME(has_room)(output, out))
               ? out
               : UNIT_NAME(grow)(output, out, 0);
}

/* Write what is before the closing bracket of a container that is `depth` levels deep: NULL with
 * the error recorded. */
static COLD unit_t *NAME(end_line)(struct output *output, unit_t *out, size_t depth) {
    return output->options->indent == NULL ? out
                                           : UNIT_NAME(put_line_break)(output, out, depth - 1);
}

/* Write the separator before an entry that was pulled, and the line break of an indented text. */
static inline unit_t *NAME(begin_pulled)(struct encoder *encoder, unit_t *out,
                                         struct frame *frame) {
    const bool is_first = !frame->has_output;
    frame->has_output = true;
    if (UNLIKELY(!encoder->output.is_on_one_line)) {
        return NAME(begin_line)(&encoder->output, out, is_first, encoder_depth(encoder));
    }
    return is_first ? out : UNIT_NAME(put_short_separator)(out, &encoder->output.item_separator);
}

/* Write what is before the value of a pair that was pulled, encoder->key and encoder->value: the
 * separator and the key, but leave an exact str key to the loop (TAKEN_KEY). TAKEN_NOTHING where
 * the pair is skipped because of its key. May run Python code. */
static inline struct NAME(pulled)
    NAME(pull_pair)(struct encoder *encoder, unit_t *out, struct frame *frame) {
    if (UNLIKELY(!PyUnicode_CheckExact(encoder->key)) && !encoder_accept_key(encoder)) {
        return (struct NAME(pulled)){out,
                                     encoder_has_failed(encoder) ? TAKEN_FAILED : TAKEN_NOTHING};
    }
    out = NAME(begin_pulled)(encoder, out, frame);
    if (UNLIKELY(out == NULL)) {
        return (struct NAME(pulled)){out, TAKEN_FAILED};
    }
    if (LIKELY(PyUnicode_CheckExact(encoder->key)) &&
        LIKELY(encoder->output.key_separator.is_short)) {
        return (struct NAME(pulled)){out, TAKEN_KEY};
    }
    unit_t *const next = NAME(put_any_key)(encoder, out, encoder->key);
    return (struct NAME(pulled)){next, LIKELY(next != NULL) ? TAKEN_VALUE : TAKEN_NO_KEY};
}

/* Close the frame on top, whose entries were pulled. */
static inline struct NAME(pulled)
    NAME(close_pulled)(struct encoder *encoder, unit_t *out, const struct frame *frame) {
    const bool is_array =
        frame->kind == FRAME_LIST || frame->kind == FRAME_TUPLE || frame->kind == FRAME_ITERATOR;
    /* a frame of a dict without output has skipped all its keys */
    const bool has_skipped = !is_array && frame->kind < FRAME_MODEL;
    out = UNIT_NAME(put_closing)(&encoder->output, out, is_array ? ']' : '}', frame->has_output,
                                 has_skipped, encoder_depth(encoder));
    encoder_pop(encoder);
    return (struct NAME(pulled)){out, LIKELY(out != NULL) ? TAKEN_ALL : TAKEN_FAILED};
}

/* Take the next entry of the frame on top, which has no layout: encoder->value, and encoder->key of
 * a pair. Write what is before the value. May run Python code. */
static NOINLINE struct NAME(pulled) NAME(pull_entry)(struct encoder *encoder, unit_t *out) {
    if (encoder->n_frames == 0) {
        return (struct NAME(pulled)){out, TAKEN_DONE};
    }
    struct frame *const frame = &encoder->frames[encoder->n_frames - 1];
    const size_t n_bytes = (size_t)((char *)out - encoder->output.writer.begin);
    if (UNLIKELY(encoder->is_streaming) && n_bytes >= encoder->chunk_bytes &&
        frame->kind != FRAME_REPLACEMENT) { /* which adds no text */
        return (struct NAME(pulled)){out, TAKEN_PAUSE};
    }
    switch (encoder_next(encoder, frame)) {
    case NEXT_PAIR: return NAME(pull_pair)(encoder, out, frame);
    case NEXT_ITEM:
        out = NAME(begin_pulled)(encoder, out, frame);
        return (struct NAME(pulled)){out, LIKELY(out != NULL) ? TAKEN_VALUE : TAKEN_FAILED};
    case NEXT_REPLACEMENT: return (struct NAME(pulled)){out, TAKEN_VALUE};
    case NEXT_END: return NAME(close_pulled)(encoder, out, frame);
    case NEXT_END_OF_REPLACEMENT:
        encoder_pop(encoder);
        return (struct NAME(pulled)){out, TAKEN_ALL};
    case NEXT_FAILED:
        encoder->has_failed_at_next = true;
        return (struct NAME(pulled)){out, TAKEN_FAILED};
    }
    __builtin_unreachable();
}

/* Begin the next chunk of a stream: pull entries, and write what is before a value, until there is
 * one. The entries of all frames of a stream are pulled. */
static COLD struct NAME(pulled) NAME(resume_stream)(struct encoder *encoder, unit_t *out) {
    struct NAME(pulled) pulled = {out, TAKEN_NOTHING};
    while (pulled.taken == TAKEN_NOTHING || pulled.taken == TAKEN_ALL) {
        if (UNLIKELY(!UNIT_NAME(has_room)(&encoder->output, pulled.out))) {
            pulled.out = UNIT_NAME(grow)(&encoder->output, pulled.out, 0);
            if (pulled.out == NULL) {
                return (struct NAME(pulled)){NULL, TAKEN_FAILED};
            }
        }
        pulled = NAME(pull_entry)(encoder, pulled.out);
    }
    if (pulled.taken == TAKEN_KEY) {
        pulled.out = NAME(put_any_key)(encoder, pulled.out, encoder->key);
        pulled.taken = LIKELY(pulled.out != NULL) ? TAKEN_VALUE : TAKEN_NO_KEY;
    }
    return pulled;
}

/* What the loop keeps in registers: it is passed to inlined functions only. */
struct NAME(walk) {
    struct output *output;
    struct top top;
    unit_t *out;
    PyObject *key; /* borrowed, like the value */
    PyObject *value;
};

/* Make room for an entry: a key whose text is kept, a value, and the separator. What may need more
 * asks for it. False with the error recorded. */
static ALWAYS_INLINE bool NAME(make_room)(struct NAME(walk) * walk) {
    if (UNLIKELY(!UNIT_NAME(has_room)(walk->output, walk->out))) {
        walk->out = UNIT_NAME(grow)(walk->output, walk->out, 0);
        return walk->out != NULL;
    }
    return true;
}

/* Enter a list, tuple or dict that is not empty, after its bracket. Its entries, if they are known
 * to have this layout, are n_bytes from `entries` on. */
static ALWAYS_INLINE enum put NAME(enter)(struct NAME(walk) * walk, enum frame_kind kind,
                                          enum frame_layout layout, const void *entries,
                                          size_t n_bytes) {
    struct top *const top = &walk->top;
    if (LIKELY(entries != NULL) &&
        LIKELY(top_enter_quickly(top, walk->value, kind, layout, entries, n_bytes))) {
        return PUT_ENTERED;
    }
    struct encoder *const encoder = top_leave(top);
    encoder->has_ended_entry = false;
    return LIKELY(encoder_enter(encoder, walk->value, kind) != NULL) ? PUT_ENDED : PUT_STOPPED;
}

/* Set the cursor to the end of a value that was written: `next`, NULL where it was not. */
static ALWAYS_INLINE enum put NAME(put_until)(struct NAME(walk) * walk, unit_t *next) {
    walk->out = next;
    return LIKELY(next != NULL) ? PUT_ENDED : PUT_STOPPED;
}

/* Write or enter a value in the slow path; may run Python code. */
static ALWAYS_INLINE enum put NAME(put_slowly)(struct NAME(walk) * walk) {
    struct encoder *const encoder = top_leave(&walk->top);
    const size_t n_frames_before = encoder->n_frames;
    unit_t *const next = NAME(put_any_value)(encoder, walk->out, walk->value);
    encoder->has_ended_entry = encoder->n_frames == n_frames_before;
    return NAME(put_until)(walk, next);
}

static ALWAYS_INLINE enum put NAME(put_list)(struct NAME(walk) * walk) {
    struct top *const top = &walk->top;
    PyListObject *const list = (PyListObject *)walk->value;
    const size_t n = (size_t)PyList_GET_SIZE(list);
    if (IS_FREE_THREADED || (n == 0 && UNLIKELY(top_is_deep(top)))) {
        return NAME(put_slowly)(walk);
    }
    if (n == 0) {
        return NAME(put_until)(walk, UNIT_NAME(put_ascii)(walk->out, "[]", 2));
    }
    top_prefetch_entries(top, &PyList_Type);
    if (top->layout == LAYOUT_ITEMS && PyFloat_CheckExact(list->ob_item[0]) &&
        is_short_float_list(walk->value, FLOAT_RUN) && top->encoder->has_float_runs &&
        !top_is_deep(top)) {
        Py_ssize_t n_run;
        unit_t *const next = UNIT_NAME(put_float_lists)(walk->output, walk->out, top_run(top),
                                                        top_n_left(top), &n_run);
        top_skip_run(top, n_run);
        return NAME(put_until)(walk, next);
    }
    *walk->out++ = '[';
    return NAME(enter)(walk, FRAME_LIST, LAYOUT_ITEMS, list->ob_item, n * sizeof walk->value);
}

static ALWAYS_INLINE enum put NAME(put_tuple)(struct NAME(walk) * walk) {
    const size_t n = (size_t)PyTuple_GET_SIZE(walk->value);
    if (n == 0) {
        return NAME(put_until)(walk, UNIT_NAME(put_ascii)(walk->out, "[]", 2));
    }
    *walk->out++ = '[';
    return NAME(enter)(walk, FRAME_TUPLE, LAYOUT_ITEMS, ((PyTupleObject *)walk->value)->ob_item,
                       n * sizeof walk->value);
}

static ALWAYS_INLINE enum put NAME(put_dict)(struct NAME(walk) * walk) {
    struct encoder *const encoder = walk->top.encoder;
    top_prefetch_entries(&walk->top, &PyDict_Type);
    const bool is_empty = PyDict_GET_SIZE(walk->value) == 0;
    if (is_empty ? UNLIKELY(top_is_deep(&walk->top))
                 : UNLIKELY(encoder->looks_into_dicts) && !is_exact_dict(encoder, walk->value)) {
        return NAME(put_slowly)(walk);
    }
    if (is_empty) {
        return NAME(put_until)(walk, UNIT_NAME(put_ascii)(walk->out, "{}", 2));
    }
    *walk->out++ = '{';
    size_t n_bytes;
    const char *const entries = dict_str_pairs(walk->value, &n_bytes);
    return NAME(enter)(walk, FRAME_DICT, LAYOUT_STR_PAIRS, entries, n_bytes);
}

/* Write an int, or a run of ints in an array: NULL with the error recorded. */
static ALWAYS_INLINE unit_t *NAME(put_int)(struct NAME(walk) * walk) {
    struct top *const top = &walk->top;
    bool is_negative;
    uint64_t magnitude;
    long_magnitude(walk->value, &is_negative, &magnitude);
    if (top->layout == LAYOUT_ITEMS && is_int_run(top_run(top), top_n_left(top), magnitude) &&
        walk->output->is_compact) {
        Py_ssize_t n_run;
        unit_t *const next = UNIT_NAME(put_ints)(walk->out, top_run(top), top_n_left(top), &n_run);
        top_skip_run(top, n_run);
        return next;
    }
    if (LIKELY(magnitude <= MAX_SAFE_INT) || LIKELY(!options_limit_ints(walk->output->options))) {
        return UNIT_NAME(put_magnitude)(walk->out, is_negative, magnitude);
    }
    return UNIT_NAME(put_unsafe_int)(walk->output, walk->out, walk->value);
}

/* Write a float, or a run of floats in an array: NULL with the error recorded. */
static ALWAYS_INLINE unit_t *NAME(put_float)(struct NAME(walk) * walk) {
    struct top *const top = &walk->top;
    if (top->layout == LAYOUT_ITEMS && top->encoder->has_float_runs &&
        __builtin_isfinite(PyFloat_AS_DOUBLE(walk->value))) {
        const Py_ssize_t n_left = top_n_left(top);
        if (n_left > 1 && PyFloat_CheckExact(top_run(top)[1])) {
            Py_ssize_t n_run;
            unit_t *const next =
                UNIT_NAME(put_floats)(walk->output, walk->out, top_run(top), n_left, &n_run);
            top_skip_run(top, n_run);
            return next;
        }
    }
    return UNIT_NAME(put_float)(walk->output, walk->out, walk->value);
}

/* Write None, True or False, or a run of them in an array. */
static ALWAYS_INLINE unit_t *NAME(put_constant)(struct NAME(walk) * walk) {
    struct top *const top = &walk->top;
    if (top->layout == LAYOUT_ITEMS && top_n_left(top) > 1 && is_constant(top_run(top)[1]) &&
        walk->output->is_compact) {
        Py_ssize_t n_run;
        unit_t *const next =
            UNIT_NAME(put_constants)(walk->out, top_run(top), top_n_left(top), &n_run);
        top_skip_run(top, n_run);
        return next;
    }
    return walk->value == Py_None ? UNIT_NAME(put_ascii)(walk->out, "null", 4)
                                  : UNIT_NAME(put_bool)(walk->out, walk->value);
}

/* Write a value, or enter it. */
static ALWAYS_INLINE enum put NAME(put_value)(struct NAME(walk) * walk) {
    PyObject *const value = walk->value;
    PyTypeObject *const type = Py_TYPE(value);
    if (type == &PyUnicode_Type) {
        return NAME(put_until)(walk, NAME(put_string)(walk->output, walk->out, value));
    }
    if (type == &PyLong_Type && LIKELY(long_is_below_2_64(value))) {
        return NAME(put_until)(walk, NAME(put_int)(walk));
    }
    if (type == &PyDict_Type) {
        return NAME(put_dict)(walk);
    }
    if (type == &PyList_Type) {
        return NAME(put_list)(walk);
    }
    if (type == &PyFloat_Type) {
        return NAME(put_until)(walk, NAME(put_float)(walk));
    }
    if (value == Py_None || type == &PyBool_Type) {
        return NAME(put_until)(walk, NAME(put_constant)(walk));
    }
    return type == &PyTuple_Type ? NAME(put_tuple)(walk) : NAME(put_slowly)(walk);
}

/* Begin, or go on where another walk stopped. */
static ALWAYS_INLINE enum taken NAME(resume)(struct NAME(walk) * walk) {
    struct encoder *const encoder = walk->top.encoder;
    const enum resume_point point = (enum resume_point)encoder->resume;
    if (UNLIKELY(!NAME(make_room)(walk))) {
        return TAKEN_FAILED;
    }
    if (UNLIKELY(point == RESUME_FRAME)) {
        const struct NAME(pulled) pulled = NAME(resume_stream)(encoder, walk->out);
        walk->out = pulled.out;
        walk->value = encoder->value;
        return pulled.taken;
    }
    encoder->resume = RESUME_FRAME;
    if (UNLIKELY(top_find(&walk->top)) && walk->top.frame->is_in_place) {
        top_unpack(&walk->top);
    }
    walk->value = encoder->value;
    if (LIKELY(point == RESUME_VALUE)) {
        return TAKEN_VALUE;
    }
    walk->out = NAME(put_any_key)(encoder, walk->out, encoder->key);
    return LIKELY(walk->out != NULL) ? TAKEN_VALUE : TAKEN_NO_KEY;
}

/* Write the line break before an entry that is read in place, and a separator unless it is the
 * first. False with the error recorded. */
static ALWAYS_INLINE bool NAME(begin_own_line)(struct NAME(walk) * walk, bool is_first) {
    walk->out = NAME(begin_line)(walk->output, walk->out, is_first, top_depth(&walk->top));
    return LIKELY(walk->out != NULL);
}

/* Close the container on top, whose entries were read in place. */
static ALWAYS_INLINE void NAME(close_top)(struct NAME(walk) * walk, char bracket) {
    *walk->out++ = (unit_t)bracket;
    if (UNLIKELY(!top_pop(&walk->top))) {
        walk->top.encoder->has_ended_entry = true;
    }
}

/* Take the first entry of a container that was entered in place and is not empty. */
static ALWAYS_INLINE enum taken NAME(take_first)(struct NAME(walk) * walk) {
    struct top *const top = &walk->top;
    if (UNLIKELY(!NAME(make_room)(walk))) {
        return TAKEN_FAILED;
    }
    if (LIKELY(top->layout == LAYOUT_STR_PAIRS)) {
        top_next_str_pair(top, &walk->key, &walk->value);
        return TAKEN_KEY;
    }
    walk->value = top_next_item(top);
    return TAKEN_VALUE;
}

/* Pull an entry of the frame on top, or close it. */
static ALWAYS_INLINE enum taken NAME(take_pulled)(struct NAME(walk) * walk) {
    struct encoder *const encoder = top_leave(&walk->top);
    const struct NAME(pulled) pulled = NAME(pull_entry)(encoder, walk->out);
    walk->out = pulled.out;
    walk->key = encoder->key;
    walk->value = encoder->value;
    if (pulled.taken == TAKEN_ALL) {
        encoder->has_ended_entry = true;
        return TAKEN_NOTHING;
    }
    return pulled.taken;
}

/* Take the next entry of the frame on top, which is read in place: TAKEN_ALL at the end, and the
 * frame stays on top; TAKEN_NOTHING where the key is not an exact str, so that this entry and all
 * after it are pulled. */
static ALWAYS_INLINE enum taken NAME(take_in_place)(struct NAME(walk) * walk) {
    struct top *const top = &walk->top;
    const enum frame_layout layout = top->frame->layout;
    if (layout == LAYOUT_PAIRS) {
        if (UNLIKELY(!top_next_pair(top, &walk->key, &walk->value))) {
            return TAKEN_ALL;
        }
        if (UNLIKELY(!PyUnicode_CheckExact(walk->key))) {
            top_pull_from_here(top);
            return TAKEN_NOTHING;
        }
        top->frame->has_output = true;
        return TAKEN_PAIR;
    }
    if (UNLIKELY(top->at == top->end)) {
        return TAKEN_ALL;
    }
    if (layout == LAYOUT_ITEMS) {
        walk->value = top_next_item(top);
        return TAKEN_VALUE;
    }
    if (layout == LAYOUT_STR_PAIRS) {
        top_next_str_pair(top, &walk->key, &walk->value);
    } else {
        top_next_shared_pair(top, &walk->key, &walk->value);
    }
    return TAKEN_PAIR;
}

/* Do what `take` does where it does not read the entry itself: look up the frame on top, pull an
 * entry, read LAYOUT_PAIRS or LAYOUT_LINES, or close the container. */
static ALWAYS_INLINE enum taken NAME(take_rare)(struct NAME(walk) * walk) {
    struct top *const top = &walk->top;
    bool is_first = false;
    if (top->layout == LAYOUT_NONE) {
        if (!top_find(top)) {
            return TAKEN_DONE;
        }
        if (!top->frame->is_in_place) {
            return NAME(take_pulled)(walk);
        }
        top_unpack(top);
        is_first = !top->encoder->has_ended_entry;
    }
    is_first |= top->frame->layout == LAYOUT_PAIRS && !top->frame->has_output;
    const enum taken taken = NAME(take_in_place)(walk);
    if (taken == TAKEN_ALL) {
        if (UNLIKELY(top->layout == LAYOUT_LINES) && !is_first) {
            walk->out = NAME(end_line)(walk->output, walk->out, top_depth(top));
            if (UNLIKELY(walk->out == NULL)) {
                return TAKEN_FAILED;
            }
        }
        NAME(close_top)(walk, top->frame->layout == LAYOUT_ITEMS ? ']' : '}');
        return TAKEN_NOTHING;
    }
    if (taken == TAKEN_NOTHING) {
        return taken;
    }
    if (UNLIKELY(top->layout == LAYOUT_LINES)) {
        if (UNLIKELY(!NAME(begin_own_line)(walk, is_first))) {
            return TAKEN_FAILED;
        }
        return taken == TAKEN_PAIR ? TAKEN_KEY : taken;
    }
    if (taken == TAKEN_PAIR) {
        return is_first ? TAKEN_KEY : TAKEN_PAIR;
    }
    if (!is_first) {
        walk->out = UNIT_NAME(put_short_separator)(walk->out, &walk->output->item_separator);
    }
    return TAKEN_VALUE;
}

/* Take the next entry, and close the containers that have no more. The item separator is written
 * here before an item, and by put_str_key before a pair, because the text of a key holds it. */
static ALWAYS_INLINE enum taken NAME(take)(struct NAME(walk) * walk) {
    struct top *const top = &walk->top;
    for (;;) {
        if (UNLIKELY(!UNIT_NAME(has_room)(walk->output, walk->out))) {
            if (top->layout == LAYOUT_NONE && top->encoder->n_frames == 0) {
                return TAKEN_DONE; /* the outermost value needs no room after it */
            }
            if (UNLIKELY(!NAME(make_room)(walk))) {
                return TAKEN_FAILED;
            }
        }
        if (LIKELY(top->layout == LAYOUT_STR_PAIRS)) {
            if (LIKELY(top->at != top->end)) {
                top_next_str_pair(top, &walk->key, &walk->value);
                return TAKEN_PAIR;
            }
            NAME(close_top)(walk, '}');
            continue;
        }
        if (LIKELY(top->layout == LAYOUT_ITEMS)) {
            if (LIKELY(top->at != top->end)) {
                walk->out =
                    UNIT_NAME(put_short_separator)(walk->out, &walk->output->item_separator);
                walk->value = top_next_item(top);
                return TAKEN_VALUE;
            }
            NAME(close_top)(walk, ']');
            continue;
        }
        if (top->layout == LAYOUT_SHARED && LIKELY(top->at != top->end)) {
            top_next_shared_pair(top, &walk->key, &walk->value);
            return TAKEN_PAIR;
        }
        const enum taken taken = NAME(take_rare)(walk);
        if (taken != TAKEN_NOTHING) {
            return taken;
        }
    }
}

/* End the walk because of what was taken, or not. */
static COLD enum walk_status NAME(end)(struct encoder *encoder, unit_t *out, enum taken taken) {
    switch (taken) {
    case TAKEN_NO_KEY: return NAME(stop)(encoder, RESUME_KEY, encoder->value);
    case TAKEN_PAUSE: encoder->output.cursor = (char *)out; return WALK_PAUSED;
    case TAKEN_DONE: encoder->output.cursor = (char *)out; return WALK_DONE;
    default: return WALK_FAILED;
    }
}

/* Write encoder->value and all that the frames still hold.
 *
 * Each turn of the loop writes a value, takes the next entry of the container on top, and writes
 * its key. What is rare is done out of line: it may run Python code, and the loop goes on with the
 * frame that is on top then. */
static NOINLINE enum walk_status NAME(walk)(struct encoder *encoder) {
    struct NAME(walk) walk = {
        .output = &encoder->output,
        .top = {.encoder = encoder},
        .out = (unit_t *)encoder->output.cursor,
    };
    enum taken taken = NAME(resume)(&walk);
    if (UNLIKELY(taken != TAKEN_VALUE)) {
        return NAME(end)(top_leave(&walk.top), walk.out, taken);
    }
    for (;;) {
        const enum put put = NAME(put_value)(&walk);
        if (UNLIKELY(put == PUT_STOPPED)) {
            return NAME(stop)(top_leave(&walk.top), RESUME_VALUE, walk.value);
        }
        taken = put == PUT_ENTERED ? NAME(take_first)(&walk) : NAME(take)(&walk);
        if (taken == TAKEN_VALUE) {
            continue;
        }
        if (UNLIKELY(taken >= TAKEN_FAILED)) {
            return NAME(end)(top_leave(&walk.top), walk.out, taken);
        }
        /* two calls, so that writes_separator is a constant */
        const bool has_key = LIKELY(taken == TAKEN_PAIR)
                                 ? NAME(put_str_key)(encoder, &walk.out, walk.key, true)
                                 : NAME(put_str_key)(encoder, &walk.out, walk.key, false);
        if (UNLIKELY(!has_key)) {
            top_leave(&walk.top)->key = walk.key;
            return NAME(stop)(encoder, RESUME_KEY, walk.value);
        }
    }
}

#undef KEY_TEXT_UNITS
#undef OUTPUT_IS_ASCII
#undef NAME
#undef unit_t
