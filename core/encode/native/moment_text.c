/* SPDX-License-Identifier: MIT */
#include "encode/native/moment_text.h"

char *moment_put_parts(char *out, enum native_type which, const struct moment *moment,
                       enum time_precision precision) {
    return moment_store_parts(out, which, moment, precision);
}
