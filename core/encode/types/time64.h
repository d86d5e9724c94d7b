/* SPDX-License-Identifier: MIT */
/* Texts of numpy's datetime64 and timedelta64, and of other spans that long or that fine. */
#ifndef SSRJSON_ENCODE_TYPES_TIME64_H
#define SSRJSON_ENCODE_TYPES_TIME64_H

#include "encode/types/ndarray.h"
#include "encode/options.h"

#define DATETIME64_NAT INT64_MIN /* of timedelta64 too */

struct civil_date {
    int64_t year;
    unsigned month;
    unsigned day;
};

/* The distance between two moments: seconds, and a fraction of a second that is never negative. */
struct span {
    __int128 seconds;
    unsigned microseconds;
    uint64_t below; /* attoseconds below a microsecond */
};

/* The date of a datetime64 that is not NaT, the seconds in its day, and the span whose fraction of
 * a second it has. False outside of the years 0 to 9999. */
bool ndarray_civil_date(const struct ndarray *array, int64_t value, struct civil_date *date,
                        int64_t *in_day, struct span *span);

/* Store a datetime64 that is not NaT as ISO 8601: a date where the unit is a day or longer,
 * otherwise a datetime, with more than six digits of the second where they are not zero. Returns
 * the end of the text, within ISO_TIME_ROOM; NULL with ValueError set outside of the years 0 to
 * 9999. */
char *ndarray_put_datetime(char *out, const struct ndarray *array, int64_t value,
                           const struct native_options *options);

/* Store a timedelta64 of a fixed unit that is not NaT as ISO 8601. Returns as span_put does. */
char *ndarray_put_duration(char *out, const struct ndarray *array, int64_t value, bool has_years);

/* The float nearest to the seconds of a timedelta64 of a fixed unit that is not NaT. False with an
 * exception set. */
bool ndarray_seconds(const struct ndarray *array, int64_t value, double *seconds);

static inline struct span span_negate(struct span span) {
    const bool is_whole = span.microseconds == 0 && span.below == 0;
    return (struct span){.seconds = -span.seconds - !is_whole,
                         .microseconds =
                             is_whole ? 0 : 1000000 - span.microseconds - (span.below != 0),
                         .below = span.below == 0 ? 0 : 1000000000000 - span.below};
}

/* Store a span as ISO 8601. Returns the end of the text; NULL with ValueError set for too many
 * days. */
char *span_put(char *out, struct span span, bool has_years);

#endif
