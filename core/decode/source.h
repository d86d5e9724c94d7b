/* SPDX-License-Identifier: MIT */
/* The text of a document: UTF-8 (an ASCII str is that too) or the units of a wider str. */
#ifndef SSRJSON_DECODE_SOURCE_H
#define SSRJSON_DECODE_SOURCE_H

#include "base/error.h"
#include "pyobject/key_cache.h"
#include "pyobject/unicode.h"

/* What differs between versions of stdlib's json; ours follows the running one. */
struct decode_manners {
    bool names_trailing_comma;     /* a message of its own for a comma before a closing bracket */
    bool wants_text_behind_escape; /* a \uXXXX that ends the document is an invalid escape */
};

struct source {
    struct text text; /* TEXT_UTF8, TEXT_LATIN1, TEXT_UCS2 or TEXT_UCS4 */
    struct decode_manners manners;
    struct key_cache *key_cache; /* borrowed; NULL: none */
};

#endif
