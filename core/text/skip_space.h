/* SPDX-License-Identifier: MIT */
/* JSON's white space: space, line feed, carriage return, tab. */
#ifndef SSRJSON_TEXT_SKIP_SPACE_H
#define SSRJSON_TEXT_SKIP_SPACE_H

#include "simd/simd.h"

#define SOURCE_BITS 8
#include "text/skip_space.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/skip_space.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/skip_space.tmpl.h"
#undef SOURCE_BITS

#endif
