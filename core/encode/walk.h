/* SPDX-License-Identifier: MIT */
/* The walk over Python objects, once for each kind of output. */
#ifndef SSRJSON_ENCODE_WALK_H
#define SSRJSON_ENCODE_WALK_H

#include "encode/encoder.h"
#include "number/format_float.h"
#include "number/format_int.h"
#include "pyobject/dict.h"
#include "pyobject/long.h"
#include "text/escape_ascii.h"
#include "text/escape_copy.h"
#include "text/escape_utf8.h"

#define OUTPUT_NUMBER_utf8 1
#define OUTPUT_NUMBER_ascii 2
#define OUTPUT_NUMBER_ucs1 3
#define OUTPUT_NUMBER_ucs2 4
#define OUTPUT_NUMBER_ucs4 5

#define OUTPUT_UNIT_utf8 uint8_t
#define OUTPUT_UNIT_ascii uint8_t
#define OUTPUT_UNIT_ucs1 uint8_t
#define OUTPUT_UNIT_ucs2 uint16_t
#define OUTPUT_UNIT_ucs4 uint32_t

/* Where a walk goes on behind a value. */
enum walk_place {
    IN_FRAME, /* the frame on top is looked at anew */
    IN_ARRAY, /* its items are at hand */
    IN_DICT,  /* its entries are at hand */
};

#define OUTPUT utf8
#define OUTPUT_BITS 8
#include "encode/walk.tmpl.h"

#define OUTPUT ascii
#define OUTPUT_BITS 8
#include "encode/walk.tmpl.h"

#define OUTPUT ucs1
#define OUTPUT_BITS 8
#include "encode/walk.tmpl.h"

#define OUTPUT ucs2
#define OUTPUT_BITS 16
#include "encode/walk.tmpl.h"

#define OUTPUT ucs4
#define OUTPUT_BITS 32
#include "encode/walk.tmpl.h"

#endif
