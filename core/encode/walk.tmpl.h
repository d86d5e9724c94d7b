/* SPDX-License-Identifier: MIT */
/* Template: walk a tree of Python objects and write JSON text to one kind of output.
 * Parameters: OUTPUT, one of bytes, ascii, ucs2, ucs4, and its OUTPUT_BITS a unit. Defines
 * walk_<output>. */

#if CONCAT(OUTPUT_NUMBER, OUTPUT) != OUTPUT_NUMBER_bytes
#include "encode/string_output.tmpl.h"
#endif

#define OUTPUT_IS_ASCII (CONCAT(OUTPUT_NUMBER, OUTPUT) == OUTPUT_NUMBER_ascii)
#define NAME(noun) CONCAT(noun, OUTPUT)
#define unit_t VEC_UNIT(OUTPUT_BITS)

/* Write a str in quotes, with few instructions where it is a short plain one of ASCII. */
#if OUTPUT_BITS == 8 /* the usual width */
static ALWAYS_INLINE
#else
static NOINLINE
#endif
    unit_t *
    NAME(put_string)(struct output *output, unit_t *out, PyObject *string) {
#if !OUTPUT_IS_ASCII
    unit_t *const end = UNIT_NAME(put_short_ascii)(out, string, SHORT_ASCII_CHARS);
    if (LIKELY(end != NULL)) {
        return end;
    }
#endif
    return NAME(put_any_string)(output, out, string);
}

/* Stop at a string that was not written; where a wider output is wanted, its cursor is set. */
static ALWAYS_INLINE enum walk_status NAME(stop)(struct encoder *encoder, enum resume_point point,
                                                 PyObject *value) {
    if (encoder_has_failed(encoder)) {
        encoder->has_failed_at_key = point == RESUME_KEY;
        return WALK_FAILED;
    }
    encoder->resume = point;
    encoder->value = value;
    return WALK_WANTS_WIDER;
}

/* A value that is not exactly of one of JSON's own types: it is written, or entered, or replaced by
 * another value in the frame on top. May run Python code. NULL as in put_any_string. */
static NOINLINE unit_t *NAME(put_uncommon)(struct encoder *encoder, unit_t *out, PyObject *value) {
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
    if (value_may_be_simple(output->options, value)) {
        outcome = encoder_enter_simple(encoder, value, &native);
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
        if (Py_TYPE(value) == output->options->context->fragment_type) {
            return NAME(put_fragment)(output, out, value);
        }
        outcome = encoder_enter_uncommon(encoder, value, &native);
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
    case NATIVE_AS_DIGITS: return UNIT_NAME(put_ascii)(out, native.text, native.n_text);
    case NATIVE_AS_NUMBER:
        out = UNIT_NAME(put_raw)(output, out, native.object);
        Py_DECREF(native.object);
        return out;
    case NATIVE_NDARRAY:
        out = UNIT_NAME(put_ndarray)(output, out, &native.array, encoder_depth(encoder));
        ndarray_close(&native.array);
        return out;
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

/* Write encoder->value and all that the frames still hold.
 *
 * The hot loop is from `value` to `str_pair` or `item`: values of JSON's own types in lists, and in
 * dicts whose keys are strs. In lists a separator follows each item but the last one. In dicts it
 * precedes each key but the first one, and is part of its text; in those that may have holes it
 * follows each pair, and the closing bracket replaces it. At the top of the loop is room for an
 * item: a key whose text is kept, a value, and the separator; what may need more asks for it.
 *
 * What is uncommon leaves the loop and comes back to `find`. put_uncommon and encoder_next may run
 * Python code: top.h describes how they are kept apart from what is unpacked. Frames that are not
 * read in place get a separator before each item, because a text in chunks cannot take the last one
 * back. So do those with lines: `line` begins each, and goes on in the loop. */
static NOINLINE enum walk_status NAME(walk)(const struct encoder *encoder) {
    struct output *const output = encoder_output(encoder);
    struct top top = {.encoder = encoder};
#if HAS_KEY_TEXTS
    struct key_text *const texts = key_texts_first(&encoder->options->context->key_texts);
#endif
    unit_t *out = (unit_t *)output->cursor;
    unit_t *next;                     /* the place after the last write, NULL where that failed */
    PyObject *value = encoder->value; /* borrowed, as is the key */
    PyObject *key = encoder->key;
    enum frame_kind kind; /* at `enter`: of the value, and its entries, or NULL */
    const void *entries;
    size_t n_bytes;
    bool is_item_done = false; /* at `find`: the frame on top has got one more item */
    if (encoder->resume == RESUME_FRAME) {
        goto find;
    }
    if (top_find(&top) && top.frame->is_in_place) {
        top_unpack(&top);
    }
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
        out = UNIT_NAME(grow)(output, out, 0);
        if (out == NULL) {
            goto failed;
        }
    }
    if (encoder->resume == RESUME_KEY) {
        goto key;
    }

value: {
    PyTypeObject *const type = Py_TYPE(value);
    if (type == &PyUnicode_Type) {
#if !OUTPUT_IS_ASCII
        next = UNIT_NAME(put_short_ascii)(out, value, SHORT_ASCII_CHARS);
        if (LIKELY(next != NULL)) {
            out = next;
            goto item_done;
        }
#endif
        next = NAME(put_any_string)(output, out, value);
    } else if (type == &PyLong_Type && LIKELY(long_is_below_2_64(value))) {
        bool is_negative;
        uint64_t magnitude;
        long_magnitude(value, &is_negative, &magnitude);
        if (top.layout == LAYOUT_ITEMS && is_int_run(top_run(&top), top_n_left(&top), magnitude) &&
            output->is_compact) {
            Py_ssize_t n_run;
            next = UNIT_NAME(put_ints)(out, top_run(&top), top_n_left(&top), &n_run);
            top_skip_run(&top, n_run);
            goto scalar;
        }
        if (LIKELY(magnitude <= MAX_SAFE_INT) || LIKELY(!options_limit_ints(output->options))) {
            out = UNIT_NAME(put_magnitude)(out, is_negative, magnitude);
            goto item_done;
        }
        next = UNIT_NAME(put_unsafe_int)(output, out, value);
    } else if (type == &PyDict_Type) {
        top_prefetch_entries(&top, &PyDict_Type);
        goto dict;
    } else if (type == &PyList_Type) {
        goto list;
    } else if (type == &PyFloat_Type) {
        if (top.layout == LAYOUT_ITEMS && encoder->has_float_runs &&
            __builtin_isfinite(PyFloat_AS_DOUBLE(value))) {
            const Py_ssize_t n_left = top_n_left(&top);
            if (n_left > 1 && Py_TYPE(top_run(&top)[1]) == type) {
                Py_ssize_t n_run;
                next = UNIT_NAME(put_floats)(output, out, top_run(&top), n_left, &n_run);
                top_skip_run(&top, n_run);
                goto scalar;
            }
        }
        next = UNIT_NAME(put_float)(output, out, value);
    } else if (value == Py_None) {
        if (top.layout == LAYOUT_ITEMS && is_constant_run(top_run(&top), top_n_left(&top))) {
            goto constants;
        }
        out = UNIT_NAME(put_ascii)(out, "null", 4);
        goto item_done;
    } else if (type == &PyBool_Type) {
        if (top.layout == LAYOUT_ITEMS && is_constant_run(top_run(&top), top_n_left(&top))) {
            goto constants;
        }
        out = UNIT_NAME(put_bool)(out, value);
        goto item_done;
    } else if (type == &PyTuple_Type) {
        goto tuple;
    } else {
        goto uncommon;
    }
}
scalar:
    if (UNLIKELY(next == NULL)) {
        return NAME(stop)(top_leave(&top), RESUME_VALUE, value);
    }
    out = next;

item_done:
    if (LIKELY(top.layout == LAYOUT_STR_PAIRS)) {
        if (LIKELY(top.at != top.end)) {
            goto str_pair;
        }
        goto close_dict;
    }
    if (LIKELY(top.layout == LAYOUT_ITEMS)) {
        if (LIKELY(top.at != top.end)) {
            out = UNIT_NAME(put_short_separator)(out, &output->item_separator);
            goto item;
        }
        goto close_list;
    }
    if (UNLIKELY(top.layout == LAYOUT_NONE)) {
        is_item_done = true;
        goto find;
    }
    if (UNLIKELY(layout_has_lines(top.layout))) {
        goto next_line;
    }
    if (LIKELY(top.layout == LAYOUT_SHARED)) {
        if (LIKELY(top.at != top.end)) {
            goto shared_pair;
        }
        goto close_dict;
    }
    out = UNIT_NAME(put_short_separator)(out, &output->item_separator);
    goto pair;

str_pair: /* which is there and not the first; likewise below */
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
        goto grow;
    }
    top_next_str_pair(&top, &key, &value);
next_key:
#if HAS_KEY_TEXTS
{
    const struct key_text *const text = &texts[key_text_number(key)];
    if (LIKELY(text->key == key) && LIKELY(text->format == encoder->key_format)) {
        out = NAME(put_key_text)(out, text, 0);
        goto value;
    }
}
#endif
    out = UNIT_NAME(put_short_separator)(out, &output->item_separator);
#if HAS_KEY_TEXTS
new_key:
    next = NAME(put_short_key)(output, out, key);
    if (LIKELY(next != NULL)) {
        if (encoder->key_format != 0 && key_is_shared(key)) {
            NAME(keep_key_text)(encoder, key, out, (size_t)(next - out));
        }
        out = next;
        goto value;
    }
#endif

key: {
    const size_t before = (size_t)((char *)out - output->writer.begin);
    const bool is_exact = PyUnicode_CheckExact(key);
    next = LIKELY(is_exact) || PyUnicode_Check(key)
               ? NAME(put_string)(output, out, key)
               : UNIT_NAME(put_coerced_key)(top_leave(&top), out, key);
    if (UNLIKELY(next == NULL)) {
        struct encoder *const left = top_leave(&top);
        left->key = key;
        return NAME(stop)(left, RESUME_KEY, value);
    }
    out = UNIT_NAME(put_key_separator)(output, next);
    if (UNLIKELY(out == NULL)) {
        goto failed;
    }
#if HAS_KEY_TEXTS
    const unit_t *const from = (const unit_t *)(output->writer.begin + before);
    if (is_exact && out - from <= KEY_TEXT_UNITS && encoder->key_format != 0 &&
        key_is_shared(key)) {
        NAME(keep_key_text)(encoder, key, from, (size_t)(out - from));
    }
#else
    (void)before;
#endif
}
value_after_more: /* more than the room for an item may have been written */
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
        out = UNIT_NAME(grow)(output, out, 0);
        if (out == NULL) {
            goto failed;
        }
    }
    goto value;

item:
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
        goto grow;
    }
    value = top_next_item(&top);
    goto value;

shared_pair:
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
        goto grow;
    }
    top_next_shared_pair(&top, &key, &value);
    goto next_key;

pair:
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
        goto grow;
    }
    if (!top_next_pair(&top, &key, &value)) {
        out -= top.frame->has_output ? output->item_separator.n : 0;
        goto close_dict;
    }

any_pair: {
    const bool is_exact = PyUnicode_CheckExact(key);
    if (UNLIKELY(!is_exact)) {
        struct encoder *const left = top_leave(&top);
        left->key = key;
        left->value = value;
        if (!encoder_accept_key(left)) {
            if (encoder_has_failed(encoder)) {
                return WALK_FAILED;
            }
            is_item_done = false; /* skipped */
            goto find;
        }
        key = encoder->key;
        top_find(&top);
    }
    if (UNLIKELY(!top.frame->is_in_place) || UNLIKELY(encoder->options->indent != NULL)) {
        out = UNIT_NAME(begin_item_at)(output, out, !top.frame->has_output, encoder_depth(encoder));
        if (UNLIKELY(out == NULL)) {
            goto failed;
        }
    }
    top.frame->has_output = true;
#if HAS_KEY_TEXTS
    if (is_exact && LIKELY(encoder->reads_in_place)) { /* so separators are short */
        goto first_key_after_more;
    }
#endif
    goto key;
}

next_line: /* after an item */
    top.frame->has_output = true;
    if (LIKELY(top.frame->n_line != 0) && top.layout == LAYOUT_ITEM_LINES &&
        LIKELY(top.at != top.end)) {
        UNIT_NAME(put_line_part)(out, output->line);
        out += top.frame->n_line;
        value = top_next_item(&top);
        goto value_after_more;
    }
line: { /* the next entry on a line of its own, or the end */
    const bool is_array = top.layout == LAYOUT_ITEM_LINES;
    bool is_there;
    if (top.layout == LAYOUT_PAIR_LINES) {
        is_there = top_next_pair(&top, &key, &value);
    } else {
        is_there = top.at != top.end;
        if (LIKELY(is_there) && is_array) {
            value = top_next_item(&top);
        } else if (LIKELY(is_there)) {
            top_next_shared_pair(&top, &key, &value);
        }
    }
    if (UNLIKELY(!is_there) && UNLIKELY(!top.frame->has_output)) {
        goto end;
    }
    if (LIKELY(is_there) && !is_array && UNLIKELY(!PyUnicode_CheckExact(key))) {
        goto any_pair;
    }
    const bool is_first = !top.frame->has_output || !is_there; /* of the lines of one depth */
    if (LIKELY(top.frame->n_line != 0)) {
        const size_t n_skipped = is_first ? output->item_separator.n : 0;
        UNIT_NAME(put_line_part)(out, output->line + n_skipped);
        out += top.frame->n_line - n_skipped - (is_there ? 0 : output->n_indent);
    } else {
        out = UNIT_NAME(begin_line)(output, out, is_first, top_depth(&top) - !is_there);
        if (UNLIKELY(out == NULL)) {
            goto failed;
        }
    }
    if (is_array) {
        if (LIKELY(is_there)) {
            goto value_after_more;
        }
        goto close_list;
    }
    if (!is_there) {
        goto close_dict;
    }
}
#if !HAS_KEY_TEXTS || OUTPUT_BITS > 8
    goto key;
#endif
#if HAS_KEY_TEXTS
first_key_after_more:
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
        out = UNIT_NAME(grow)(output, out, 0);
        if (out == NULL) {
            goto failed;
        }
    }
    goto first_key;
#endif

first_pair: /* of a dict, which is there */
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
        out = UNIT_NAME(grow)(output, out, 0);
        if (out == NULL) {
            goto failed;
        }
    }
    if (LIKELY(top.layout == LAYOUT_STR_PAIRS)) {
        top_next_str_pair(&top, &key, &value);
    } else {
        top_next_shared_pair(&top, &key, &value);
    }
#if HAS_KEY_TEXTS
first_key: { /* or one after a separator that is written already */
    const struct key_text *const text = &texts[key_text_number(key)];
    if (LIKELY(text->key == key) && LIKELY(text->format == encoder->key_format)) {
        out = NAME(put_key_text)(out, text, output->item_separator.n);
        goto value;
    }
    goto new_key;
}
#else
    goto key;
#endif

close_list:
    *out++ = ']';
    goto pop;
close_dict:
    *out++ = '}';
pop:
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) { /* brackets may follow each other */
        out = UNIT_NAME(grow)(output, out, 0);
        if (out == NULL) {
            goto failed;
        }
    }
    if (LIKELY(top_pop(&top))) {
        goto item_done;
    }
    is_item_done = true;

find: /* go on with the frame on top */
    if (UNLIKELY(!top_find(&top))) {
        goto done;
    }
    if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) { /* brackets may have followed each other */
        out = UNIT_NAME(grow)(output, out, 0);
        if (out == NULL) {
            goto failed;
        }
    }
    if (LIKELY(top.frame->is_in_place)) {
        top_unpack(&top);
        if (is_item_done) {
            goto item_done;
        }
        goto begin;
    }
    if (UNLIKELY(encoder->is_streaming) && top.frame->kind != FRAME_DEFAULT && /* adds no text */
        (size_t)((char *)out - output->writer.begin) >= encoder->chunk_bytes) {
        output->cursor = (char *)out;
        top_leave(&top)->resume = RESUME_FRAME;
        return WALK_PAUSED;
    }
    {
        struct frame *const frame = top.frame;
        const enum next what = encoder_next(top_leave(&top), frame);
        top.frame = frame; /* nothing was pushed */
        value = encoder->value;
        switch (what) {
        case NEXT_PAIR: key = encoder->key; goto any_pair;
        case NEXT_ITEM:
            out = UNIT_NAME(begin_item_at)(output, out, !frame->has_output, encoder_depth(encoder));
            if (out == NULL) {
                goto failed;
            }
            frame->has_output = true;
            goto value_after_more;
        case NEXT_REPLACEMENT: goto value_after_more;
        case NEXT_END: goto end;
        case NEXT_END_OF_REPLACEMENT:
            encoder_pop(top_leave(&top));
            is_item_done = true;
            goto find;
        case NEXT_FAILED: top_leave(&top)->has_failed_at_next = true; return WALK_FAILED;
        }
        __builtin_unreachable();
    }

end: { /* of a container that is not read in place, or indented and empty */
    struct encoder *const left = top_leave(&top);
    top_find(&top);
    const struct frame *const frame = top.frame;
    const bool is_array =
        frame->kind == FRAME_LIST || frame->kind == FRAME_TUPLE || frame->kind == FRAME_ITERATOR;
    const bool has_skipped = !is_array && frame->kind < FRAME_MODEL; /* of a dict */
    out = UNIT_NAME(put_closing)(output, out, is_array ? ']' : '}', frame->has_output, has_skipped,
                                 encoder_depth(encoder));
    encoder_pop(left);
    if (UNLIKELY(out == NULL)) {
        goto failed;
    }
    is_item_done = true;
    goto find;
}

grow:
    out = UNIT_NAME(grow)(output, out, 0);
    if (out == NULL) {
        goto failed;
    }
    switch (top.layout) {
    case LAYOUT_STR_PAIRS: goto str_pair;
    case LAYOUT_SHARED: goto shared_pair;
    case LAYOUT_ITEMS: goto item;
    case LAYOUT_PAIRS: goto pair;
    }
    __builtin_unreachable();

begin: /* or go on after a separator */
    switch (top.layout) {
    case LAYOUT_STR_PAIRS:
    case LAYOUT_SHARED:
        if (UNLIKELY(top.at == top.end)) { /* empty: what a hook returned, or has changed */
            goto close_dict;
        }
        goto first_pair;
    case LAYOUT_ITEMS:
        if (UNLIKELY(top.at == top.end)) {
            goto close_list;
        }
        goto item;
    case LAYOUT_PAIRS: goto pair;
    case LAYOUT_ITEM_LINES:
    case LAYOUT_PAIR_LINES:
    case LAYOUT_SHARED_LINES: goto line;
    }
    is_item_done = false;
    goto find;

constants: { /* that begin with the current item */
    Py_ssize_t n_run;
    const Py_ssize_t n_left = output->is_compact ? top_n_left(&top) : 1;
    out = UNIT_NAME(put_constants)(out, top_run(&top), n_left, &n_run);
    top_skip_run(&top, n_run);
    goto item_done;
}

done:
    output->cursor = (char *)out;
    return WALK_DONE;

failed:
    top_leave(&top);
    return WALK_FAILED;

list:
    if (PyList_GET_SIZE(value) == 0) {
        if (UNLIKELY(top_is_deep(&top))) {
            goto uncommon;
        }
        out = UNIT_NAME(put_ascii)(out, "[]", 2);
        goto item_done;
    }
    top_prefetch_entries(&top, &PyList_Type);
    if (IS_FREE_THREADED) {
        goto uncommon;
    }
    if (top.layout == LAYOUT_ITEMS && PyFloat_CheckExact(PyList_GET_ITEM(value, 0)) &&
        is_short_float_list(value, FLOAT_RUN) && encoder->has_float_runs && !top_is_deep(&top)) {
        Py_ssize_t n_run;
        next = UNIT_NAME(put_float_lists)(output, out, top_run(&top), top_n_left(&top), &n_run);
        top_skip_run(&top, n_run);
        goto scalar;
    }
    *out++ = '[';
    kind = FRAME_LIST;
    entries = ((const PyListObject *)value)->ob_item;
    n_bytes = (size_t)PyList_GET_SIZE(value) * sizeof value;
    if (LIKELY(top_enter_quickly(&top, value, FRAME_LIST, LAYOUT_ITEMS, entries, n_bytes))) {
        goto item;
    }
    goto enter;

tuple:
    if (PyTuple_GET_SIZE(value) == 0) {
        out = UNIT_NAME(put_ascii)(out, "[]", 2);
        goto item_done;
    }
    top_prefetch_entries(&top, &PyTuple_Type);
    *out++ = '[';
    kind = FRAME_TUPLE;
    entries = ((const PyTupleObject *)value)->ob_item;
    n_bytes = (size_t)PyTuple_GET_SIZE(value) * sizeof value;
    if (LIKELY(top_enter_quickly(&top, value, FRAME_TUPLE, LAYOUT_ITEMS, entries, n_bytes))) {
        goto item;
    }
    goto enter;

dict:
    if (PyDict_GET_SIZE(value) == 0) {
        if (UNLIKELY(top_is_deep(&top))) {
            goto uncommon;
        }
        out = UNIT_NAME(put_ascii)(out, "{}", 2);
        goto item_done;
    }
    if (UNLIKELY(encoder->looks_into_dicts) && !is_exact_dict(encoder, value)) {
        goto uncommon;
    }
    *out++ = '{';
    entries = dict_str_pairs(value, &n_bytes);
    if (LIKELY(entries != NULL) &&
        LIKELY(top_enter_quickly(&top, value, FRAME_DICT, LAYOUT_STR_PAIRS, entries, n_bytes))) {
        goto first_pair;
    }
    kind = encoder_dict_kind(encoder, value);

enter: /* not within compact text that is read in place */
    if (entries != NULL && LIKELY(top_enter_lines(&top, value, kind, entries, n_bytes))) {
        goto line;
    }
    if (UNLIKELY(!top_enter(&top, value, kind))) {
        return WALK_FAILED;
    }
    goto begin;

uncommon: {
    struct encoder *const left = top_leave(&top);
    const size_t n_frames_before = left->n_frames;
    next = NAME(put_uncommon)(left, out, value);
    if (UNLIKELY(next == NULL)) {
        return NAME(stop)(top_leave(&top), RESUME_VALUE, value);
    }
    out = next;
    is_item_done = encoder->n_frames == n_frames_before;
    goto find;
}
}

#undef KEY_TEXT_UNITS
#undef SHORT_KEY_CHARS
#undef OUTPUT_IS_ASCII
#undef NAME
#undef unit_t
