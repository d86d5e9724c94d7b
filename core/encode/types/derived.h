/* SPDX-License-Identifier: MIT */
/* Objects of classes derived from datetime's. A class that inherits everything its text is made of
 * is read as its base is. A class that overrides a part is asked by its methods: pandas.Timestamp
 * has nanoseconds, and pandas.NaT, whose memory is a datetime of the year 1, is no moment at
 * all. */
#ifndef SSRJSON_ENCODE_TYPES_DERIVED_H
#define SSRJSON_ENCODE_TYPES_DERIVED_H

#include "encode/types/iso_text.h"
#include "encode/types/scalars.h"

/* The class of datetime that a class is derived from. */
static inline enum native_type derived_base(struct native_types *types, PyTypeObject *type) {
    int which = NATIVE_DATETIME;
    while (which < NATIVE_TIMEDELTA && !native_is_of(types, type, (enum native_type)which)) {
        which++;
    }
    return (enum native_type)which;
}

/* Whether a class overrides its base's text or a part of it. For a timedelta only isoformat()
 * counts, which the base lacks: pendulum's has days and seconds that are counted in another way. */
static inline bool derived_has_own(const struct native_types *types, enum native_type which,
                                   PyTypeObject *type) {
    static const struct {
        enum native_word first;
        enum native_word last;
    } parts[] = {
        [NATIVE_DATETIME] = {WORD_ISOFORMAT, WORD_MICROSECOND},
        [NATIVE_DATE] = {WORD_ISOFORMAT, WORD_DAY},
        [NATIVE_TIME] = {WORD_HOUR, WORD_MICROSECOND},
        [NATIVE_TIMEDELTA] = {WORD_ISOFORMAT, WORD_ISOFORMAT},
    };
    PyTypeObject *const base = native_types_known(types, which);
    if (!type_has_usual_attributes(type)) {
        return true;
    }
    for (int word = parts[which].first; word <= (int)parts[which].last; word++) {
        if (type_look_up(type, types->words[word]) != type_look_up(base, types->words[word])) {
            return true;
        }
    }
    PyObject *const isoformat = types->words[WORD_ISOFORMAT];
    return type_look_up(type, isoformat) != type_look_up(base, isoformat);
}

/* Whether the first part of a moment is NaN, as for pandas.NaT; -1 with an exception set. */
static inline int derived_is_missing(const struct native_types *types, enum native_type which,
                                     PyObject *value) {
    PyObject *const part =
        PyObject_GetAttr(value, types->words[which == NATIVE_TIME ? WORD_HOUR : WORD_YEAR]);
    if (part == NULL) {
        return -1;
    }
    const int is_missing = PyFloat_Check(part) && __builtin_isnan(PyFloat_AS_DOUBLE(part));
    Py_DECREF(part);
    return is_missing;
}

/* Rewrite a text of isoformat() as the options say: its end, NULL for one in another layout than
 * datetime's. `is_refused`: with an exception set. */
static inline const char *derived_rewrite(const struct native_options *options,
                                          enum native_type which, PyObject *text, char *out,
                                          bool *is_refused) {
    *is_refused = false;
    if (!PyUnicode_IS_ASCII(text) || PyUnicode_GET_LENGTH(text) > ISO_TEXT_MAX) {
        return NULL;
    }
    const char *const at = PyUnicode_DATA(text);
    const char *const end = at + PyUnicode_GET_LENGTH(text);
    struct span span;
    switch (which) {
    case NATIVE_DATETIME: return iso_rewrite_datetime(out, at, end, options);
    case NATIVE_TIME: return iso_rewrite_time(out, at, end, options, false);
    case NATIVE_TIMEDELTA: {
        if (!iso_read_duration(at, end, &span)) {
            return NULL;
        }
        const char *const written = span_put(out, span, options->timedelta == TIMEDELTA_ISO_YEARS);
        *is_refused = written == NULL;
        return written;
    }
    default: return NULL; /* a date is kept unchanged */
    }
}

/* The text of an object's own isoformat(), rewritten as the options say. */
static inline enum native_outcome derived_own_text(struct encoder *encoder, enum native_type which,
                                                   PyObject *value, struct native *native) {
    const struct encode_options *const options = encoder->options;
    PyObject *const text =
        PyObject_CallMethodNoArgs(value, options->context->native_types.words[WORD_ISOFORMAT]);
    if (text != NULL && !PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "isoformat() of %.200s gives %.200s, not str",
                     Py_TYPE(value)->tp_name, Py_TYPE(text)->tp_name);
        Py_DECREF(text);
        return native_outcome_of(encoder, native, NULL, NATIVE_FAILED);
    }
    if (text == NULL) {
        return native_outcome_of(encoder, native, NULL, NATIVE_FAILED);
    }
    bool is_refused;
    const char *const end =
        derived_rewrite(&options->native, which, text, native->text, &is_refused);
    if (end == NULL && !is_refused) {
        return native_outcome_of(encoder, native, text, NATIVE_AS_VALUE);
    }
    Py_DECREF(text);
    return is_refused ? native_outcome_of(encoder, native, NULL, NATIVE_FAILED)
                      : native_text_ends(native, end);
}

/* The text of an object's attributes, as pydantic reads them, and as the formats in UTC need them.
 */
static inline enum native_outcome derived_by_parts(struct encoder *encoder, enum native_type which,
                                                   PyObject *value, struct native *native) {
    const struct encode_options *const options = encoder->options;
    struct moment moment;
    if (!moment_ask(&options->context->native_types, which, value, &moment)) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return NATIVE_FAILED;
    }
    if (which != NATIVE_TIMEDELTA) {
        return native_moment_of_parts(encoder, which, value, native, moment);
    }
    return native_text_ends(native,
                            iso_put_duration(native->text, moment.days, (unsigned)moment.second,
                                             (unsigned)moment.microsecond,
                                             options->native.timedelta == TIMEDELTA_ISO_YEARS));
}

/* Write a value of a class derived from datetime's. *which is set to its base where it can be read
 * as that; otherwise it is unchanged, and the outcome is final. */
static COLD enum native_outcome native_derived(struct encoder *encoder, PyObject *value,
                                               struct native *native, enum native_type *which) {
    const struct native_options *const options = &encoder->options->native;
    struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(value);
    const enum native_type base = derived_base(types, type);
    const bool is_on = native_is_on(options, base);
    const bool is_delta = base == NATIVE_TIMEDELTA;
    if (!derived_has_own(types, base, type) ||
        (is_delta && options->timedelta == TIMEDELTA_SECONDS)) {
        *which = is_on ? base : NATIVE_DERIVED;
        return NATIVE_NOT_KNOWN;
    }
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    const int is_missing = is_delta ? 0 : derived_is_missing(types, base, value);
    if (is_missing < 0) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    if (is_missing || !is_on) {
        return is_missing && options->numpy ? NATIVE_AS_NULL : NATIVE_NOT_KNOWN;
    }
    const bool is_moved = (base == NATIVE_DATETIME && options->datetime >= MOMENT_HTTP) ||
                          (base == NATIVE_DATE && options->date == MOMENT_HTTP);
    return is_moved || options->has_pydantic_formats
               ? derived_by_parts(encoder, base, value, native)
               : derived_own_text(encoder, base, value, native);
}

#endif
