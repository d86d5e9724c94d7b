/* SPDX-License-Identifier: MIT */
/* Objects of classes derived from datetime's. A class that inherits everything its text is made of
 * is read as its base is. A class that overrides a part is asked by its methods, and the ISO 8601
 * text that it returns is rewritten as the options say: pandas.Timestamp has nanoseconds, and
 * pandas.NaT, whose memory is a datetime of the year 1, is no moment at all. */
#ifndef SSRJSON_ENCODE_TYPES_DATETIME_DERIVED_H
#define SSRJSON_ENCODE_TYPES_DATETIME_DERIVED_H

#include "encode/types/datetime.h"
#include "encode/types/find_type.h"
#include "encode/types/ndarray.h"
#include "text/moment_text.h"

/* ---- texts of isoformat() ------------------------------------------------------------------ */

/* The longest text that is parsed: with added digits and an offset it fits ISO_TIME_ROOM. */
#define ISO_TEXT_MAX 64

/* Take exactly n digits, at most 9; false where there are fewer. */
static inline bool iso_take_digits(const char **at, const char *end, int n, unsigned *value) {
    if (end - *at < n) {
        return false;
    }
    *value = 0;
    for (int i = 0; i < n; i++) {
        const unsigned digit = (unsigned)((*at)[i] - '0');
        if (digit > 9) {
            return false;
        }
        *value = *value * 10 + digit;
    }
    *at += n;
    return true;
}

static inline bool iso_take(const char **at, const char *end, char wanted) {
    const bool is_there = *at != end && **at == wanted;
    *at += is_there;
    return is_there;
}

/* Take the digits after a point, if there is one: 1 to 18 of them, otherwise false. */
static inline bool iso_take_fraction(const char **at, const char *end, const char **digits,
                                     int *n_digits) {
    *n_digits = 0;
    if (!iso_take(at, end, '.')) {
        return true;
    }
    *digits = *at;
    for (; *at != end && is_digit(**at); ++*at) {
        ++*n_digits;
    }
    return *n_digits >= 1 && *n_digits <= 18;
}

/* Take +05:30, perhaps with seconds and microseconds, up to the end of the text. */
static inline bool iso_take_offset(const char *at, const char *end, int64_t *microseconds) {
    const bool is_negative = *at == '-';
    unsigned hours;
    unsigned minutes;
    unsigned seconds = 0;
    unsigned rest = 0;
    if (!iso_take(&at, end, is_negative ? '-' : '+') || !iso_take_digits(&at, end, 2, &hours) ||
        !iso_take(&at, end, ':') || !iso_take_digits(&at, end, 2, &minutes)) {
        return false;
    }
    if (iso_take(&at, end, ':') && !iso_take_digits(&at, end, 2, &seconds)) {
        return false;
    }
    if (iso_take(&at, end, '.') && !iso_take_digits(&at, end, 6, &rest)) {
        return false;
    }
    const int64_t magnitude =
        (((int64_t)hours * 60 + minutes) * 60 + seconds) * INT64_C(1000000) + rest;
    *microseconds = is_negative ? -magnitude : magnitude;
    return at == end;
}

/* The number of digits of a fraction that are written. */
static inline int iso_n_digits(const char *digits, int n_digits, enum time_precision precision) {
    bool is_zero = true; /* up to the microsecond */
    for (int i = 0; i < n_digits && i < 6; i++) {
        is_zero &= digits[i] == '0';
    }
    switch (precision) {
    case PRECISION_AUTO: break;
    case PRECISION_AUTO_MILLISECONDS: return is_zero ? 0 : 3;
    case PRECISION_SECONDS: return 0;
    case PRECISION_MILLISECONDS: return 3;
    case PRECISION_MICROSECONDS: return 6;
    }
    return n_digits;
}

/* Rewrite 12:34:56, perhaps with a fraction and an offset, up to the end of the text, with the
 * digits and the offset that the options ask for. Without an offset it is in UTC, or in no zone.
 * Returns the end of what is written; NULL for another text. */
static inline char *iso_rewrite_time(char *out, const char *at, const char *end,
                                     const struct native_options *options, bool is_in_utc) {
    unsigned parts[3];
    for (int i = 0; i < 3; i++) {
        if ((i != 0 && !iso_take(&at, end, ':')) || !iso_take_digits(&at, end, 2, &parts[i])) {
            return NULL;
        }
    }
    const char *digits = at;
    int n_digits;
    int64_t offset = 0;
    if (!iso_take_fraction(&at, end, &digits, &n_digits)) {
        return NULL;
    }
    const bool is_z = end - at == 1 && *at == 'Z';
    const bool has_offset = !is_z && at != end;
    if (has_offset && !iso_take_offset(at, end, &offset)) {
        return NULL;
    }
    out = iso_put_time(out, parts[0], parts[1], parts[2], 0, PRECISION_SECONDS);
    const int n_wanted = iso_n_digits(digits, n_digits, options->precision);
    if (n_wanted != 0) {
        *out++ = '.';
    }
    for (int i = 0; i < n_wanted; i++) {
        *out++ = i < n_digits ? digits[i] : '0';
    }
    if (is_z) {
        *out++ = 'Z';
    } else if (has_offset || is_in_utc) {
        out = iso_put_offset(out, offset, options->is_utc_z, options->is_in_minutes);
    }
    return out;
}

/* Rewrite 2026-11-21T12:34:56.789+00:00 with a year of any length; the date is copied unchanged. */
static inline char *iso_rewrite_datetime(char *out, const char *text, const char *end,
                                         const struct native_options *options) {
    const char *at = text;
    while (at != end && (is_digit(*at) || *at == '-' || *at == '+')) {
        at++;
    }
    const size_t n = (size_t)(at - text);
    if (!iso_take(&at, end, 'T') || n == 0) {
        return NULL;
    }
    memcpy(out, text, n + 1);
    return iso_rewrite_time(out + n + 1, at, end, options, options->is_naive_utc);
}

/* Take a number and the letter after it; nothing is taken where they are not there. */
static inline bool iso_take_number(const char **at, const char *end, char letter, int64_t *value) {
    const char *from = *at;
    const bool is_negative = iso_take(&from, end, '-');
    *value = 0;
    int n_digits = 0;
    for (; from != end && is_digit(*from) && n_digits < 15; from++, n_digits++) {
        *value = *value * 10 + (*from - '0');
    }
    if (n_digits == 0 || !iso_take(&from, end, letter)) {
        *value = 0;
        return false;
    }
    *value = is_negative ? -*value : *value;
    *at = from;
    return true;
}

/* Take the hours, minutes and seconds of a duration, of which at least one must be there. */
static inline bool iso_take_clock(const char **at, const char *end, int64_t *seconds,
                                  uint64_t *attoseconds) {
    const char *const from = *at;
    int64_t hours;
    int64_t minutes;
    iso_take_number(at, end, 'H', &hours);
    iso_take_number(at, end, 'M', &minutes);
    const char *digits = *at;
    int n_digits = 0;
    if (!iso_take_number(at, end, 'S', seconds) && iso_take_number(at, end, '.', seconds)) {
        --*at;
        if (!iso_take_fraction(at, end, &digits, &n_digits) || !iso_take(at, end, 'S')) {
            return false;
        }
    }
    *seconds += (hours * 60 + minutes) * 60;
    *attoseconds = 0;
    for (int i = 0; i < 18; i++) {
        *attoseconds = *attoseconds * 10 + (i < n_digits ? (uint64_t)(digits[i] - '0') : 0);
    }
    return *at != from;
}

/* Read P1DT2H3M4.5S. Each part may be missing, and the days may be negative, as in pandas: the rest
 * is then added to them. False for another text. */
static inline bool iso_read_duration(const char *at, const char *end, struct span *span) {
    int64_t days;
    int64_t seconds = 0;
    uint64_t attoseconds = 0;
    const bool is_negative = iso_take(&at, end, '-');
    if (!iso_take(&at, end, 'P')) {
        return false;
    }
    const bool has_days = iso_take_number(&at, end, 'D', &days);
    const bool has_clock = iso_take(&at, end, 'T');
    if ((!has_days && !has_clock) ||
        (has_clock && !iso_take_clock(&at, end, &seconds, &attoseconds))) {
        return false;
    }
    *span = (struct span){.seconds = (__int128)days * 86400 + seconds,
                          .microseconds = (unsigned)(attoseconds / 1000000000000),
                          .below = attoseconds % 1000000000000};
    if (is_negative) {
        *span = span_negate(*span);
    }
    return at == end;
}

/* ---- objects ------------------------------------------------------------------------------- */

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
    const bool is_moved = (base == NATIVE_DATETIME && (options->datetime == MOMENT_HTTP ||
                                                       moment_is_epoch(options->datetime))) ||
                          (base == NATIVE_DATE && options->date == MOMENT_HTTP);
    return is_moved || options->has_pydantic_formats
               ? derived_by_parts(encoder, base, value, native)
               : derived_own_text(encoder, base, value, native);
}

#endif
