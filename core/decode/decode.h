/* SPDX-License-Identifier: MIT */
/* Decode one document, once for each kind of source text. */
#ifndef SSRJSON_DECODE_DECODE_H
#define SSRJSON_DECODE_DECODE_H

#include "decode/build_number.h"
#include "decode/build_string.h"
#include "decode/decoder.h"
#include "text/escape_utf8.h"
#include "text/hex_escapes.h"
#include "text/scan_string.h"
#include "text/unescape.h"

#define SOURCE_NUMBER_utf8 1
#define SOURCE_NUMBER_latin1 2
#define SOURCE_NUMBER_ucs2 3
#define SOURCE_NUMBER_ucs4 4

#define SOURCE_UNIT_utf8 uint8_t
#define SOURCE_UNIT_latin1 uint8_t
#define SOURCE_UNIT_ucs2 uint16_t
#define SOURCE_UNIT_ucs4 uint32_t

#define SOURCE utf8
#define SOURCE_BITS 8
#include "decode/parse.tmpl.h"

#define SOURCE latin1
#define SOURCE_BITS 8
#include "decode/parse.tmpl.h"

#define SOURCE ucs2
#define SOURCE_BITS 16
#include "decode/parse.tmpl.h"

#define SOURCE ucs4
#define SOURCE_BITS 32
#include "decode/parse.tmpl.h"

/* The value of a document, a new reference; NULL with *error filled. */
static NOINLINE PyObject *decode_document(const struct source *source, struct error *error) {
    struct decoder decoder;
    decoder_init(&decoder, source);
    PyObject *value;
    switch (source->text.form) {
    case TEXT_UCS4: value = parse_ucs4(&decoder, &source->text); break;
    case TEXT_UCS2: value = parse_ucs2(&decoder, &source->text); break;
    case TEXT_LATIN1: value = parse_latin1(&decoder, &source->text); break;
    default: value = parse_utf8(&decoder, &source->text); break;
    }
    decoder_clear(&decoder);
    *error = decoder.error;
    return value;
}

#endif
