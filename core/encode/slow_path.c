/* SPDX-License-Identifier: MIT */
#include "encode/slow_path.h"

#include "encode/arranged_pairs.h"
#include "encode/keys.h"
#include "encode/types/convert.h"
#include "encode/orjson/values.h"
#include "pyobject/dict.h"
#include "pyobject/instance.h"

/* Whether an object of a subclass of dict has an items() that is not dict's own. */
static bool encoder_has_own_items(const struct encoder *encoder, PyObject *dict) {
    PyObject *const name = encoder->options->context->native_types.words[WORD_ITEMS];
    return type_look_up(Py_TYPE(dict), name) != type_look_up(any_dict_base(dict), name) ||
           !type_has_usual_attributes(Py_TYPE(dict)) || object_may_hold(dict, name);
}

/* Whether stdlib's encoder in Python would ask a list, tuple or dict of a subclass by a method that
 * the subclass overrides. Classes that are written in C are taken at their word. */
static COLD bool encoder_would_ask_methods(const struct encoder *encoder, PyObject *container) {
    const PyTypeObject *const type = Py_TYPE(container);
    const bool is_dict = is_any_dict(container);
    PyTypeObject *const base = is_dict                   ? any_dict_base(container)
                               : PyList_Check(container) ? &PyList_Type
                                                         : &PyTuple_Type;
    if (type == base) {
        return false;
    }
    const bool has_own_truth =
        (type->tp_as_number != NULL && type->tp_as_number->nb_bool != NULL) ||
        type->tp_as_mapping->mp_length != base->tp_as_mapping->mp_length ||
        (!is_dict && type->tp_as_sequence->sq_length != base->tp_as_sequence->sq_length);
    if (has_own_truth || !is_dict) {
        return has_own_truth || !type_iterates_as(container, base);
    }
    PyObject *const name = encoder->options->context->native_types.words[WORD_ITEMS];
    PyObject *const items = type_look_up(Py_TYPE(container), name); /* borrowed */
    return items == NULL || Py_TYPE(items) != Py_TYPE(type_look_up(base, name)) ||
           !type_has_usual_attributes(Py_TYPE(container)) || object_may_hold(container, name);
}

/* Whether a dict that has items, but whose items() gives none, gets lines of its own, as stdlib's
 * does. */
static inline bool encoder_keeps_empty_line(const struct encoder *encoder) {
    return encoder->options->indent != NULL && !encoder_leaves_out_none(encoder) &&
           encoder->options->context->quirks.keeps_line_of_skipped;
}

/* As the running Python's json says it. */
static const char *const NO_ITERATOR = PY_VERSION_HEX < 0x030f0000
                                           ? "_iterencode_list needs a sequence"
                                           : "encoder_listencode_list needs a sequence";

/* Enter a list, tuple or dict whose items must be taken with Python's help. */
static COLD enum native_outcome encoder_enter_slowly(struct encoder *encoder, PyObject *container) {
    const bool is_dict = is_any_dict(container);
    const bool is_subclass = !is_any_dict_exact(container) && !PyList_CheckExact(container) &&
                             !PyTuple_CheckExact(container);
    if (is_subclass && !encoder_may_ask_python(encoder)) {
        return NATIVE_FAILED;
    }
    Py_INCREF(container);
    enum native_outcome outcome = NATIVE_FAILED;
    PyObject *items = NULL;
    if (encoder_own_frames(encoder)) {
        items = is_dict       ? encoder_dict_items(encoder, container)
                : is_subclass ? PySequence_Fast(container, NO_ITERATOR)
                              : PySequence_List(container);
    }
    if (items == NULL) {
        encoder_fail_unless_failed(encoder);
    } else if (PyList_GET_SIZE(items) == 0 && !(is_dict && encoder_keeps_empty_line(encoder))) {
        Py_DECREF(items);
        outcome = is_dict ? NATIVE_AS_EMPTY_OBJECT : NATIVE_AS_EMPTY_ARRAY;
    } else if (is_dict && encoder->options->replaces_keys) {
        outcome = encoder_enter_arranged_items(encoder, items, container, is_subclass);
    } else if (encoder_push_owned(encoder, items, container, is_dict ? FRAME_ITEMS : FRAME_LIST,
                                  is_subclass)) {
        outcome = is_dict ? NATIVE_IN_OBJECT : NATIVE_IN_ARRAY;
    }
    Py_DECREF(container);
    return outcome;
}

/* Replace an object that JSON has no form for by the default hook's result, which the frame on top
 * then holds. */
static COLD enum native_outcome encoder_call_default(struct encoder *encoder, PyObject *object) {
    PyObject *const hook = encoder->options->default_hook;
    if (hook == NULL || encoder->n_final_frames != 0) {
        encoder_fail(encoder, ERROR_NOT_SERIALIZABLE, object);
        return NATIVE_FAILED;
    }
    if (!encoder_may_ask_python(encoder)) {
        return NATIVE_FAILED;
    }
    if (encoder->options->check_circular && encoder_has_frame(encoder, object)) {
        encoder_fail(encoder, ERROR_CIRCULAR, NULL);
        return NATIVE_FAILED;
    }
    Py_INCREF(object);
    PyObject *value = NULL;
    enum native_outcome outcome = NATIVE_FAILED;
    if (encoder_own_frames(encoder)) {
        value = encoder->options->is_in_python
                    ? PyObject_CallFunction(hook, "On", object, (Py_ssize_t)encoder_depth(encoder))
                    : PyObject_CallOneArg(hook, object);
    }
    if (value == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    } else if (encoder_push_owned(encoder, value, object, FRAME_REPLACEMENT, true)) {
        outcome = NATIVE_AS_VALUE;
        if (encoder->options->exact_types) {
            encoder->frames[encoder->n_frames - 1].is_final = true;
            encoder->n_final_frames++;
        }
    }
    Py_DECREF(object);
    return outcome;
}

#if IS_FREE_THREADED
/* Whether exact_types lets the walk write a dict with these keys instead of the hook. */
static bool encoder_has_exact_pairs(const struct encoder *encoder, const struct pairs *pairs) {
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        if (!is_exact_key(encoder->options, pairs->pair[i].key)) {
            return false;
        }
    }
    return true;
}

/* Enter a dict by a copy of its pairs, which other threads cannot change; sorted by key where keys
 * are to be sorted. */
static enum native_outcome encoder_enter_shared_dict(struct encoder *encoder, PyObject *dict) {
    struct pairs *const pairs = pairs_from_shared_dict(dict, 0, 0);
    if (pairs == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    if (pairs->n == 0) { /* another thread has cleared it */
        pairs_free(pairs);
        return NATIVE_AS_EMPTY_OBJECT;
    }
    if (UNLIKELY(encoder_is_exact(encoder)) && !encoder_has_exact_pairs(encoder, pairs)) {
        pairs_free(pairs);
        return encoder_call_default(encoder, dict);
    }
    if (UNLIKELY(encoder_leaves_out_none(encoder))) {
        pairs_leave_out_none(pairs);
        if (pairs->n == 0) {
            pairs_free(pairs);
            return NATIVE_AS_EMPTY_OBJECT;
        }
    }
    if (UNLIKELY(encoder->options->replaces_keys)) {
        return encoder_enter_arranged(encoder, pairs, dict, false);
    }
    if (UNLIKELY(encoder->options->sort_keys)) {
        const enum sort_result sorted = encoder_sort(encoder, pairs);
        if (sorted != SORT_DONE) {
            pairs_free(pairs);
            return sorted == SORT_NOT_KNOWN ? encoder_enter_slowly(encoder, dict) : NATIVE_FAILED;
        }
    } else if (UNLIKELY(encoder->is_streaming)) { /* it may be changed between two chunks */
        pairs_free(pairs);
        return encoder_enter(encoder, dict, FRAME_DICT) != NULL ? NATIVE_IN_OBJECT : NATIVE_FAILED;
    }
    return encoder_push_pairs(encoder, pairs, dict) ? NATIVE_IN_OBJECT : NATIVE_FAILED;
}

/* Enter a list by a copy of its items, which other threads cannot change. A stream iterates the
 * list itself, because its items may be changed between two chunks. */
static enum native_outcome encoder_enter_shared_list(struct encoder *encoder, PyObject *list) {
    PyObject *const items =
        encoder->is_streaming ? PyList_Type.tp_iter(list) : PyList_AsTuple(list);
    if (items == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    if (!encoder->is_streaming &&
        PyTuple_GET_SIZE(items) == 0) { /* another thread has cleared it */
        Py_DECREF(items);
        return NATIVE_AS_EMPTY_ARRAY;
    }
    const enum frame_kind kind = encoder->is_streaming ? FRAME_ITERATOR : FRAME_TUPLE;
    return encoder_push_owned(encoder, items, list, kind, false) ? NATIVE_IN_ARRAY : NATIVE_FAILED;
}
#else
/* Enter a dict whose items() is dict's own by its pairs: sorted by key where keys are to be sorted,
 * and without those that are left out. NATIVE_NOT_KNOWN where only Python knows the order. */
static COLD enum native_outcome encoder_enter_pairs(struct encoder *encoder, PyObject *dict) {
    struct pairs *const pairs = pairs_from_dict(dict, 0);
    if (pairs == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    if (encoder_leaves_out_none(encoder)) {
        pairs_leave_out_none(pairs);
        if (pairs->n == 0) {
            pairs_free(pairs);
            return NATIVE_AS_EMPTY_OBJECT;
        }
    }
    if (encoder->options->replaces_keys) {
        return encoder_enter_arranged(encoder, pairs, dict, false);
    }
    if (encoder->options->sort_keys) {
        const enum sort_result sorted = encoder_sort(encoder, pairs);
        if (sorted != SORT_DONE) {
            pairs_free(pairs);
            return sorted == SORT_NOT_KNOWN ? NATIVE_NOT_KNOWN : NATIVE_FAILED;
        }
    }
    struct frame frame = {
        .pairs = pairs, .object = dict, .kind = FRAME_PAIRS, .has_holdings = true};
    if (encoder->is_streaming) {
        frame_own(&frame); /* its pairs can be owned without allocating, so this cannot fail */
    }
    return encoder_push(encoder, &frame) ? NATIVE_IN_OBJECT : NATIVE_FAILED;
}

/* The number of items of a dict that are None. */
static NOINLINE Py_ssize_t dict_count_none(PyObject *dict) {
    Py_ssize_t n = 0;
    PyObject *key;
    PyObject *value;
    struct dict_cursor cursor = dict_cursor(dict);
    while (dict_cursor_next(&cursor, dict, &key, &value)) {
        n += value == Py_None;
    }
    return n;
}
#endif

/* Enter a dict that is of a subclass, or whose items are to be sorted or left out. */
static COLD enum native_outcome encoder_enter_dict(struct encoder *encoder, PyObject *dict) {
    if (PyDict_GET_SIZE(dict) == 0) {
        return NATIVE_AS_EMPTY_OBJECT;
    }
    if (!is_any_dict_exact(dict) && encoder_has_own_items(encoder, dict)) {
        return encoder_enter_slowly(encoder, dict);
    }
#if IS_FREE_THREADED
    return encoder_enter_shared_dict(encoder, dict);
#else
    const Py_ssize_t n_none = encoder_leaves_out_none(encoder) ? dict_count_none(dict) : 0;
    if (n_none != 0 && n_none == PyDict_GET_SIZE(dict)) {
        return NATIVE_AS_EMPTY_OBJECT;
    }
    /* the pairs of a stream are taken one by one: see encoder_next_dict_pair */
    if (encoder->options->sort_keys || encoder->options->replaces_keys ||
        (n_none != 0 && !encoder->is_streaming)) {
        const enum native_outcome outcome = encoder_enter_pairs(encoder, dict);
        return outcome == NATIVE_NOT_KNOWN ? encoder_enter_slowly(encoder, dict) : outcome;
    }
    return encoder_enter(encoder, dict, FRAME_DICT) != NULL ? NATIVE_IN_OBJECT : NATIVE_FAILED;
#endif
}

/* Enter a namedtuple as an object; NATIVE_NOT_KNOWN where a value is none, or is to be an array. */
static enum native_outcome encoder_enter_namedtuple(struct encoder *encoder, PyObject *value,
                                                    struct native *native) {
    if (LIKELY(!encoder->options->namedtuple_as_object) || !PyTuple_Check(value) ||
        encoder->pydantic_depth != 0) {
        return NATIVE_NOT_KNOWN;
    }
    const enum native_outcome outcome = namedtuple_enter(encoder, value, native);
    Py_XDECREF(native->held);
    return outcome;
}

/* Enter a list or tuple that is of a subclass. */
static COLD enum native_outcome encoder_enter_array(struct encoder *encoder, PyObject *array,
                                                    struct native *native) {
    const enum native_outcome outcome = encoder_enter_namedtuple(encoder, array, native);
    if (outcome != NATIVE_NOT_KNOWN) {
        return outcome;
    }
    const bool is_list = PyList_Check(array);
    if (!type_iterates_as(array, is_list ? &PyList_Type : &PyTuple_Type)) {
        return encoder_enter_slowly(encoder, array);
    }
    if (PySequence_Fast_GET_SIZE(array) == 0) {
        return NATIVE_AS_EMPTY_ARRAY;
    }
#if IS_FREE_THREADED
    if (is_list) {
        return encoder_enter_shared_list(encoder, array);
    }
#endif
    return encoder_enter(encoder, array, is_list ? FRAME_LIST : FRAME_TUPLE) != NULL
               ? NATIVE_IN_ARRAY
               : NATIVE_FAILED;
}

enum native_outcome encoder_enter_any(struct encoder *encoder, PyObject *value,
                                      struct native *native) {
    const bool is_exact = encoder_is_exact(encoder);
    if (UNLIKELY(is_exact)) {
        if (encoder->options->orjson.is_on) {
            return orjson_enter_any(encoder, value, native);
        }
        const enum native_outcome outcome = encoder_enter_namedtuple(encoder, value, native);
        if (outcome != NATIVE_NOT_KNOWN) {
            return outcome;
        }
    }
    if (UNLIKELY(encoder->options->is_in_python) &&
        (is_any_dict(value) || PyList_Check(value) || PyTuple_Check(value)) &&
        encoder_would_ask_methods(encoder, value)) {
        return encoder_call_default(encoder, value);
    }
    if (is_exact ? PyDict_CheckExact(value) : is_any_dict(value)) {
        return is_exact && !IS_FREE_THREADED && !has_exact_keys(encoder->options, value)
                   ? encoder_call_default(encoder, value)
                   : encoder_enter_dict(encoder, value);
    }
    if (IS_FREE_THREADED && PyList_CheckExact(value)) {
        return encoder_enter_array(encoder, value, native);
    }
    if (!is_exact && (PyList_Check(value) || PyTuple_Check(value))) {
        return encoder_enter_array(encoder, value, native);
    }
    if (!encoder->options->native.is_any) {
        return encoder_call_default(encoder, value);
    }
    enum native_outcome outcome = encoder_convert(encoder, value, native);
    if (outcome == NATIVE_NOT_KNOWN) {
        outcome = encoder_call_default(encoder, value);
    }
    native_let_go(encoder, native, outcome);
    return outcome;
}

/* The next pair of a dict whose entries are not read in place; false at its end or with the error
 * recorded. Between two chunks the caller may change the dict. */
static inline bool encoder_next_dict_pair(struct encoder *encoder, struct frame *frame) {
    if (!encoder->is_streaming) {
        return PyDict_Next(frame->items, &frame->index, &encoder->key, &encoder->value) != 0;
    }
    PyObject *const held_before = frame->held;
    PyObject *const key_before = encoder->streamed_key;
    bool has_changed;
    bool has_pair;
    Py_BEGIN_CRITICAL_SECTION(frame->items);
    has_changed = PyDict_GET_SIZE(frame->items) != frame->n_expected;
    do {
        has_pair = !has_changed &&
                   PyDict_Next(frame->items, &frame->index, &encoder->key, &encoder->value) != 0;
    } while (has_pair && encoder->value == Py_None && encoder_leaves_out_none(encoder));
    if (has_pair) { /* Python code that writes the key may take the pair out of the dict */
        frame->held = Py_NewRef(encoder->value);
        encoder->streamed_key = Py_NewRef(encoder->key);
    }
    Py_END_CRITICAL_SECTION();
    if (has_changed) {
        PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during iteration");
        encoder_fail(encoder, ERROR_REFUSED, NULL);
    }
    if (!has_pair) {
        return false;
    }
    Py_XDECREF(held_before);
    Py_XDECREF(key_before);
    return true;
}

/* The next pair of a list that an overridden method items() has made. */
static enum next encoder_next_listed_pair(struct encoder *encoder, struct frame *frame) {
    if (frame->index >= PyList_GET_SIZE(frame->items)) {
        return NEXT_END;
    }
    PyObject *const pair = PyList_GET_ITEM(frame->items, frame->index);
    /* Python code that writes the key may take the pair out of the list */
    Py_XSETREF(frame->held, Py_NewRef(pair));
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        encoder_fail(encoder, ERROR_ITEMS_NOT_PAIRS, NULL);
        encoder->has_failed_at_key = true;
        return NEXT_FAILED;
    }
    frame->index++;
    encoder->key = PyTuple_GET_ITEM(pair, 0);
    encoder->value = PyTuple_GET_ITEM(pair, 1);
    return NEXT_PAIR;
}

enum next encoder_next(struct encoder *encoder, struct frame *frame) {
    switch (frame->kind) {
    case FRAME_DICT:
        if (encoder_next_dict_pair(encoder, frame)) {
            return NEXT_PAIR;
        }
        return encoder_has_failed(encoder) ? NEXT_FAILED : NEXT_END;
    case FRAME_PAIRS: {
        if (frame->index >= frame->pairs->n) {
            return NEXT_END;
        }
        const struct pair *const pair = &frame->pairs->pair[frame->index++];
        encoder->key = pair->key;
        encoder->value = pair->value;
        return NEXT_PAIR;
    }
    case FRAME_ITEMS: return encoder_next_listed_pair(encoder, frame);
    case FRAME_ITERATOR:
        encoder->value = encoder_next_item(encoder);
        if (encoder->value != NULL) {
            return NEXT_ITEM;
        }
        return encoder_has_failed(encoder) ? NEXT_FAILED : NEXT_END;
    case FRAME_MODEL:
    case FRAME_MODEL_PARTLY:
        encoder->value = LIKELY(frame->kind == FRAME_MODEL)
                             ? model_next_field(encoder, frame, false)
                             : model_next_part(encoder, frame);
        if (encoder->value != NULL) {
            return NEXT_PAIR;
        }
        return encoder_has_failed(encoder) ? NEXT_FAILED : NEXT_END;
    case FRAME_REPLACEMENT:
        encoder->value = frame->items;
        return frame->index++ == 0 ? NEXT_REPLACEMENT : NEXT_END_OF_REPLACEMENT;
    case FRAME_LIST:
        if (frame->index >= PyList_GET_SIZE(frame->items)) {
            return NEXT_END;
        }
        encoder->value = PyList_GET_ITEM(frame->items, frame->index++);
        return NEXT_ITEM;
    case FRAME_TUPLE:
        if (frame->index >= PyTuple_GET_SIZE(frame->items)) {
            return NEXT_END;
        }
        encoder->value = PyTuple_GET_ITEM(frame->items, frame->index++);
        return NEXT_ITEM;
    case FRAME_OBJECT: break; /* always read in place */
    }
    Py_UNREACHABLE();
}
