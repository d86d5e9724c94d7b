/* SPDX-License-Identifier: MIT */
/* Texts of the module orjson that differ from those of the options: offsets from UTC, and items of
 * numpy's arrays. */
#ifndef SSRJSON_ENCODE_ORJSON_TEXTS_H
#define SSRJSON_ENCODE_ORJSON_TEXTS_H

#include "encode/types/ndarray.h"
#include "encode/options.h"
#include "text/moment_text.h"

/* Room that orjson_put_single may write to. */
#define ORJSON_SINGLE_ROOM 40

/* Store a datetime64 with its time, up to microseconds. Returns the end of the text; NULL with
 * TypeError set where there is no such date. */
char *orjson_put_datetime64(char *out, const struct ndarray *array, int64_t value,
                            const struct native_options *options);

/* Store a finite float of 32 bits with its own shortest digits, and return the end. */
char *orjson_put_single(char *out, float value);

/* An offset: Z or +00:00, -05:30, seconds rounded to the nearest minute. */
static inline char *orjson_put_offset(char *out, int64_t microseconds, bool is_utc_z) {
    const int64_t seconds = (microseconds - (microseconds < 0 ? 999999 : 0)) / 1000000;
    if (seconds == 0 && is_utc_z) {
        *out = 'Z';
        return out + 1;
    }
    const unsigned rounded = ((unsigned)(seconds < 0 ? -seconds : seconds) + 30) / 60;
    const unsigned minutes = rounded < 24 * 60 ? rounded : 24 * 60 - 1;
    *out++ = seconds < 0 ? '-' : '+';
    out = iso_put_two(out, minutes / 60);
    *out++ = ':';
    return iso_put_two(out, minutes % 60);
}

#endif
