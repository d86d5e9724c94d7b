/* SPDX-License-Identifier: MIT */
/* The kinds of errors. The floors below record a kind and a position; only the top floor raises. */
#ifndef SSRJSON_BASE_ERROR_H
#define SSRJSON_BASE_ERROR_H

#include "base/compiler.h"

enum error_kind {
    ERROR_NONE,
    ERROR_RAISED,  /* a Python exception is set, by a hook or an allocation */
    ERROR_REFUSED, /* a Python exception is set by builtin code that refused the value, not by a
                      hook */

    /* encoding */
    ERROR_CIRCULAR,
    ERROR_NOT_FINITE,
    ERROR_NOT_SERIALIZABLE,
    ERROR_KEY_TYPE,
    ERROR_ITEMS_NOT_PAIRS,
    ERROR_TOO_DEEP,
    ERROR_NOT_CANONICAL, /* a number or text that canonical JSON has no form for */
    ERROR_INT53,
    ERROR_INT64, /* when decoding, too */

    /* decoding; the position is a unit of the source */
    ERROR_EXPECTING_VALUE,
    ERROR_EXPECTING_NAME,
    ERROR_EXPECTING_COLON,
    ERROR_EXPECTING_COMMA,
    ERROR_EXPECTING_COMMA_IN_OBJECT,
    ERROR_TRAILING_COMMA_ARRAY,
    ERROR_TRAILING_COMMA_OBJECT,
    ERROR_UNTERMINATED_STRING,
    ERROR_UNTERMINATED_COMMENT, /* of the option jsonc */
    ERROR_CONTROL_CHARACTER,
    ERROR_INVALID_ESCAPE,
    ERROR_INVALID_UNICODE_ESCAPE,
    ERROR_EXTRA_DATA,
    ERROR_CONSTANT,      /* NaN or an infinity, which the options refuse */
    ERROR_OUT_OF_RANGE,  /* a number beyond every double, which the options refuse */
    ERROR_SURROGATE,     /* a lone surrogate, which the options refuse; when encoding, too */
    ERROR_DUPLICATE_KEY, /* which the options refuse; the position is that of the second key. When
                            encoding, too */
    ERROR_NESTING,       /* deeper than the options allow */
    ERROR_INVALID_UTF8,
    ERROR_EXPECTING_ARRAY, /* as items are taken from it */
    ERROR_UNFINISHED,      /* no error: the text may go on */

    N_ERROR_KINDS
};

struct error {
    enum error_kind kind;
    size_t position;
};

/* stdlib's text for the kinds whose message is fixed, otherwise NULL. */
const char *error_message(enum error_kind kind);

#endif
