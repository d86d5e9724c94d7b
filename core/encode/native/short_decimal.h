/* SPDX-License-Identifier: MIT */
/* Decimals that are read in place: of the C code, finite, and of no more digits than a word holds.
 */
#ifndef SSRJSON_ENCODE_NATIVE_SHORT_DECIMAL_H
#define SSRJSON_ENCODE_NATIVE_SHORT_DECIMAL_H

#include "encode/native/types.h"
#include "number/format_decimal.h"
#include "pyobject/decimal.h"

/* Read a value if it is such a Decimal, not of a derived class; otherwise false. */
static ALWAYS_INLINE bool short_decimal_read(const struct native_types *types, PyObject *value,
                                             struct decimal_value *parts) {
    return Py_IS_TYPE(value, native_types_known(types, NATIVE_DECIMAL)) &&
           native_types_is_in_c(types, NATIVE_DECIMAL) && decimal_read(value, parts);
}

/* Store one as str() writes it, and return the end; NULL where that is with an exponent. */
static inline char *short_decimal_put(char *out, const struct decimal_value *parts) {
    return is_fixed_point(parts->n_digits, parts->exponent)
               ? format_fixed_point(out, parts->coefficient, parts->n_digits, parts->exponent,
                                    parts->is_negative)
               : NULL;
}

#endif
