/* SPDX-License-Identifier: MIT */
/* uuid.UUID: its text (RFC 9562, section 4), the quick way where its class was seen before, and the
 * way that asks the object. */
#ifndef SSRJSON_ENCODE_TYPES_UUID_H
#define SSRJSON_ENCODE_TYPES_UUID_H

#include "cache/known_classes.h"
#include "encode/types/native.h"
#include "pyobject/long.h"
#include "pyobject/object.h"
#include "pyobject/type.h"
#include "simd/simd.h"

/* The hexadecimal digits of values below 16. */
static ALWAYS_INLINE u8x16 hex_digits(u8x16 values) {
    return values + '0' + ((u8x16)(values > 9) & ('a' - '9' - 1));
}

/* Store a UUID of 128 bits as 32 digits, with hyphens as 8-4-4-4-12 digits, and return the end. */
static ALWAYS_INLINE char *uuid_put(char *out, unsigned __int128 bits, bool has_hyphens) {
    const u8x16 bytes = (u8x16)(u64x2){__builtin_bswap64((uint64_t)(bits >> 64)),
                                       __builtin_bswap64((uint64_t)bits)};
    const u8x16 upper = bytes >> 4;
    const u8x16 lower = bytes & 15;
    const u8x16 digits[2] = {
        hex_digits(__builtin_shufflevector(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                           6, 22, 7, 23)),
        hex_digits(__builtin_shufflevector(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                           29, 14, 30, 15, 31))};
    if (!has_hyphens) {
        memcpy(out, digits, sizeof digits);
        return out + 32;
    }
    const u64x2 first = (u64x2)digits[0];
    const u64x2 last = (u64x2)digits[1];
    memset(out + 8, '-', 16); /* all four */
    const uint64_t eight[4] = {first[0], first[1], last[0], last[1]};
    memcpy(out, &eight[0], 8);
    const uint32_t four[4] = {(uint32_t)eight[1], (uint32_t)(eight[1] >> 32), (uint32_t)eight[2],
                              (uint32_t)(eight[2] >> 32)};
    memcpy(out + 9, &four[0], 4);
    memcpy(out + 14, &four[1], 4);
    memcpy(out + 19, &four[2], 4);
    memcpy(out + 24, &four[3], 4);
    memcpy(out + 28, &eight[3], 8);
    return out + 36;
}

/* Where the slot of UUIDs' ints is noted: without the GIL, for a call. */
static ALWAYS_INLINE struct uuid_slot *uuid_slot_of(struct encoder *encoder) {
#if IS_FREE_THREADED
    return &encoder->uuid_slot;
#else
    return &encoder->options->context->uuid_slot;
#endif
}

/* Store a UUID whose class was seen before and return the end; NULL for any other value. Runs no
 * Python code. */
static ALWAYS_INLINE char *uuid_put_simple(char *out, struct encoder *encoder, PyObject *value) {
    const struct encode_options *const options = encoder->options;
    unsigned __int128 bits;
    return Py_IS_TYPE(value, native_types_known(&options->context->native_types, NATIVE_UUID)) &&
                   uuid_slot_read(uuid_slot_of(encoder), value, &bits)
               ? uuid_put(out, bits, options->native.uuid != UUID_HEX)
               : NULL;
}

static inline enum native_outcome native_uuid(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(value);
    const Py_ssize_t slot =
        type == native_types_known(types, NATIVE_UUID) && type_has_usual_attributes(type)
            ? type_slot_offset(type, types->words[WORD_INT])
            : -1;
    PyObject *number = slot >= 0 ? object_slot(value, slot) : NULL;
    if (number != NULL) {
        uuid_slot_note(uuid_slot_of(encoder), type, slot);
    }
    if (number == NULL) {
        if (!native_let_python_run(encoder, value, native)) {
            return NATIVE_FAILED;
        }
        number = PyObject_GetAttr(value, types->words[WORD_INT]);
    }
    if (number == NULL) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return NATIVE_FAILED;
    }
    unsigned __int128 bits = 0;
    const bool is_valid = PyLong_Check(number) && long_as_u128(number, &bits);
    Py_DECREF(number);
    if (!is_valid) {
        return native_str(encoder, value, native);
    }
    return native_text_ends(
        native, uuid_put(native->text, bits, encoder->options->native.uuid != UUID_HEX));
}

#endif
