/* SPDX-License-Identifier: MIT */
/* Find where a string's plain characters end, and how wide they are. */
#ifndef SSRJSON_TEXT_SCAN_STRING_H
#define SSRJSON_TEXT_SCAN_STRING_H

#include "text/escape.h"

#define SOURCE_BITS 8
#include "text/scan_string.tmpl.h"

#define SOURCE_BITS 16
#include "text/scan_string.tmpl.h"

#define SOURCE_BITS 32
#include "text/scan_string.tmpl.h"

#endif
