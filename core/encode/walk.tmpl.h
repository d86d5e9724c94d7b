/* SPDX-License-Identifier: MIT */
/* Template: walk a tree of Python objects and write JSON text to one kind of output.
 * Parameters: OUTPUT, one of utf8, ascii, ucs1, ucs2, ucs4, and its OUTPUT_BITS a unit. Defines
 * walk_<output>. */

#include "encode/output.tmpl.h"
/* needs what stands above */
#include "encode/ndarray_output.tmpl.h"

/* At a string that was not written; where a wider output is wanted, encoder->cursor is set. */
static ALWAYS_INLINE enum walk_status NAME(stop)(struct encoder *encoder, enum resume_point point,
                                                 PyObject *value) {
    if (encoder->error.error.kind != ERROR_NONE) {
        encoder->has_failed_at_key = point == RESUME_KEY;
        return WALK_FAILED;
    }
    encoder->resume = point;
    encoder->value = value;
    return WALK_WANTS_WIDER;
}

/* Behind the last item of a container: the closing line's indentation, if any, and the bracket. */
static ALWAYS_INLINE unit_t *NAME(put_closing)(struct encoder *encoder, unit_t *out, char bracket,
                                               bool has_output, bool has_skipped) {
    if (UNLIKELY(encoder->options->indent != NULL) &&
        (has_output || (has_skipped && encoder->options->context->manners.keeps_line_of_skipped))) {
        if (!has_output) {
            out = NAME(put_line_break)(encoder, out, encoder_depth(encoder) + 1);
            if (out == NULL) {
                return NULL;
            }
        }
        out = NAME(put_line_break)(encoder, out, encoder_depth(encoder));
        if (out == NULL) {
            return NULL;
        }
    }
    *out = (unit_t)bracket;
    return out + 1;
}

/* A value that is not exactly of one of JSON's own types: written, entered, or another one put in
 * its place, for the frame on top to go on with. NULL as in put_any_string. */
static NOINLINE unit_t *NAME(put_uncommon)(struct encoder *encoder, unit_t *out, PyObject *value) {
    if (LIKELY(!encoder_is_exact(encoder)) || PyLong_CheckExact(value)) {
        if (PyUnicode_Check(value)) {
            return NAME(put_any_string)(encoder, out, value);
        }
        if (PyLong_Check(value)) {
            return NAME(put_int)(encoder, out, value);
        }
        if (PyFloat_Check(value)) {
            return NAME(put_float)(encoder, out, value);
        }
    }
    if (Py_TYPE(value) == encoder->options->context->fragment_type) {
        return NAME(put_fragment)(encoder, out, value);
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
        out = NAME(put_raw)(encoder, out, native.object);
        Py_DECREF(native.object);
        return out;
    case NATIVE_NDARRAY:
        out = NAME(put_ndarray)(encoder, out, &native.array);
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
 * put_uncommon and encoder_next, which may run Python code: behind them the frame on top is looked
 * at anew. */
static NOINLINE enum walk_status NAME(walk)(struct encoder *encoder) {
    unit_t *out = (unit_t *)encoder->cursor;
    unit_t *next;                     /* behind what was just written, NULL where that failed */
    PyObject *value = encoder->value; /* borrowed, as is the key */
    PyObject *key = encoder->key;
    struct frame *frame = NULL; /* on top */
    /* the frame on top, unpacked: entries of so many bytes, each with the value at its end; 0 where
     * it is to be looked at anew */
    size_t entry_bytes = 0;
    const char *entries = NULL;
    Py_ssize_t index = 0; /* of the next entry */
    Py_ssize_t n = 0;
    switch (encoder->resume) {
    case RESUME_VALUE: break;
    case RESUME_KEY: goto key;
    case RESUME_FRAME: goto frame;
    }

value:
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
value_in_room: {
    PyTypeObject *const type = Py_TYPE(value);
    if (type == &PyUnicode_Type) {
        next = NAME(put_string)(encoder, out, value);
    } else if (type == &PyLong_Type && LIKELY(long_is_below_2_64(value))) {
#if OUTPUT_BITS == 8
        if (entry_bytes == ARRAY_ENTRY_BYTES && encoder->is_compact &&
            is_int_run(array_items(entries) + index - 1, n - index + 1)) {
            Py_ssize_t n_run;
            next = NAME(put_ints)(out, array_items(entries) + index - 1, n - index + 1, &n_run);
            index += n_run - 1;
            frame->index = index;
            goto scalar;
        }
#endif
        next = NAME(put_int)(encoder, out, value);
    } else if (type == &PyFloat_Type) {
#if OUTPUT_BITS == 8
        if (entry_bytes == ARRAY_ENTRY_BYTES && encoder->has_float_runs && index < n &&
            Py_TYPE(array_items(entries)[index]) == type &&
            __builtin_isfinite(PyFloat_AS_DOUBLE(value))) {
            Py_ssize_t n_run;
            next = NAME(put_floats)(out, array_items(entries) + index - 1, n - index + 1, &n_run);
            index += n_run - 1;
            frame->index = index;
            goto scalar;
        }
#endif
        next = NAME(put_float)(encoder, out, value);
    } else if (type == &PyDict_Type) {
        goto dict;
    } else if (type == &PyList_Type) {
        goto list;
    } else if (value == Py_None || value == Py_True || value == Py_False) {
        if (entry_bytes == ARRAY_ENTRY_BYTES && encoder->is_compact && index < n &&
            is_constant(array_items(entries)[index])) {
            Py_ssize_t n_run;
            next =
                NAME(put_constants)(out, array_items(entries) + index - 1, n - index + 1, &n_run);
            index += n_run - 1;
            frame->index = index;
            goto scalar;
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
        return NAME(stop)(encoder, RESUME_VALUE, value);
    }
    out = next;

    if (LIKELY(entry_bytes == ARRAY_ENTRY_BYTES)) {
        goto array_item;
    }
    if (LIKELY(entry_bytes != 0)) {
        goto dict_item;
    }

frame:
    if (UNLIKELY(encoder->n_frames == 0)) {
        goto done;
    }
    frame = &encoder->frames[encoder->n_frames - 1];

known_frame:
    /* closing brackets come here one after the other */
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    if (UNLIKELY(encoder->is_streaming)) {
        if (frame->kind != FRAME_DEFAULT && /* adds no text */
            (size_t)((char *)out - encoder->writer.begin) >= encoder->chunk_bytes) {
            encoder->cursor = (char *)out;
            encoder->resume = RESUME_FRAME;
            return WALK_PAUSED;
        }
        entry_bytes = 0; /* a stream comes by here before each item */
    } else {
        entry_bytes = ARRAY_ENTRY_BYTES;
    }
    index = frame->index;
    if (LIKELY(frame->kind == FRAME_LIST)) {
        entries = (const char *)((PyListObject *)frame->items)->ob_item;
        n = PyList_GET_SIZE(frame->items);
        goto array_item;
    }
    if (LIKELY(frame->kind == FRAME_DICT)) {
        const struct dict_entries found = dict_entries(frame->items);
        entries = found.first;
        entry_bytes = found.values == NULL ? found.entry_bytes : SHARED_ENTRY_BYTES;
        n = found.n;
        goto dict_item;
    }
    if (frame->kind == FRAME_TUPLE) {
        entries = (const char *)((PyTupleObject *)frame->items)->ob_item;
        n = PyTuple_GET_SIZE(frame->items);
        goto array_item;
    }
    if (frame->kind == FRAME_PAIRS && !encoder->is_streaming) {
        entries = (const char *)frame->pairs->pair;
        entry_bytes = sizeof *frame->pairs->pair;
        n = frame->pairs->n;
        goto dict_item;
    }
    entry_bytes = 0;
    switch (encoder_next(encoder, frame)) {
    case NEXT_PAIR:
        key = encoder->key;
        value = encoder->value;
        goto pair;
    case NEXT_ITEM:
        out = NAME(begin_item)(encoder, out, !frame->has_output);
        if (out == NULL) {
            return WALK_FAILED;
        }
        frame->has_output = true;
        value = encoder->value;
        goto value;
    case NEXT_STAND_IN: value = encoder->value; goto value;
    case NEXT_END: goto close;
    case NEXT_END_OF_STAND_IN: encoder_pop(encoder); goto frame;
    case NEXT_FAILED: return WALK_FAILED;
    }
    __builtin_unreachable();

array_item:
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    if (index >= n) {
        encoder_pop(encoder);
        out = NAME(put_closing)(encoder, out, ']', true, false);
        if (UNLIKELY(out == NULL)) {
            return WALK_FAILED;
        }
        goto popped;
    }
    out = NAME(begin_item)(encoder, out, index == 0);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    value = array_items(entries)[index];
    frame->index = ++index;
    goto value_in_room;

dict_item:
    do {
        if (index >= n) {
            goto close;
        }
        if (UNLIKELY(entry_bytes == SHARED_ENTRY_BYTES)) {
            key = array_items(entries)[2 * index];
            value = dict_entries(frame->items).values[index++];
            break;
        }
    } while (UNLIKELY(!dict_entry(entries, entry_bytes, NULL, index++, &key, &value)));
    frame->index = index;

pair:
    if (UNLIKELY(!PyUnicode_CheckExact(key))) {
        entry_bytes = 0; /* Python code may run */
        encoder->key = key;
        encoder->value = value;
        if (!encoder_accept_key(encoder)) {
            if (encoder->error.error.kind != ERROR_NONE) {
                return WALK_FAILED;
            }
            goto frame; /* skipped */
        }
        key = encoder->key;
    }
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    out = NAME(begin_item)(encoder, out, !frame->has_output);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    frame->has_output = true;

key:
    next = LIKELY(PyUnicode_CheckExact(key)) || PyUnicode_Check(key)
               ? NAME(put_string)(encoder, out, key)
               : NAME(put_coerced_key)(encoder, out, key);
    if (UNLIKELY(next == NULL)) {
        encoder->key = key;
        return NAME(stop)(encoder, RESUME_KEY, value);
    }
    out = NAME(put_key_separator)(encoder, next);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    goto value;

close: {
    const bool has_output = frame->has_output;
    const bool is_array = frame->kind == FRAME_ITERATOR;
    encoder_pop(encoder);
    out = NAME(put_closing)(encoder, out, is_array ? ']' : '}', has_output, !is_array);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
}

popped:
    if (LIKELY(encoder->n_frames != 0)) {
        frame--;
        goto known_frame;
    }

done:
    encoder->cursor = (char *)out;
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
    if (entry_bytes == ARRAY_ENTRY_BYTES && encoder->has_float_runs &&
        is_short_float_list(value, FLOAT_RUN)) {
        Py_ssize_t n_run;
        next = NAME(put_float_lists)(out, array_items(entries) + index - 1, n - index + 1, &n_run);
        index += n_run - 1;
        frame->index = index;
        goto scalar;
    }
#endif
    *out++ = '[';
    frame = encoder_enter(encoder, value, FRAME_LIST);
    if (UNLIKELY(frame == NULL)) {
        return WALK_FAILED;
    }
    goto known_frame;

tuple:
    if (PyTuple_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "[]", 2);
        goto scalar;
    }
    *out++ = '[';
    frame = encoder_enter(encoder, value, FRAME_TUPLE);
    if (UNLIKELY(frame == NULL)) {
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
    frame = encoder_enter(encoder, value, encoder_dict_kind(encoder, value));
    if (UNLIKELY(frame == NULL)) {
        return WALK_FAILED;
    }
    goto known_frame;

uncommon:
    next = NAME(put_uncommon)(encoder, out, value);
    if (UNLIKELY(next == NULL)) {
        return NAME(stop)(encoder, RESUME_VALUE, value);
    }
    out = next;
    goto frame;
}

#undef OUTPUT_IS_UTF8
#undef OUTPUT_IS_ASCII
#undef OUTPUT_IS_STR
#undef NAME
#undef unit_t
#undef OUTPUT_BITS
#undef OUTPUT
