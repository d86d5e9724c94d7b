/* SPDX-License-Identifier: MIT */
/* The text of a document: UTF-8 (which includes an ASCII str) or the units of a wider str. */
#ifndef SSRJSON_DECODE_SOURCE_H
#define SSRJSON_DECODE_SOURCE_H

#include "base/error.h"
#include "decode/options.h"
#include "pyobject/unicode.h"

struct pause;

struct source {
    struct text text; /* TEXT_UTF8, TEXT_LATIN1, TEXT_UCS2 or TEXT_UCS4 */
    const struct decode_options *options;
    /* NULL: the text is one document, with white space around it. Otherwise a value begins at the
     * start of the text, the text after it is ignored, and the number of its units is stored
     * here. */
    size_t *value_length;
    /* NULL: the text is complete. Otherwise it is UTF-8 that may go on, decoded up to there. */
    struct pause *pause;
};

#endif
