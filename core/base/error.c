/* SPDX-License-Identifier: MIT */
#include "base/error.h"

static const char *const MESSAGES[N_ERROR_KINDS] = {
    [ERROR_CIRCULAR] = "Circular reference detected",
    [ERROR_ITEMS_NOT_PAIRS] = "items must return 2-tuples",
    [ERROR_TOO_DEEP] = "maximum recursion depth exceeded while encoding a JSON object",
    [ERROR_INT64] = "Integer beyond 64 bits",
    [ERROR_EXPECTING_VALUE] = "Expecting value",
    [ERROR_EXPECTING_NAME] = "Expecting property name enclosed in double quotes",
    [ERROR_EXPECTING_COLON] = "Expecting ':' delimiter",
    [ERROR_EXPECTING_COMMA] = "Expecting ',' delimiter",
    [ERROR_EXPECTING_COMMA_IN_OBJECT] = "Expecting ',' delimiter",
    [ERROR_TRAILING_COMMA_ARRAY] = "Illegal trailing comma before end of array",
    [ERROR_TRAILING_COMMA_OBJECT] = "Illegal trailing comma before end of object",
    [ERROR_UNTERMINATED_STRING] = "Unterminated string starting at",
    [ERROR_UNTERMINATED_COMMENT] = "Unterminated comment starting at",
    [ERROR_CONTROL_CHARACTER] = "Invalid control character at",
    [ERROR_INVALID_ESCAPE] = "Invalid \\escape",
    [ERROR_INVALID_UNICODE_ESCAPE] = "Invalid \\uXXXX escape",
    [ERROR_EXTRA_DATA] = "Extra data",
    [ERROR_CONSTANT] = "NaN and Infinity are not allowed",
    [ERROR_OUT_OF_RANGE] = "Number out of range",
    [ERROR_SURROGATE] = "Lone surrogate in \\uXXXX escape",
    [ERROR_DUPLICATE_KEY] = "Duplicate key",
    [ERROR_EXPECTING_ARRAY] = "Expecting an array",
    [ERROR_NESTING] = "Nesting deeper than max_depth",
};

const char *error_message(enum error_kind kind) {
    assert(kind < N_ERROR_KINDS);
    return MESSAGES[kind];
}
