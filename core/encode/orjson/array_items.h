/* SPDX-License-Identifier: MIT */
/* Items of numpy's arrays as the module orjson writes them, where they differ. */
#ifndef SSRJSON_ENCODE_ORJSON_ARRAY_ITEMS_H
#define SSRJSON_ENCODE_ORJSON_ARRAY_ITEMS_H

#include "encode/types/ndarray.h"
#include "encode/options.h"

/* Room that orjson_put_single may write to. */
#define ORJSON_SINGLE_ROOM 40

/* Store a datetime64 with its time, up to microseconds. Returns the end of the text; NULL with
 * TypeError set where there is no such date. */
char *orjson_put_datetime64(char *out, const struct ndarray *array, int64_t value,
                            const struct native_options *options);

/* Store a finite float of 32 bits with its own shortest digits, and return the end. */
char *orjson_put_single(char *out, float value);

#endif
