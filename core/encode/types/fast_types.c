/* SPDX-License-Identifier: MIT */
#include "encode/types/fast_types.h"

#include "encode/types/moment_text.h"
#include "encode/types/scalars.h"
#include "pyobject/instance.h"
#include "pyobject/long.h"
#include "text/uuid_text.h"

#if !IS_FREE_THREADED
/* What replaces a member of an Enum whose class is known: a str or a short int, borrowed; otherwise
 * NULL. */
static ALWAYS_INLINE PyObject *member_scalar(const struct encode_options *options,
                                             PyObject *member) {
    struct encode_context *const context = options->context;
    PyObject *const name =
        context->native_types
            .words[options->native.enum_ == ENUM_VALUE ? WORD_OWN_VALUE : WORD_OWN_NAME];
    PyObject *const value = enum_classes_value(&context->enum_classes, member, name);
    return value != NULL && (PyUnicode_CheckExact(value) ||
                             (PyLong_CheckExact(value) && long_is_below_2_64(value)))
               ? value
               : NULL;
}

/* Whether an object has the fields of a plan with plain fields itself, in their order: those are
 * then its first entries. */
static ALWAYS_INLINE bool object_has_plain_fields(const struct plan *plan, PyObject *object,
                                                  struct dict_entries *fields) {
    if (!plan->has_plain_fields || plan->own_version != type_version(Py_TYPE(object)) ||
        !object_own_entries(object, fields) || fields->values == NULL ||
        fields->entry_bytes != STR_PAIR_BYTES || fields->n < plan->n_fields) {
        return false;
    }
    PyObject *const *const keys = (PyObject *const *)(const void *)fields->first;
    for (Py_ssize_t i = 0; i < plan->n_fields; i++) {
        if (keys[2 * i] != plan->fields[i].attribute || fields->values[i] == NULL) {
            return false;
        }
    }
    fields->n = plan->n_fields;
    return true;
}

/* Enter an object by its plain fields; NATIVE_NOT_KNOWN where it has others. */
static ALWAYS_INLINE enum native_outcome enter_plain_object(struct encoder *encoder,
                                                            PyObject *object,
                                                            struct native *native) {
    const struct encode_options *const options = encoder->options;
    struct plan *const plan =
        plan_cache_find(options_plan_cache(options), Py_TYPE(object), options->native.models);
    if (plan == NULL || !plan->is_only_model) {
        return NATIVE_NOT_KNOWN;
    }
    native->plan = plan;
    struct dict_entries fields;
    if (!encoder->reads_in_place || encoder->is_streaming || options->indent != NULL ||
        !object_has_plain_fields(plan, object, &fields)) {
        return NATIVE_NOT_KNOWN;
    }
    struct frame *const frame = encoder_enter(encoder, object, FRAME_OBJECT);
    if (UNLIKELY(frame == NULL)) {
        return NATIVE_FAILED;
    }
    frame->items = (PyObject *)plan;
    frame->is_in_place = true;
    frame->layout = LAYOUT_SHARED;
    frame->at = fields.first;
    frame->end = fields.first + (size_t)fields.n * STR_PAIR_BYTES;
    frame->values = (uintptr_t)fields.values - (uintptr_t)fields.first / 2;
    return NATIVE_IN_OBJECT;
}
#endif

enum native_outcome encoder_enter_simple(struct encoder *encoder, PyObject *value,
                                         struct native *native) {
    const struct encode_options *const options = encoder->options;
    const struct native_types *const types = &options->context->native_types;
    struct decimal_value decimal; /* of a heap type since Python 3.13 */
    if (options->native.simple_types >> NATIVE_DECIMAL & 1 &&
        short_decimal_read(types, value, &decimal)) {
        return short_decimal_put(native, &decimal, options->native.decimal);
    }
    if (!(Py_TYPE(value)->tp_flags & Py_TPFLAGS_HEAPTYPE)) { /* as those of datetime are */
        const char *const end = moment_put_simple(native->text, options, value);
        return end != NULL ? native_text_ends(native, end) : NATIVE_NOT_KNOWN;
    }
#if !IS_FREE_THREADED
    unsigned __int128 bits;
    if (options->native.simple_types >> NATIVE_UUID & 1 &&
        Py_IS_TYPE(value, native_types_known(types, NATIVE_UUID)) &&
        uuid_slot_read(&options->context->uuid_slot, value, &bits)) {
        return native_text_ends(native,
                                uuid_put(native->text, bits, options->native.uuid != UUID_HEX));
    }
    if (options->native.simple_types >> NATIVE_ENUM & 1) {
        native->object = member_scalar(options, value);
        if (native->object != NULL) {
            return NATIVE_AS_SCALAR;
        }
    }
    if (options->native.simple_types >> NATIVE_MODEL & 1) {
        return enter_plain_object(encoder, value, native);
    }
#endif
    return NATIVE_NOT_KNOWN;
}
