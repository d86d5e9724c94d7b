/* SPDX-License-Identifier: MIT */
/* Template: walk a tree of Python objects and write JSON text to one kind of output.
 * Parameters: OUTPUT, one of utf8, ascii, ucs1, ucs2, ucs4, and its OUTPUT_BITS a unit. Defines
 * walk_<output>. */

#include "encode/output.tmpl.h"

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
                                               bool has_output) {
    if (UNLIKELY(encoder->options->indent != NULL) &&
        (has_output || encoder->options->manners.keeps_line_of_skipped)) {
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
    if (encoder->resume == RESUME_KEY) {
        goto key;
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
        return NAME(stop)(encoder, RESUME_VALUE, value);
    }
    out = next;

behind_value:
    if (LIKELY(!encoder->is_owning)) {
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
    index = frame->index;
    place = IN_FRAME;
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
        if (!PyDict_Next(frame->items, &frame->index, &encoder->key, &value)) {
            goto close_dict;
        }
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
        out = NAME(put_closing)(encoder, out, ']', true);
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
        !encoder_is_coercible_key(encoder->key)) {
        if (encoder->options->skipkeys) {
            goto behind_value;
        }
        encoder_fail(encoder, ERROR_KEY_TYPE, encoder->key);
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
        return NAME(stop)(encoder, RESUME_KEY, value);
    }
    out = NAME(put_key_separator)(encoder, next);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    goto value;

close_dict: {
    const bool has_output = frame->has_output;
    encoder_pop(encoder);
    out = NAME(put_closing)(encoder, out, '}', has_output);
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
    if (IS_FREE_THREADED || UNLIKELY(encoder->options->sort_keys || encoder->is_owning)) {
        goto slow_dict;
    }
    *out++ = '{';
    if (UNLIKELY(!encoder_enter(encoder, value,
                                dict_has_entries(value) ? FRAME_DICT : FRAME_DICT_SLOWLY))) {
        return WALK_FAILED;
    }
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
    if (PyList_Check(value) || PyTuple_Check(value)) {
        goto slow_array;
    }
    if (PyDict_Check(value)) {
        if (PyDict_GET_SIZE(value) == 0) {
            next = NAME(put_ascii)(out, "{}", 2);
            goto scalar;
        }
        goto slow_dict;
    }
    place = IN_FRAME;
    value = encoder_call_default(encoder, value);
    if (value == NULL) {
        return WALK_FAILED;
    }
    goto value_in_room;

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
