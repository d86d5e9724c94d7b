/* SPDX-License-Identifier: MIT */
/* Decimals that are read in place: of the C code, finite, and of no more digits than a word holds.
 */
#ifndef SSRJSON_ENCODE_TYPES_SHORT_DECIMAL_H
#define SSRJSON_ENCODE_TYPES_SHORT_DECIMAL_H

#include "encode/types/outcome.h"
#include "encode/types/types.h"
#include "encode/options.h"
#include "number/format_decimal.h"
#include "pyobject/decimal.h"

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

#endif
