/* SPDX-License-Identifier: MIT */
/* Escape a str of any PEP 393 kind into ASCII: everything from DEL on becomes \uXXXX. */
#ifndef SSRJSON_TEXT_ESCAPE_ASCII_H
#define SSRJSON_TEXT_ESCAPE_ASCII_H

#define SOURCE_BITS 8
#include "text/escape_ascii.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/escape_ascii.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/escape_ascii.tmpl.h"
#undef SOURCE_BITS

#endif
