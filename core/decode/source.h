/* SPDX-License-Identifier: MIT */
/* The text of a document: UTF-8 (an ASCII str is that too) or the units of a wider str. */
#ifndef SSRJSON_DECODE_SOURCE_H
#define SSRJSON_DECODE_SOURCE_H

#include "base/error.h"
#include "pyobject/key_cache.h"
#include "pyobject/unicode.h"

struct source {
    struct text text;            /* TEXT_UTF8, TEXT_LATIN1, TEXT_UCS2 or TEXT_UCS4 */
    struct key_cache *key_cache; /* borrowed; NULL: none */
};

#endif
