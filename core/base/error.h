/* SPDX-License-Identifier: MIT */
/* What can go wrong, recorded as a kind and a position; the top floor alone raises. */
#ifndef SSRJSON_BASE_ERROR_H
#define SSRJSON_BASE_ERROR_H

#include "base/compiler.h"

enum error_kind {
    ERROR_NONE,
    ERROR_RAISED,  /* a Python exception is set: a hook's or an allocation's own */
    ERROR_REFUSED, /* likewise, but of builtin code that found the value at fault, not a hook's */

    /* encoding */
    ERROR_NO_MEMORY,
    ERROR_CIRCULAR,
    ERROR_NOT_FINITE,
    ERROR_NOT_SERIALIZABLE,
    ERROR_KEY_TYPE,
    ERROR_ITEMS_NOT_PAIRS,
    ERROR_TOO_DEEP,
    ERROR_INT53,

    /* decoding; the position is a unit of the source */
    ERROR_EXPECTING_VALUE,
    ERROR_EXPECTING_NAME,
    ERROR_EXPECTING_COLON,
    ERROR_EXPECTING_COMMA,
    ERROR_TRAILING_COMMA_ARRAY,
    ERROR_TRAILING_COMMA_OBJECT,
    ERROR_UNTERMINATED_STRING,
    ERROR_CONTROL_CHARACTER,
    ERROR_INVALID_ESCAPE,
    ERROR_INVALID_UNICODE_ESCAPE,
    ERROR_EXTRA_DATA,
    ERROR_CONSTANT,      /* NaN or an infinity, which the options refuse */
    ERROR_OUT_OF_RANGE,  /* a number beyond every double, likewise */
    ERROR_SURROGATE,     /* half a surrogate pair, likewise */
    ERROR_DUPLICATE_KEY, /* likewise; the position is the second one's */
    ERROR_NESTING,       /* deeper than the options allow */
    ERROR_INVALID_UTF8,

    N_ERROR_KINDS
};

struct error {
    enum error_kind kind;
    size_t position;
};

/* stdlib's text for the kinds whose message is fixed, else NULL. */
const char *error_message(enum error_kind kind);

#endif
