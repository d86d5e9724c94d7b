/* SPDX-License-Identifier: MIT */
/* Template: walk a tree of Python objects and write JSON text to one kind of output.
 * Parameters: OUTPUT, one of utf8, ascii, ucs1, ucs2, ucs4, and its OUTPUT_BITS a unit. Defines
 * walk_<output>. */

#include "encode/output.tmpl.h"

static ALWAYS_INLINE enum walk_status NAME(stop)(struct encoder *encoder, const unit_t *out,
                                                 enum resume_point point, PyObject *value) {
    if (encoder->error.error.kind != ERROR_NONE) {
        encoder->has_failed_at_key = point == RESUME_KEY;
        return WALK_FAILED;
    }
    encoder->cursor = (char *)out;
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
            out = NAME(put_line_break)(encoder, out,
                                       encoder->n_frames + 1 - encoder->n_default_frames);
            if (out == NULL) {
                return NULL;
            }
        }
        out = NAME(put_line_break)(encoder, out, encoder->n_frames - encoder->n_default_frames);
        if (out == NULL) {
            return NULL;
        }
    }
    *out = (unit_t)bracket;
    return out + 1;
}

/* Write encoder->value and all that the frames still hold. */
static NOINLINE enum walk_status NAME(walk)(struct encoder *encoder) {
    unit_t *out = (unit_t *)encoder->cursor;
    unit_t *next;                     /* behind what was just written, NULL where that failed */
    PyObject *value = encoder->value; /* borrowed */
    struct frame *frame = NULL;       /* on top */
    /* the frame on top, unpacked: stale once Python code has run, so not used from then on */
    enum walk_place place = IN_FRAME;
    PyObject *const *items = NULL;
    struct dict_entries entries = {0};
    Py_ssize_t index = 0;
    Py_ssize_t n_items = 0;
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
    } else if (type == &PyLong_Type) {
        next = NAME(put_int)(encoder, out, value);
    } else if (type == &PyFloat_Type) {
#if OUTPUT_BITS == 8
        if (place == IN_ARRAY && encoder->is_compact && index < n_items &&
            Py_TYPE(items[index]) == type && __builtin_isfinite(PyFloat_AS_DOUBLE(value))) {
            Py_ssize_t n;
            next = NAME(put_floats)(out, items + index - 1, n_items - index + 1, &n);
            index += n - 1;
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
        if (place == IN_ARRAY && encoder->is_compact) {
            Py_ssize_t n;
            next = NAME(put_constants)(out, items + index - 1, n_items - index + 1, &n);
            index += n - 1;
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
        return NAME(stop)(encoder, out, RESUME_VALUE, value);
    }
    out = next;

behind_value:
    if (LIKELY(!encoder->is_stale)) {
        if (place == IN_ARRAY) {
            goto array_item;
        }
        if (place == IN_DICT) {
            goto dict_item;
        }
    }

frame:
    if (UNLIKELY(encoder->n_frames == 0)) {
        encoder->cursor = (char *)out;
        return WALK_DONE;
    }
    /* closing brackets come here one after the other */
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    frame = &encoder->frames[encoder->n_frames - 1];
    if (UNLIKELY(encoder->is_streaming) && frame->kind != FRAME_DEFAULT && /* adds no text */
        (size_t)((char *)out - encoder->writer.begin) >= encoder->chunk_bytes) {
        encoder->cursor = (char *)out;
        encoder->resume = RESUME_FRAME;
        return WALK_PAUSED;
    }
    index = frame->index;
    place = IN_FRAME;
    encoder->is_stale = encoder->is_streaming; /* a stream comes by here before each item */
    switch (frame->kind) {
    case FRAME_LIST:
        items = ((PyListObject *)frame->items)->ob_item;
        n_items = PyList_GET_SIZE(frame->items);
        place = IN_ARRAY;
        goto array_item;
    case FRAME_TUPLE:
        items = ((PyTupleObject *)frame->items)->ob_item;
        n_items = PyTuple_GET_SIZE(frame->items);
        place = IN_ARRAY;
        goto array_item;
    case FRAME_DICT:
        entries = dict_entries(frame->items);
        place = IN_DICT;
        goto dict_item;
    case FRAME_DICT_SLOWLY:
        if (!encoder_next_streamed_pair(encoder, frame, &value)) {
            if (UNLIKELY(encoder->error.error.kind != ERROR_NONE)) {
                return WALK_FAILED;
            }
            goto close_dict;
        }
        goto pair;
    case FRAME_PAIRS:
        if (index >= frame->pairs->n) {
            goto close_dict;
        }
        encoder->key = frame->pairs->pair[index].key;
        value = frame->pairs->pair[index].value;
        frame->index++;
        goto pair;
    case FRAME_ITEMS: {
        if (index >= PyList_GET_SIZE(frame->items)) {
            goto close_dict;
        }
        PyObject *const pair = PyList_GET_ITEM(frame->items, index);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
            encoder_fail(encoder, ERROR_ITEMS_NOT_PAIRS, NULL);
            encoder->has_failed_at_key = true;
            return WALK_FAILED;
        }
        frame->index++;
        encoder->key = PyTuple_GET_ITEM(pair, 0);
        value = PyTuple_GET_ITEM(pair, 1);
        goto pair;
    }
    case FRAME_ITERATOR:
        value = encoder_next_item(encoder);
        if (value == NULL) {
            if (encoder->error.error.kind != ERROR_NONE) {
                return WALK_FAILED;
            }
            const bool has_output = frame->has_output;
            encoder_pop(encoder);
            out = NAME(put_closing)(encoder, out, ']', has_output, false);
            if (out == NULL) {
                return WALK_FAILED;
            }
            goto frame;
        }
        out = NAME(begin_item)(encoder, out, !frame->has_output);
        if (out == NULL) {
            return WALK_FAILED;
        }
        frame->has_output = true;
        goto value;
    case FRAME_MODEL:
        if (index >= plan_of(frame->items)->n_fields) {
            goto close_dict;
        }
        value = encoder_next_field(encoder, frame);
        if (UNLIKELY(value == NULL)) {
            return WALK_FAILED;
        }
        goto pair;
    case FRAME_DEFAULT: encoder_pop(encoder); goto frame;
    }
    __builtin_unreachable();

array_item:
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    if (index >= n_items) {
        encoder_pop(encoder);
        out = NAME(put_closing)(encoder, out, ']', true, false);
        if (UNLIKELY(out == NULL)) {
            return WALK_FAILED;
        }
        goto frame;
    }
    out = NAME(begin_item)(encoder, out, index == 0);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    value = items[index];
    frame->index = ++index;
    goto value_in_room;

dict_item:
    do {
        if (index >= entries.n) {
            goto close_dict;
        }
    } while (UNLIKELY(!dict_entry(&entries, index++, &encoder->key, &value)));
    frame->index = index;

pair:
    if (UNLIKELY(!PyUnicode_CheckExact(encoder->key) && !PyUnicode_Check(encoder->key)) &&
        !encoder_is_coercible_key(encoder->key) && !encoder_convert_key(encoder)) {
        if (encoder->error.error.kind == ERROR_NONE) {
            if (encoder->options->skipkeys) {
                goto behind_value;
            }
            encoder_fail(encoder, ERROR_KEY_TYPE, encoder->key);
        }
        encoder->has_failed_at_key = true;
        return WALK_FAILED;
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
    next = LIKELY(PyUnicode_Check(encoder->key))
               ? NAME(put_string)(encoder, out, encoder->key)
               : NAME(put_coerced_key)(encoder, out, encoder->key);
    if (UNLIKELY(next == NULL)) {
        return NAME(stop)(encoder, out, RESUME_KEY, value);
    }
    out = NAME(put_key_separator)(encoder, next);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    goto value;

close_dict: {
    const bool has_output = frame->has_output;
    encoder_pop(encoder);
    out = NAME(put_closing)(encoder, out, '}', has_output, true);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    goto frame;
}

list:
    if (PyList_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "[]", 2);
        goto scalar;
    }
    if (IS_FREE_THREADED) {
        goto slow_array;
    }
#if OUTPUT_BITS == 8
    if (place == IN_ARRAY && encoder->is_compact && is_short_float_list(value, FLOAT_RUN)) {
        Py_ssize_t n;
        next = NAME(put_float_lists)(out, items + index - 1, n_items - index + 1, &n);
        index += n - 1;
        frame->index = index;
        goto scalar;
    }
#endif
    *out++ = '[';
    if (UNLIKELY(!encoder_enter(encoder, value, FRAME_LIST))) {
        return WALK_FAILED;
    }
    goto frame;

tuple:
    if (PyTuple_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "[]", 2);
        goto scalar;
    }
    *out++ = '[';
    if (UNLIKELY(!encoder_enter(encoder, value, FRAME_TUPLE))) {
        return WALK_FAILED;
    }
    goto frame;

dict:
    if (PyDict_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "{}", 2);
        goto scalar;
    }
    if (IS_FREE_THREADED) {
        goto slow_dict;
    }
    if (UNLIKELY(encoder->options->sort_keys)) {
        if (!encoder_enter_sorted(encoder, value)) {
            if (encoder->error.error.kind != ERROR_NONE) {
                return WALK_FAILED;
            }
            goto slow_dict;
        }
    } else if (UNLIKELY(!encoder_enter(encoder, value,
                                       dict_has_entries(value) && !encoder->is_streaming
                                           ? FRAME_DICT
                                           : FRAME_DICT_SLOWLY))) {
        return WALK_FAILED;
    }
    *out++ = '{';
    goto frame;

uncommon:
    if (PyUnicode_Check(value)) {
        next = NAME(put_string)(encoder, out, value);
        goto scalar;
    }
    if (PyLong_Check(value)) {
        next = NAME(put_int)(encoder, out, value);
        goto scalar;
    }
    if (PyFloat_Check(value)) {
        next = NAME(put_float)(encoder, out, value);
        goto scalar;
    }
    if (PyList_Check(value)) {
        if (type_iterates_as(value, &PyList_Type)) {
            goto list;
        }
        goto slow_array;
    }
    if (PyTuple_Check(value)) {
        if (type_iterates_as(value, &PyTuple_Type)) {
            goto tuple;
        }
        goto slow_array;
    }
    if (PyDict_Check(value)) {
        if (PyDict_GET_SIZE(value) == 0) {
            next = NAME(put_ascii)(out, "{}", 2);
            goto scalar;
        }
        if (encoder_has_own_items(encoder, value)) {
            goto slow_dict;
        }
        goto dict;
    }
    if (Py_TYPE(value) == encoder->options->context->fragment_type) {
        next = NAME(put_fragment)(encoder, out, value);
        goto scalar;
    }
    place = IN_FRAME;
    if (encoder->options->native.is_any) {
        goto native;
    }

not_known:
    value = encoder_call_default(encoder, value);
    if (value == NULL) {
        return WALK_FAILED;
    }
    goto value_in_room;

native: {
    struct native native;
    switch (encoder_convert(encoder, value, &native)) {
    case NATIVE_NOT_KNOWN: goto not_known;
    case NATIVE_FAILED: return WALK_FAILED;
    case NATIVE_AS_TEXT:
        *out = '"';
        out = NAME(put_ascii)(out + 1, native.text, native.n_text);
        *out++ = '"';
        goto frame;
    case NATIVE_AS_NUMBER:
        next = NAME(put_raw)(encoder, out, native.object);
        Py_DECREF(native.object);
        goto scalar;
    case NATIVE_AS_VALUE: value = encoder->value; goto value_in_room;
    case NATIVE_AS_NULL: next = NAME(put_ascii)(out, "null", 4); goto scalar;
    case NATIVE_AS_EMPTY_OBJECT: next = NAME(put_ascii)(out, "{}", 2); goto scalar;
    case NATIVE_IN_ARRAY: *out++ = '['; goto frame;
    case NATIVE_IN_OBJECT: *out++ = '{'; goto frame;
    case NATIVE_NDARRAY: Py_UNREACHABLE();
    }
    __builtin_unreachable();
}

slow_array: {
    bool is_empty = false;
    if (!encoder_enter_slowly(encoder, value, &is_empty)) {
        return WALK_FAILED;
    }
    out = is_empty ? NAME(put_ascii)(out, "[]", 2) : NAME(put_ascii)(out, "[", 1);
    goto frame;
}

slow_dict: {
    bool is_empty = false;
    if (!encoder_enter_slowly(encoder, value, &is_empty)) {
        return WALK_FAILED;
    }
    out = is_empty ? NAME(put_ascii)(out, "{}", 2) : NAME(put_ascii)(out, "{", 1);
    goto frame;
}
}

#undef OUTPUT_IS_UTF8
#undef OUTPUT_IS_ASCII
#undef OUTPUT_IS_STR
#undef NAME
#undef unit_t
#undef OUTPUT_BITS
#undef OUTPUT
