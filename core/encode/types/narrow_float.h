/* SPDX-License-Identifier: MIT */
/* Floats of 16 and 32 bits with their own shortest digits. */
#ifndef SSRJSON_ENCODE_TYPES_NARROW_FLOAT_H
#define SSRJSON_ENCODE_TYPES_NARROW_FLOAT_H

#include "pyobject/python.h"

/* Replace n values by the doubles whose shortest digits are those of the narrower floats that the
 * values are: 0.10000000149011612, a float of 32 bits, by 0.1. So what formats doubles formats
 * narrower floats too. A float of n_bytes, 2 or 4, holds each value exactly. */
void narrow_floats_as_doubles(double *values, size_t n, int n_bytes);

#endif
