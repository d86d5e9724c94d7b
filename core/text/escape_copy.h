/* SPDX-License-Identifier: MIT */
/* Escape a str of one PEP 393 kind into text of the same or a wider kind. The 8 to 8 form also
 * escapes UTF-8 into UTF-8: no byte of a longer sequence is special. */
#ifndef SSRJSON_TEXT_ESCAPE_COPY_H
#define SSRJSON_TEXT_ESCAPE_COPY_H

#define SOURCE_BITS 8
#define TARGET_BITS 8
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 8
#define TARGET_BITS 16
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 8
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 16
#define TARGET_BITS 16
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 16
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 32
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"

#endif
