/* SPDX-License-Identifier: MIT */
/* decimal.Decimal. One of the C code that is finite, and has no more digits than a word holds, is
 * read in place; all others give their text by str(). */
#ifndef SSRJSON_ENCODE_TYPES_DECIMAL_H
#define SSRJSON_ENCODE_TYPES_DECIMAL_H

#include "encode/types/native.h"
#include "number/format_decimal.h"
#include "pyobject/decimal.h"
#include "pyobject/object.h"
#include "text/characters.h"

/* Read a value if it is such a Decimal, not of a derived class; otherwise false. */
static ALWAYS_INLINE bool short_decimal_read(const struct native_types *types, PyObject *value,
                                             struct decimal_value *parts) {
    return Py_IS_TYPE(value, native_types_known(types, NATIVE_DECIMAL)) &&
           native_types_is_in_c(types, NATIVE_DECIMAL) && decimal_read(value, parts);
}

/* Write one as a number or in quotes; NATIVE_NOT_KNOWN where str() gives it an exponent. */
static inline enum native_outcome short_decimal_put(struct native *native,
                                                    const struct decimal_value *parts,
                                                    enum decimal_format format) {
    if (!is_fixed_point(parts->n_digits, parts->exponent)) {
        return NATIVE_NOT_KNOWN;
    }
    native_text_ends(native, format_fixed_point(native->text, parts->coefficient, parts->n_digits,
                                                parts->exponent, parts->is_negative));
    return format == DECIMAL_STR ? NATIVE_AS_TEXT : NATIVE_AS_DIGITS;
}

/* Write a Decimal that can be read in place; NATIVE_NOT_KNOWN for one that needs str(). */
static inline enum native_outcome native_short_decimal(struct encoder *encoder, PyObject *value,
                                                       struct native *native) {
    const enum decimal_format format = encoder->options->native.decimal;
    struct decimal_value parts;
    if (!short_decimal_read(&encoder->options->context->native_types, value, &parts)) {
        return NATIVE_NOT_KNOWN;
    }
    if (format == DECIMAL_FLOAT) {
        if (!is_exact_quotient(parts.coefficient, parts.exponent)) {
            return NATIVE_NOT_KNOWN;
        }
        const double quotient = exact_quotient(parts.coefficient, parts.exponent);
        return native_outcome_of(
            encoder, native, float_new(parts.is_negative ? -quotient : quotient), NATIVE_AS_VALUE);
    }
    return short_decimal_put(native, &parts, format);
}

/* A Decimal as a number keeps all its digits. */
static inline enum native_outcome native_decimal(struct encoder *encoder, PyObject *value,
                                                 struct native *native) {
    const enum native_outcome short_outcome = native_short_decimal(encoder, value, native);
    if (short_outcome != NATIVE_NOT_KNOWN) {
        return short_outcome;
    }
    const struct encode_options *const options = encoder->options;
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    struct native_types *const types = &encoder->options->context->native_types;
    if (UNLIKELY(native_types_must_probe(types, NATIVE_DECIMAL))) {
        native_types_probe(types, NATIVE_DECIMAL);
        const enum native_outcome outcome = native_short_decimal(encoder, value, native);
        if (outcome != NATIVE_NOT_KNOWN) {
            return outcome;
        }
    }
    PyTypeObject *const type = native_types_known(&options->context->native_types, NATIVE_DECIMAL);
    PyObject *text = type->tp_str(value);
    if (text != NULL && (!PyUnicode_Check(text) || PyUnicode_GET_LENGTH(text) == 0)) {
        Py_CLEAR(text); /* of a class that is written in Python, as _pydecimal's is */
        PyErr_SetString(PyExc_TypeError, "str() of a Decimal gives no text");
    }
    PyObject *object = text;
    enum native_outcome outcome = NATIVE_AS_VALUE;
    if (text != NULL && options->native.decimal != DECIMAL_STR) {
        const Py_UCS4 last = PyUnicode_READ_CHAR(text, PyUnicode_GET_LENGTH(text) - 1);
        const bool is_finite =
            is_digit(last) && PyUnicode_FindChar(text, 'N', 0, 3, 1) < 0; /* NaN123, sNaN1 */
        const bool is_float = options->native.decimal == DECIMAL_FLOAT;
        if (!is_finite || is_float) {
            /* infinities and NaN are written as a float's are; float() would refuse a signalling
             * NaN */
            object = is_float || last == 'y' ? PyNumber_Float(value) : PyFloat_FromDouble(Py_NAN);
            Py_DECREF(text);
        } else {
            outcome = NATIVE_AS_NUMBER;
        }
    }
    return native_outcome_of(encoder, native, object, outcome);
}

#endif
