/* SPDX-License-Identifier: MIT */
#include "encode/types/native.h"

#include "encode/model/plain_fields.h"
#include "encode/types/datetime.h"
#include "encode/types/decimal.h"
#include "encode/types/enum.h"
#include "encode/types/uuid.h"

enum native_outcome encoder_enter_fast(struct encoder *encoder, PyObject *value,
                                       struct native *native) {
    const struct encode_options *const options = encoder->options;
    const struct native_types *const types = &options->context->native_types;
    struct decimal_value decimal; /* of a heap type since Python 3.13 */
    if (options->native.fast_types >> NATIVE_DECIMAL & 1 &&
        short_decimal_read(types, value, &decimal)) {
        return short_decimal_put(native, &decimal, options->native.decimal);
    }
    if (!(Py_TYPE(value)->tp_flags & Py_TPFLAGS_HEAPTYPE)) { /* as those of datetime are */
        const char *const end = moment_put_simple(native->text, options, value);
        return end != NULL ? native_text_ends(native, end) : NATIVE_NOT_KNOWN;
    }
    if (options->native.fast_types >> NATIVE_UUID & 1) {
        const char *const end = uuid_put_simple(native->text, encoder, value);
        if (end != NULL) {
            return native_text_ends(native, end);
        }
    }
#if !IS_FREE_THREADED
    if (options->native.fast_types >> NATIVE_ENUM & 1) {
        native->object = member_scalar(options, value);
        if (native->object != NULL) {
            return NATIVE_AS_SCALAR;
        }
    }
    if (options->native.fast_types >> NATIVE_MODEL & 1) {
        return enter_plain_object(encoder, value, native);
    }
#endif
    return NATIVE_NOT_KNOWN;
}
