/* SPDX-License-Identifier: MIT */
/* Members of Enums: replaced by their value or name. */
#ifndef SSRJSON_ENCODE_TYPES_ENUM_H
#define SSRJSON_ENCODE_TYPES_ENUM_H

#include "cache/known_classes.h"
#include "encode/types/native.h"
#include "pyobject/instance.h"
#include "pyobject/long.h"
#include "pyobject/type.h"

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
#endif

/* The value or name of a member: the class keeps it under _value_ or _name_, unless it overrides
 * the property. */
static inline enum native_outcome native_enum(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_types *const types = &encoder->options->context->native_types;
    const bool is_value = encoder->options->native.enum_ == ENUM_VALUE;
    PyTypeObject *const type = Py_TYPE(value);
    PyObject *const word = types->words[is_value ? WORD_VALUE : WORD_NAME];
    PyObject *const own_word = types->words[is_value ? WORD_OWN_VALUE : WORD_OWN_NAME];
    const bool is_usual =
        type_has_usual_attributes(type) &&
        type_look_up(type, word) == (is_value ? types->enum_value : types->enum_name) &&
        type_look_up(type, own_word) == NULL &&
        (IS_FREE_THREADED || object_attribute_is_plain(value, own_word));
    PyObject *object;
    if (is_usual) {
        Py_INCREF(value); /* where it has no such attribute, making the error may collect garbage */
        object = PyObject_GetAttr(value, own_word);
#if !IS_FREE_THREADED
        enum_classes_note(&encoder->options->context->enum_classes, value, own_word);
#endif
        Py_DECREF(value);
    } else {
        if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
            return NATIVE_FAILED;
        }
        object = PyObject_GetAttr(value, word);
    }
    return native_outcome_of(encoder, native, object, NATIVE_AS_VALUE);
}

#endif
