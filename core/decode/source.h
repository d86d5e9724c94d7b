/* SPDX-License-Identifier: MIT */
/* The text of a document: UTF-8 (an ASCII str is that too) or the units of a wider str. */
#ifndef SSRJSON_DECODE_SOURCE_H
#define SSRJSON_DECODE_SOURCE_H

#include "base/error.h"
#include "decode/options.h"
#include "pyobject/unicode.h"

struct source {
    struct text text; /* TEXT_UTF8, TEXT_LATIN1, TEXT_UCS2 or TEXT_UCS4 */
    const struct decode_options *options;
    /* NULL: the text is one document, with white space around it. Else a value begins with the
     * text, what follows is not looked at, and the units that it takes go here. */
    size_t *value_length;
};

#endif
