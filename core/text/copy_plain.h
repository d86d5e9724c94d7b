/* SPDX-License-Identifier: MIT */
/* Copy long text in which nothing is to be escaped. */
#ifndef SSRJSON_TEXT_COPY_PLAIN_H
#define SSRJSON_TEXT_COPY_PLAIN_H

#include "text/escape.h"

/* The least number of vectors that are copied so. */
#define COPY_PLAIN_LEAST 16

#define SOURCE_BITS 8
#include "text/copy_plain.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/copy_plain.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/copy_plain.tmpl.h"
#undef SOURCE_BITS

#endif
