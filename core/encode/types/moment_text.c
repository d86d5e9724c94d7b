/* SPDX-License-Identifier: MIT */
#include "encode/types/moment_text.h"

char *moment_put_parts(char *out, enum native_type which, const struct moment *moment,
                       enum time_precision precision) {
    return moment_store_parts(out, which, moment, precision);
}

char *moment_put_zoned(char *out, const struct encode_options *options, enum native_type which,
                       PyObject *value, PyObject *zone) {
    if (which != NATIVE_DATETIME ||
        !moment_zone_has_seconds(&options->context->native_types, zone)) {
        return NULL;
    }
    const int32_t seconds = pydantic_zone_seconds(zone);
    /* the formats differ in how they cut seconds, and a day or more is refused */
    if (seconds % 60 != 0 || seconds <= -86400 || seconds >= 86400) {
        return NULL;
    }
    const struct moment moment = moment_in_c(which, value);
    out = moment_store_parts(out, which, &moment, options->native.precision);
    return LIKELY(seconds == 0) ? iso_put_offset(out, 0, options->native.is_utc_z, true)
                                : iso_put_offset(out, seconds * INT64_C(1000000), false, true);
}
