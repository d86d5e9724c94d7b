/* SPDX-License-Identifier: MIT */
/* Template: walk a tree of Python objects and write JSON text to one kind of output.
 * Parameters: OUTPUT, one of utf8, ascii, ucs1, ucs2, ucs4, and its OUTPUT_BITS a unit. Defines
 * walk_<output>. */

#define OUTPUT_IS_UTF8 (CONCAT(OUTPUT_NUMBER, OUTPUT) == OUTPUT_NUMBER_utf8)
#define OUTPUT_IS_ASCII (CONCAT(OUTPUT_NUMBER, OUTPUT) == OUTPUT_NUMBER_ascii)
#define OUTPUT_IS_STR (CONCAT(OUTPUT_NUMBER, OUTPUT) >= OUTPUT_NUMBER_ucs1)
#define NAME(noun) CONCAT(noun, OUTPUT)
#define unit_t CONCAT(OUTPUT_UNIT, OUTPUT)

#include "encode/output.tmpl.h"
/* uses the functions of output.tmpl.h */
#include "encode/native/ndarray_output.tmpl.h"

/* At a string that was not written; where a wider output is wanted, its cursor is set. */
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

/* What stands before an item of the container on top. */
static ALWAYS_INLINE unit_t *NAME(begin_item)(const struct encoder *encoder, struct output *output,
                                              unit_t *out, bool is_first) {
    return NAME(begin_item_at)(output, out, is_first, encoder_depth(encoder));
}

/* After the last item of a container: the closing line's indentation, if any, and the bracket. */
static ALWAYS_INLINE unit_t *NAME(put_closing)(const struct encoder *encoder, struct output *output,
                                               unit_t *out, char bracket, bool has_output,
                                               bool has_skipped) {
    if (UNLIKELY(output->options->indent != NULL) &&
        (has_output || (has_skipped && output->options->context->quirks.keeps_line_of_skipped))) {
        if (!has_output) {
            out = NAME(put_line_break)(output, out, encoder_depth(encoder) + 1);
            if (out == NULL) {
                return NULL;
            }
        }
        out = NAME(put_line_break)(output, out, encoder_depth(encoder));
        if (out == NULL) {
            return NULL;
        }
    }
    *out = (unit_t)bracket;
    return out + 1;
}

/* An int of any size and of a subclass too; may run Python code. */
static NOINLINE unit_t *NAME(put_any_int)(struct encoder *encoder, unit_t *out, PyObject *number) {
    struct output *const output = &encoder->output;
    if (LIKELY(long_is_below_2_64(number))) {
        return NAME(put_int64)(output, out, number);
    }
    if (output->options->int53 == INT53_ERROR) {
        output_fail(output, ERROR_INT53, number);
        return NULL;
    }
    PyObject *const digits = encoder_int_repr(encoder, number);
    if (digits == NULL) {
        return NULL;
    }
    out = NAME(put_digits)(output, out, digits);
    Py_DECREF(digits);
    return out;
}

/* A key that is not a str, as stdlib coerces it, in quotes; may run Python code. */
static NOINLINE unit_t *NAME(put_coerced_key)(struct encoder *encoder, unit_t *out, PyObject *key) {
    struct output *const output = &encoder->output;
    *out++ = '"';
    if (PyFloat_Check(key)) {
        out = NAME(put_float)(output, out, key);
    } else if (key == Py_True) {
        out = NAME(put_ascii)(out, "true", 4);
    } else if (key == Py_False) {
        out = NAME(put_ascii)(out, "false", 5);
    } else if (key == Py_None) {
        out = NAME(put_ascii)(out, "null", 4);
    } else {
        assert(PyLong_Check(key));
        output->is_in_key = true;
        out = NAME(put_any_int)(encoder, out, key);
        output->is_in_key = false;
    }
    if (out != NULL) {
        *out++ = '"';
    }
    return out;
}

/* A value that is not exactly of one of JSON's own types: written, entered, or another one put in
 * its place, for the frame on top to go on with. May run Python code. NULL as in put_any_string. */
static NOINLINE unit_t *NAME(put_uncommon)(struct encoder *encoder, unit_t *out, PyObject *value) {
    struct output *const output = &encoder->output;
    if (LIKELY(!encoder_is_exact(encoder)) || PyLong_CheckExact(value)) {
        if (PyUnicode_Check(value)) {
            return NAME(put_any_string)(output, out, value);
        }
        if (PyLong_Check(value)) {
            return NAME(put_any_int)(encoder, out, value);
        }
        if (PyFloat_Check(value)) {
            return NAME(put_float)(output, out, value);
        }
    }
    if (Py_TYPE(value) == output->options->context->fragment_type) {
        return NAME(put_fragment)(output, out, value);
    }
    struct native native;
    switch (encoder_enter_uncommon(encoder, value, &native)) {
    case NATIVE_AS_TEXT:
        *out = '"';
        out = NAME(put_ascii)(out + 1, native.text, native.n_text);
        *out = '"';
        return out + 1;
    case NATIVE_AS_DIGITS: return NAME(put_ascii)(out, native.text, native.n_text);
    case NATIVE_AS_NUMBER:
        out = NAME(put_raw)(output, out, native.object);
        Py_DECREF(native.object);
        return out;
    case NATIVE_NDARRAY:
        out = NAME(put_ndarray)(output, out, &native.array, encoder_depth(encoder));
        ndarray_close(&native.array);
        return out;
    case NATIVE_AS_NULL: return NAME(put_ascii)(out, "null", 4);
    case NATIVE_AS_EMPTY_ARRAY: return NAME(put_ascii)(out, "[]", 2);
    case NATIVE_AS_EMPTY_OBJECT: return NAME(put_ascii)(out, "{}", 2);
    case NATIVE_IN_ARRAY: *out = '['; return out + 1;
    case NATIVE_IN_OBJECT: *out = '{'; return out + 1;
    case NATIVE_AS_VALUE: return out;
    case NATIVE_FAILED:
    case NATIVE_NOT_KNOWN: break;
    }
    return NULL;
}

/* Write encoder->value and all that the frames still hold.
 *
 * The loops below know JSON's own types and the containers that are read in place; the rest is in
 * put_uncommon and encoder_next, which may run Python code: see top.h for what holds them apart. */
static NOINLINE enum walk_status NAME(walk)(const struct encoder *encoder) {
    struct output *const output = encoder_output(encoder);
    struct top top = {.encoder = encoder};
    unit_t *out = (unit_t *)output->cursor;
    unit_t *next;                     /* after what was just written, NULL where that failed */
    PyObject *value = encoder->value; /* borrowed, as is the key */
    PyObject *key = encoder->key;
    switch (encoder->resume) {
    case RESUME_VALUE: break;
    case RESUME_KEY: goto key;
    case RESUME_FRAME: goto frame;
    }

value:
    if (UNLIKELY(!NAME(has_room)(output, out))) {
        out = NAME(grow)(output, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
value_in_room: {
    PyTypeObject *const type = Py_TYPE(value);
    if (type == &PyUnicode_Type) {
        next = NAME(put_string)(output, out, value);
    } else if (type == &PyLong_Type && LIKELY(long_is_below_2_64(value))) {
#if OUTPUT_BITS == 8
        if (top_is_array(&top) && output->is_compact) {
            Py_ssize_t n_run;
            PyObject *const *const run = top_run(&top, &n_run);
            if (is_int_run(run, n_run)) {
                next = NAME(put_ints)(out, run, n_run, &n_run);
                top_skip_run(&top, n_run);
                goto scalar;
            }
        }
#endif
        next = NAME(put_int64)(output, out, value);
    } else if (type == &PyFloat_Type) {
#if OUTPUT_BITS == 8
        if (top_is_array(&top) && encoder->has_float_runs) {
            Py_ssize_t n_run;
            PyObject *const *const run = top_run(&top, &n_run);
            if (n_run > 1 && Py_TYPE(run[1]) == type &&
                __builtin_isfinite(PyFloat_AS_DOUBLE(value))) {
                next = NAME(put_floats)(out, run, n_run, &n_run);
                top_skip_run(&top, n_run);
                goto scalar;
            }
        }
#endif
        next = NAME(put_float)(output, out, value);
    } else if (type == &PyDict_Type) {
        goto dict;
    } else if (type == &PyList_Type) {
        goto list;
    } else if (value == Py_None || value == Py_True || value == Py_False) {
        if (top_is_array(&top) && output->is_compact) {
            Py_ssize_t n_run;
            PyObject *const *const run = top_run(&top, &n_run);
            if (n_run > 1 && is_constant(run[1])) {
                next = NAME(put_constants)(out, run, n_run, &n_run);
                top_skip_run(&top, n_run);
                goto scalar;
            }
        }
        next = value == Py_None   ? NAME(put_ascii)(out, "null", 4)
               : value == Py_True ? NAME(put_ascii)(out, "true", 4)
                                  : NAME(put_ascii)(out, "false", 5);
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

    if (LIKELY(top_is_array(&top))) {
        goto array_item;
    }
    if (LIKELY(top.entry_bytes != 0)) {
        goto dict_item;
    }

frame:
    if (UNLIKELY(!top_find(&top))) {
        goto done;
    }

known_frame:
    /* closing brackets come here one after the other */
    if (UNLIKELY(!NAME(has_room)(output, out))) {
        out = NAME(grow)(output, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    size_t array_bytes = ARRAY_ENTRY_BYTES;
    if (UNLIKELY(encoder->is_streaming)) {
        if (top.frame->kind != FRAME_DEFAULT && /* adds no text */
            (size_t)((char *)out - output->writer.begin) >= encoder->chunk_bytes) {
            output->cursor = (char *)out;
            top_leave(&top)->resume = RESUME_FRAME;
            return WALK_PAUSED;
        }
        array_bytes = 0; /* a stream comes by here before each item */
    }
    if (LIKELY(top.frame->kind == FRAME_LIST)) {
        PyListObject *const list = (PyListObject *)top.frame->items;
        top_unpack(&top, list->ob_item, array_bytes, PyList_GET_SIZE(list));
        goto array_item;
    }
    if (LIKELY(top.frame->kind == FRAME_DICT)) {
        const struct dict_entries found = dict_entries(top.frame->items);
        top_unpack(&top, found.first, found.values == NULL ? found.entry_bytes : SHARED_ENTRY_BYTES,
                   found.n);
        goto dict_item;
    }
    if (top.frame->kind == FRAME_TUPLE) {
        PyTupleObject *const tuple = (PyTupleObject *)top.frame->items;
        top_unpack(&top, tuple->ob_item, array_bytes, PyTuple_GET_SIZE(tuple));
        goto array_item;
    }
    if (top.frame->kind == FRAME_PAIRS && !encoder->is_streaming) {
        struct pairs *const pairs = top.frame->pairs;
        top_unpack(&top, pairs->pair, sizeof *pairs->pair, pairs->n);
        goto dict_item;
    }
    {
        struct frame *const frame = top.frame;
        const enum next what = encoder_next(top_leave(&top), frame);
        top.frame = frame; /* nothing was pushed */
        value = encoder->value;
        switch (what) {
        case NEXT_PAIR: key = encoder->key; goto pair;
        case NEXT_ITEM:
            out = NAME(begin_item)(encoder, output, out, !frame->has_output);
            if (out == NULL) {
                return WALK_FAILED;
            }
            frame->has_output = true;
            goto value;
        case NEXT_STAND_IN: goto value;
        case NEXT_END: goto close;
        case NEXT_END_OF_STAND_IN: encoder_pop(top_leave(&top)); goto frame;
        case NEXT_FAILED: top_leave(&top)->has_failed_at_next = true; return WALK_FAILED;
        }
        __builtin_unreachable();
    }

array_item:
    if (UNLIKELY(!NAME(has_room)(output, out))) {
        out = NAME(grow)(output, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    if (top.index >= top.n) {
        const bool is_outermost = !top_pop(&top);
        out = NAME(put_closing)(encoder, output, out, ']', true, false);
        if (UNLIKELY(out == NULL)) {
            return WALK_FAILED;
        }
        if (UNLIKELY(is_outermost)) {
            goto done;
        }
        goto known_frame;
    }
    out = NAME(begin_item)(encoder, output, out, top.index == 0);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    value = top_next_item(&top);
    goto value_in_room;

dict_item:
    if (!top_next_pair(&top, &key, &value)) {
        goto close;
    }

pair:
    if (UNLIKELY(!PyUnicode_CheckExact(key))) {
        struct encoder *const left = top_leave(&top);
        left->key = key;
        left->value = value;
        if (!encoder_accept_key(left)) {
            if (encoder_has_failed(encoder)) {
                return WALK_FAILED;
            }
            goto frame; /* skipped */
        }
        key = encoder->key;
        top_find(&top);
    }
    if (UNLIKELY(!NAME(has_room)(output, out))) {
        out = NAME(grow)(output, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    out = NAME(begin_item)(encoder, output, out, !top.frame->has_output);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    top.frame->has_output = true;

key:
    next = LIKELY(PyUnicode_CheckExact(key)) || PyUnicode_Check(key)
               ? NAME(put_string)(output, out, key)
               : NAME(put_coerced_key)(top_leave(&top), out, key);
    if (UNLIKELY(next == NULL)) {
        struct encoder *const left = top_leave(&top);
        left->key = key;
        return NAME(stop)(left, RESUME_KEY, value);
    }
    out = NAME(put_key_separator)(output, next);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    goto value;

close: {
    const bool has_output = top.frame->has_output;
    const bool is_array = top.frame->kind == FRAME_ITERATOR;
    const bool is_outermost = !top_pop(&top);
    out = NAME(put_closing)(encoder, output, out, is_array ? ']' : '}', has_output, !is_array);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    if (LIKELY(!is_outermost)) {
        goto known_frame;
    }
}

done:
    output->cursor = (char *)out;
    return WALK_DONE;

list:
    if (PyList_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "[]", 2);
        goto scalar;
    }
    if (IS_FREE_THREADED) {
        goto uncommon;
    }
#if OUTPUT_BITS == 8
    if (top_is_array(&top) && encoder->has_float_runs && is_short_float_list(value, FLOAT_RUN)) {
        Py_ssize_t n_run;
        PyObject *const *const run = top_run(&top, &n_run);
        next = NAME(put_float_lists)(out, run, n_run, &n_run);
        top_skip_run(&top, n_run);
        goto scalar;
    }
#endif
    *out++ = '[';
    if (!top_enter(&top, value, FRAME_LIST)) {
        return WALK_FAILED;
    }
    goto known_frame;

tuple:
    if (PyTuple_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "[]", 2);
        goto scalar;
    }
    *out++ = '[';
    if (!top_enter(&top, value, FRAME_TUPLE)) {
        return WALK_FAILED;
    }
    goto known_frame;

dict:
    if (PyDict_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "{}", 2);
        goto scalar;
    }
    if (UNLIKELY(encoder->looks_into_dicts)) {
        goto uncommon;
    }
    *out++ = '{';
    if (!top_enter(&top, value, encoder_dict_kind(encoder, value))) {
        return WALK_FAILED;
    }
    goto known_frame;

uncommon:
    next = NAME(put_uncommon)(top_leave(&top), out, value);
    if (UNLIKELY(next == NULL)) {
        return NAME(stop)(top_leave(&top), RESUME_VALUE, value);
    }
    out = next;
    goto frame;
}

#undef OUTPUT_IS_UTF8
#undef OUTPUT_IS_ASCII
#undef OUTPUT_IS_STR
#undef NAME
#undef unit_t
