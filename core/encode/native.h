/* SPDX-License-Identifier: MIT */
/* Values of types beyond stdlib's json, where an option says how they are written: as a short text,
 * as another value, or as a container to be entered. */
#ifndef SSRJSON_ENCODE_NATIVE_H
#define SSRJSON_ENCODE_NATIVE_H

#include "encode/encoder.h"
#include "encode/iso_time.h"
#include "encode/moment.h"
#include "encode/plan.h"
#include "pyobject/long.h"
#include "pyobject/type.h"
#include "text/base64.h"

enum native_outcome {
    NATIVE_NOT_KNOWN, /* for the default hook */
    NATIVE_FAILED,    /* the error is recorded */
    NATIVE_AS_TEXT,   /* ASCII to be put in quotes */
    NATIVE_AS_NUMBER, /* a str to be written as it is */
    NATIVE_AS_VALUE,  /* an object that stands for the value */
    NATIVE_AS_NULL,
    NATIVE_AS_EMPTY_OBJECT,
    NATIVE_IN_ARRAY,  /* entered: the frame on top holds the items */
    NATIVE_IN_OBJECT, /* the same for pairs */
    NATIVE_NDARRAY,   /* numpy's: to be written from its memory */
};

struct native {
    char text[ISO_TIME_ROOM];
    size_t n_text;
    PyObject *object; /* owned: the number's text or the value */
    PyObject *held;   /* owned: what is converted, once Python code may run; else NULL */
};

/* Let Python code run about a value: all is owned, the value until the caller of native_convert is
 * done with it. False with the error recorded. */
static COLD bool native_let_python_run(struct encoder *encoder, PyObject *value,
                                       struct native *native) {
    if (native->held == NULL) {
        native->held = Py_NewRef(value);
    }
    if (!encoder_own_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    return true;
}

/* The outcome for an object that Python gave, NULL with an exception set. */
static inline enum native_outcome native_outcome_of(struct encoder *encoder, struct native *native,
                                                    PyObject *object, enum native_outcome outcome) {
    native->object = object;
    if (object == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    return outcome;
}

static inline enum native_outcome native_text_ends(struct native *native, const char *end) {
    native->n_text = (size_t)(end - native->text);
    assert(native->n_text <= sizeof native->text);
    return NATIVE_AS_TEXT;
}

/* Which types are on, and what a value of them is. */
static inline bool native_is_on(const struct native_options *options, enum native_type which) {
    switch (which) {
    case NATIVE_ENUM: return options->enum_ != ENUM_OFF;
    case NATIVE_DATETIME: return options->datetime != ISO_OFF;
    case NATIVE_DATE: return options->date != ISO_OFF;
    case NATIVE_TIME: return options->time != ISO_OFF;
    case NATIVE_TIMEDELTA: return options->timedelta != TIMEDELTA_OFF;
    case NATIVE_UUID: return options->uuid != UUID_OFF;
    case NATIVE_DECIMAL: return options->decimal != DECIMAL_OFF;
    case NATIVE_BYTES:
    case NATIVE_BYTEARRAY:
    case NATIVE_MEMORYVIEW: return options->bytes != BYTES_OFF;
    case NATIVE_SET:
    case NATIVE_FROZENSET:
    case NATIVE_DEQUE:
    case NATIVE_DICT_KEYS:
    case NATIVE_DICT_VALUES:
    case NATIVE_DICT_ITEMS:
    case NATIVE_ITERATOR: return options->iterables;
    case NATIVE_MAPPING_PROXY:
    case NATIVE_MAPPING: return options->mapping;
    case NATIVE_PATH: return options->path;
    case NATIVE_MASKED_ARRAY:
    case NATIVE_ARRAY:
    case NATIVE_SCALAR: return options->numpy;
    case NATIVE_MODEL: return options->dataclass;
    case NATIVE_UNKNOWN: break;
    }
    return false;
}

static inline bool native_is_of(struct native_types *types, PyTypeObject *type,
                                enum native_type which) {
    PyTypeObject *const base = native_types_get(types, which);
    return base != NULL && PyType_IsSubtype(type, base);
}

/* What a value is, among the types that are on. Runs no Python code, and so does not know mappings
 * but those of Python itself. */
static inline enum native_type native_find_type(const struct encoder *encoder, PyObject *value) {
    const struct native_options *const options = &encoder->options->native;
    struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(value);
    for (int i = 0; i < N_NATIVE_TYPES; i++) {
        if (types->type[i] == type && native_is_on(options, (enum native_type)i)) {
            return (enum native_type)i;
        }
    }
    if (options->enum_ != ENUM_OFF && native_is_of(types, type, NATIVE_ENUM)) {
        return NATIVE_ENUM;
    }
    if (options->dataclass && !PyType_Check(value) &&
        type_look_up(type, types->words[WORD_DATACLASS_FIELDS]) != NULL) {
        return NATIVE_MODEL;
    }
    for (int i = NATIVE_ENUM + 1; i < N_NATIVE_TYPES; i++) {
        if (i != NATIVE_MAPPING && native_is_on(options, (enum native_type)i) &&
            native_is_of(types, type, (enum native_type)i)) {
            /* a date would be a datetime without its time */
            const bool is_cut = i == NATIVE_DATE && native_is_of(types, type, NATIVE_DATETIME);
            return is_cut ? NATIVE_UNKNOWN : (enum native_type)i;
        }
    }
    return options->iterables && PyIter_Check(value) ? NATIVE_ITERATOR : NATIVE_UNKNOWN;
}

/* ---- datetime ------------------------------------------------------------------------------ */

/* Read the parts of a value of datetime's; false with the error recorded. */
static ALWAYS_INLINE bool native_read_moment(struct encoder *encoder, enum native_type which,
                                             PyObject *value, struct native *native,
                                             struct moment *moment) {
    if (LIKELY(encoder->options->context->native_types.is_in_c >> which & 1)) {
        *moment = moment_in_c(which, value);
        return true;
    }
    if (!native_let_python_run(encoder, value, native)) {
        return false;
    }
    if (!moment_ask(which, value, moment)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    return true;
}

/* The time zone where it can be seen without asking, borrowed, else NULL. */
static inline PyObject *native_zone(const struct native_types *types, enum native_type which,
                                    PyObject *value) {
    if (!(types->is_in_c >> which & 1)) {
        return NULL;
    }
    if (which == NATIVE_TIME) {
        const PyDateTime_Time *const time = (const PyDateTime_Time *)value;
        return time->hastzinfo ? time->tzinfo : Py_None;
    }
    const PyDateTime_DateTime *const datetime = (const PyDateTime_DateTime *)value;
    return datetime->hastzinfo ? datetime->tzinfo : Py_None;
}

/* The offset from UTC of a datetime or time, in microseconds. True, with *has_offset false where it
 * has none; false with the error recorded. */
static inline bool native_utc_offset(struct encoder *encoder, PyObject *value,
                                     enum native_type which, struct native *native,
                                     bool *has_offset, int64_t *microseconds) {
    struct native_types *const types = &encoder->options->context->native_types;
    PyObject *const zone = native_zone(types, which, value);
    *microseconds = 0;
    *has_offset = zone != Py_None;
    if (zone == Py_None || (zone != NULL && zone == types->utc)) {
        return true;
    }
    if (!native_let_python_run(encoder, value, native)) {
        return false;
    }
    /* the type's own method, whatever a subclass says, as isoformat has it: it is what makes sure
     * that the offset is less than a day */
    PyObject *const method = types->words[WORD_UTCOFFSET];
    PyTypeObject *const type = types->type[which];
    PyObject *const delta = Py_IS_TYPE(value, type)
                                ? PyObject_CallMethodNoArgs(value, method)
                                : PyObject_CallMethodOneArg((PyObject *)type, method, value);
    if (delta == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    struct moment moment;
    *has_offset = native_is_of(types, Py_TYPE(delta), NATIVE_TIMEDELTA);
    const bool is_good =
        !*has_offset || native_read_moment(encoder, NATIVE_TIMEDELTA, delta, native, &moment);
    if (*has_offset && is_good) {
        *microseconds =
            ((int64_t)moment.days * 86400 + moment.second) * 1000000 + moment.microsecond;
    }
    Py_DECREF(delta);
    return is_good;
}

/* A datetime, date or time, by its type. */
static ALWAYS_INLINE enum native_outcome native_moment(struct encoder *encoder,
                                                       enum native_type which, PyObject *value,
                                                       struct native *native) {
    const struct native_options *const options = &encoder->options->native;
    struct moment moment;
    if (!native_read_moment(encoder, which, value, native, &moment)) {
        return NATIVE_FAILED;
    }
    char *out = native->text;
    if (which != NATIVE_TIME) {
        out =
            iso_put_date(out, (unsigned)moment.year, (unsigned)moment.month, (unsigned)moment.day);
    }
    if (which == NATIVE_DATE) {
        return native_text_ends(native, out);
    }
    if (which == NATIVE_DATETIME) {
        *out++ = 'T';
    }
    out = iso_put_time(out, (unsigned)moment.hour, (unsigned)moment.minute, (unsigned)moment.second,
                       (unsigned)moment.microsecond, options->precision);
    bool has_offset;
    int64_t offset;
    if (!native_utc_offset(encoder, value, which, native, &has_offset, &offset)) {
        return NATIVE_FAILED;
    }
    if (has_offset || (which == NATIVE_DATETIME && options->is_naive_utc)) {
        out = iso_put_offset(out, offset, options->is_utc_z);
    }
    return native_text_ends(native, out);
}

static inline enum native_outcome native_timedelta(struct encoder *encoder, PyObject *value,
                                                   struct native *native) {
    if (encoder->options->native.timedelta == TIMEDELTA_ISO) {
        struct moment moment;
        return native_read_moment(encoder, NATIVE_TIMEDELTA, value, native, &moment)
                   ? native_text_ends(native, iso_put_duration(native->text, moment.days,
                                                               (unsigned)moment.second,
                                                               (unsigned)moment.microsecond))
                   : NATIVE_FAILED;
    }
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const seconds = PyObject_CallMethodNoArgs(
        value, encoder->options->context->native_types.words[WORD_TOTAL_SECONDS]);
    return native_outcome_of(encoder, native, seconds, NATIVE_AS_VALUE);
}

/* ---- what Python gives a text for ---------------------------------------------------------- */

/* What str() says, for types whose __str__ is Python code. */
static inline enum native_outcome native_str(struct encoder *encoder, PyObject *value,
                                             struct native *native) {
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    return native_outcome_of(encoder, native, PyObject_Str(value), NATIVE_AS_VALUE);
}

static inline char *native_put_hex(char *out, unsigned __int128 value, int n_digits) {
    for (int i = n_digits; i-- > 0;) {
        *out++ = "0123456789abcdef"[(unsigned)(value >> (4 * i)) & 15];
    }
    return out;
}

static inline enum native_outcome native_uuid(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(value);
    const Py_ssize_t slot = type == types->type[NATIVE_UUID] && type_has_usual_attributes(type)
                                ? type_slot_offset(type, types->words[WORD_INT])
                                : -1;
    PyObject *number = slot >= 0 ? Py_XNewRef(*(PyObject **)((char *)value + slot)) : NULL;
    if (number == NULL) {
        if (!native_let_python_run(encoder, value, native)) {
            return NATIVE_FAILED;
        }
        number = PyObject_GetAttr(value, types->words[WORD_INT]);
    }
    if (number == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    unsigned __int128 bits = 0;
    const bool is_valid = PyLong_Check(number) && long_as_u128(number, &bits);
    Py_DECREF(number);
    if (!is_valid) {
        return native_str(encoder, value, native);
    }
    char *out = native->text;
    if (encoder->options->native.uuid == UUID_HEX) {
        return native_text_ends(native, native_put_hex(out, bits, 32));
    }
    static const struct {
        int shift;
        int n_digits;
    } groups[] = {{96, 8}, {80, 4}, {64, 4}, {48, 4}, {0, 12}};
    for (int i = 0; i < 5; i++) {
        if (i != 0) {
            *out++ = '-';
        }
        out = native_put_hex(out, bits >> groups[i].shift, groups[i].n_digits);
    }
    return native_text_ends(native, out);
}

/* A member's value or name: what the class keeps under _value_ or _name_ unless it says otherwise
 * by a property of its own. */
static inline enum native_outcome native_enum(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_types *const types = &encoder->options->context->native_types;
    const bool is_value = encoder->options->native.enum_ == ENUM_VALUE;
    PyTypeObject *const type = Py_TYPE(value);
    PyObject *const word = types->words[is_value ? WORD_VALUE : WORD_NAME];
    PyObject *const own_word = types->words[is_value ? WORD_OWN_VALUE : WORD_OWN_NAME];
    const bool is_usual =
        type_has_usual_attributes(type) &&
        type_look_up(type, word) == (is_value ? types->enum_value : types->enum_name) &&
        type_look_up(type, own_word) == NULL && object_attribute_is_plain(value, own_word);
    PyObject *object;
    if (is_usual) {
        Py_INCREF(value); /* where it has no such attribute, garbage is collected with the error */
        object = PyObject_GetAttr(value, own_word);
        Py_DECREF(value);
    } else {
        if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
            return NATIVE_FAILED;
        }
        object = PyObject_GetAttr(value, word);
    }
    return native_outcome_of(encoder, native, object, NATIVE_AS_VALUE);
}

/* A Decimal as a number keeps all its digits. */
static inline enum native_outcome native_decimal(struct encoder *encoder, PyObject *value,
                                                 struct native *native) {
    const struct encode_options *const options = encoder->options;
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const text = options->context->native_types.type[NATIVE_DECIMAL]->tp_str(value);
    PyObject *object = text;
    enum native_outcome outcome = NATIVE_AS_VALUE;
    if (text != NULL && options->native.decimal != DECIMAL_STR) {
        const Py_UCS4 last = PyUnicode_READ_CHAR(text, PyUnicode_GET_LENGTH(text) - 1);
        const bool is_finite = last >= '0' && last <= '9' &&
                               PyUnicode_FindChar(text, 'N', 0, 3, 1) < 0; /* NaN123, sNaN1 */
        if (!is_finite || options->native.decimal == DECIMAL_FLOAT) {
            /* a float's own ways with what is not finite; a signalling NaN is not told apart */
            object = is_finite || last == 'y' ? PyNumber_Float(value) : PyFloat_FromDouble(Py_NAN);
            Py_DECREF(text);
        } else {
            outcome = NATIVE_AS_NUMBER;
        }
    }
    return native_outcome_of(encoder, native, object, outcome);
}

/* ---- bytes --------------------------------------------------------------------------------- */

static inline PyObject *native_base64(const Py_buffer *buffer, bool is_url_safe) {
    if ((size_t)buffer->len > (size_t)PY_SSIZE_T_MAX / 2) {
        return PyErr_NoMemory();
    }
    const size_t length = base64_length((size_t)buffer->len);
    PyObject *const text = unicode_new((Py_ssize_t)length, TEXT_ASCII);
    if (text != NULL && length != 0) {
        base64_encode(buffer->buf, (size_t)buffer->len, PyUnicode_DATA(text), is_url_safe);
    }
    return text;
}

static inline enum native_outcome native_bytes(struct encoder *encoder, PyObject *value,
                                               struct native *native) {
    const enum bytes_format format = encoder->options->native.bytes;
    const bool is_exact =
        PyBytes_CheckExact(value) || PyByteArray_CheckExact(value) || PyMemoryView_Check(value);
    if (!is_exact && !native_let_python_run(encoder, value, native)) { /* __buffer__ */
        return NATIVE_FAILED;
    }
    Py_buffer buffer;
    PyObject *text = NULL;
    if (PyObject_GetBuffer(value, &buffer, PyBUF_SIMPLE) == 0) {
        text = format == BYTES_UTF8 ? PyUnicode_DecodeUTF8(buffer.buf, buffer.len, NULL)
                                    : native_base64(&buffer, format == BYTES_BASE64URL);
        PyBuffer_Release(&buffer);
    }
    return native_outcome_of(encoder, native, text, NATIVE_AS_VALUE);
}

/* ---- scalars, containers ------------------------------------------------------------------- */

/* A value that has no items; NATIVE_NOT_KNOWN for what has. Nothing is entered; native->held is to
 * be given back, whatever the outcome. */
static COLD enum native_outcome native_convert(struct encoder *encoder, enum native_type which,
                                               PyObject *value, struct native *native) {
    native->object = NULL;
    native->held = NULL;
    switch (which) {
    case NATIVE_ENUM: return native_enum(encoder, value, native);
    case NATIVE_DATETIME: return native_moment(encoder, NATIVE_DATETIME, value, native);
    case NATIVE_DATE: return native_moment(encoder, NATIVE_DATE, value, native);
    case NATIVE_TIME: return native_moment(encoder, NATIVE_TIME, value, native);
    case NATIVE_TIMEDELTA: return native_timedelta(encoder, value, native);
    case NATIVE_UUID: return native_uuid(encoder, value, native);
    case NATIVE_DECIMAL: return native_decimal(encoder, value, native);
    case NATIVE_BYTES:
    case NATIVE_BYTEARRAY:
    case NATIVE_MEMORYVIEW: return native_bytes(encoder, value, native);
    case NATIVE_PATH: return native_str(encoder, value, native);
    default: return NATIVE_NOT_KNOWN;
    }
}

/* Enter what is iterated. */
static COLD enum native_outcome native_enter_iterable(struct encoder *encoder, PyObject *value,
                                                      struct native *native) {
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const iterator = PyObject_GetIter(value);
    enum native_outcome outcome = NATIVE_FAILED;
    if (iterator == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    } else if (encoder_push_owned(encoder, iterator, value, FRAME_ITERATOR, true)) {
        outcome = NATIVE_IN_ARRAY;
    }
    return outcome;
}

/* Enter a mapping by its items(). */
static COLD enum native_outcome native_enter_mapping(struct encoder *encoder, PyObject *value,
                                                     struct native *native) {
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const items = encoder_dict_items(encoder, value);
    enum native_outcome outcome = NATIVE_FAILED;
    if (items == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    } else if (PyList_GET_SIZE(items) == 0) {
        Py_DECREF(items);
        outcome = NATIVE_AS_EMPTY_OBJECT;
    } else if (encoder_push_owned(encoder, items, value, FRAME_ITEMS, true)) {
        outcome = NATIVE_IN_OBJECT;
    }
    return outcome;
}

/* Ask ssrjson_web.models for the fields of a class and keep its plan: a new reference, NULL with an
 * exception set. */
static COLD PyObject *native_make_plan(struct encode_context *context, PyTypeObject *type) {
    if (context->make_plan == NULL) {
        PyObject *const models = PyImport_ImportModule("ssrjson_web.models");
        if (models == NULL) {
            return NULL;
        }
        PyObject *const make_plan = PyObject_GetAttrString(models, "plan_fields");
        Py_DECREF(models);
        if (make_plan == NULL) {
            return NULL;
        }
        Py_XSETREF(context->make_plan, make_plan);
    }
    PyObject *const fields = PyObject_CallOneArg(context->make_plan, (PyObject *)type);
    if (fields == NULL) {
        return NULL;
    }
    PyObject *const plan = plan_cache_add(&context->plan_cache, type, fields);
    Py_DECREF(fields);
    return plan;
}

/* Enter an object by the plan of its class. */
static inline enum native_outcome native_enter_model(struct encoder *encoder, PyObject *value,
                                                     struct native *native) {
    struct encode_context *const context = encoder->options->context;
    PyObject *plan = Py_XNewRef(plan_cache_find(&context->plan_cache, Py_TYPE(value)));
    if (plan == NULL) {
        if (!native_let_python_run(encoder, value, native)) {
            return NATIVE_FAILED;
        }
        plan = native_make_plan(context, Py_TYPE(value));
        if (plan == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return NATIVE_FAILED;
        }
    }
    if (plan_of(plan)->n_fields == 0) {
        Py_DECREF(plan);
        return NATIVE_AS_EMPTY_OBJECT;
    }
    const bool runs_python = plan_of(plan)->runs_python;
    if (runs_python && !encoder_may_ask_python(encoder)) {
        Py_DECREF(plan);
        return NATIVE_FAILED;
    }
    return encoder_push_owned(encoder, plan, value, FRAME_MODEL, runs_python) ? NATIVE_IN_OBJECT
                                                                              : NATIVE_FAILED;
}

/* What is none of the types that are found without Python code: a mapping by its own account, else
 * something for the default hook. */
static COLD enum native_outcome native_ask_for_mapping(struct encoder *encoder, PyObject *value,
                                                       struct native *native) {
    const struct encode_options *const options = encoder->options;
    PyTypeObject *const mapping =
        options->native.mapping ? native_types_get(&options->context->native_types, NATIVE_MAPPING)
                                : NULL;
    if (mapping == NULL) {
        return NATIVE_NOT_KNOWN;
    }
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    const int is_mapping = PyObject_IsInstance(value, (PyObject *)mapping);
    if (is_mapping < 0) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    if (is_mapping) {
        return native_enter_mapping(encoder, value, native);
    }
    /* the hook is asked here, while the value is sure to be there */
    encoder->value = encoder_call_default(encoder, value);
    return encoder->value != NULL ? NATIVE_AS_VALUE : NATIVE_FAILED;
}

static inline enum native_outcome native_enter_or_convert(struct encoder *encoder, PyObject *value,
                                                          struct native *native) {
    const enum native_type which = native_find_type(encoder, value);
    switch (which) {
    case NATIVE_SET:
    case NATIVE_FROZENSET:
    case NATIVE_DEQUE:
    case NATIVE_DICT_KEYS:
    case NATIVE_DICT_VALUES:
    case NATIVE_DICT_ITEMS:
    case NATIVE_ITERATOR: return native_enter_iterable(encoder, value, native);
    case NATIVE_MAPPING_PROXY: return native_enter_mapping(encoder, value, native);
    case NATIVE_MODEL: return native_enter_model(encoder, value, native);
    case NATIVE_UNKNOWN: return native_ask_for_mapping(encoder, value, native);
    default: break;
    }
    const enum native_outcome outcome = native_convert(encoder, which, value, native);
    if (outcome == NATIVE_AS_VALUE) {
        if (!encoder_push_owned(encoder, native->object, value, FRAME_DEFAULT,
                                native->held != NULL)) {
            return NATIVE_FAILED;
        }
        encoder->value = native->object;
    }
    return outcome;
}

/* A value of a type that JSON has no form for: what the options make of it. What is entered or
 * stands for it is owned by the frame on top; encoder->value is the value that stands for it. */
static COLD enum native_outcome encoder_convert(struct encoder *encoder, PyObject *value,
                                                struct native *native) {
    native->held = NULL;
    const enum native_outcome outcome = native_enter_or_convert(encoder, value, native);
    Py_XDECREF(native->held);
    return outcome;
}

/* The next item of an iterator, owned by its frame; NULL at the end or with the error recorded. */
static COLD PyObject *encoder_next_item(struct encoder *encoder) {
    struct frame *const frame = &encoder->frames[encoder->n_frames - 1];
    if (!encoder_own_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NULL;
    }
    PyObject *const item = Py_TYPE(frame->items)->tp_iternext(frame->items);
    if (item == NULL && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_StopIteration)) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return NULL;
        }
        PyErr_Clear();
    }
    Py_XSETREF(frame->held, item);
    frame->index++;
    return item;
}

/* The value of an object's next field, owned by its frame, with encoder->key set; NULL with the
 * error recorded. */
static inline PyObject *encoder_next_field(struct encoder *encoder, struct frame *frame) {
    const struct plan *const plan = plan_of(frame->items);
    const struct plan_field *const field = &plan->fields[frame->index];
    PyObject *value = NULL;
    if (field->slot >= 0) {
        value = Py_XNewRef(*(PyObject **)((char *)frame->object + field->slot));
    }
    if (value == NULL) {
        if ((plan->runs_python || !object_attribute_is_plain(frame->object, field->attribute)) &&
            !encoder_own_frames(encoder)) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return NULL;
        }
        value = PyObject_GetAttr(frame->object, field->attribute);
        if (value == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return NULL;
        }
    }
    frame->index++;
    Py_XSETREF(frame->held, value);
    encoder->key = field->key;
    return value;
}

/* An Enum's value may be a member of another Enum, but not for ever. */
#define MAX_KEY_STEPS 8

/* A key of a native type as one that stdlib writes: encoder->key is replaced by a str, int, float,
 * bool or None that the encoder owns. False where it is none, or with the error recorded. */
static COLD bool encoder_convert_key(struct encoder *encoder) {
    struct native native;
    PyObject *key = Py_NewRef(encoder->key);
    bool is_converted = false;
    for (int n_steps = 0; !is_converted; n_steps++) {
        if (n_steps == MAX_KEY_STEPS) {
            Py_DECREF(key);
            return false;
        }
        const enum native_outcome outcome =
            native_convert(encoder, native_find_type(encoder, key), key, &native);
        PyObject *text;
        switch (outcome) {
        case NATIVE_AS_TEXT:
            text = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, native.text,
                                             (Py_ssize_t)native.n_text);
            break;
        case NATIVE_AS_NULL: text = Py_NewRef(Py_None); break;
        case NATIVE_AS_NUMBER:
        case NATIVE_AS_VALUE: text = native.object; break;
        default:
            Py_XDECREF(native.held);
            Py_DECREF(key);
            return false;
        }
        Py_XDECREF(native.held);
        Py_DECREF(key);
        if (text == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return false;
        }
        key = text;
        is_converted = PyUnicode_Check(key) || encoder_is_coercible_key(key);
    }
    Py_XSETREF(encoder->native_key, key);
    encoder->key = key;
    return true;
}

#endif
