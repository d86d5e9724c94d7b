/* SPDX-License-Identifier: MIT */
/* The offset of a time from UTC as the module orjson writes it. */
#ifndef SSRJSON_ENCODE_ORJSON_OFFSET_H
#define SSRJSON_ENCODE_ORJSON_OFFSET_H

#include "text/iso_time.h"

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
