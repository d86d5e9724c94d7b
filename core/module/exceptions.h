/* SPDX-License-Identifier: MIT */
/* Recorded errors turned into the exceptions that stdlib raises, with its texts, and classes of our
 * own above them. */
#ifndef SSRJSON_MODULE_EXCEPTIONS_H
#define SSRJSON_MODULE_EXCEPTIONS_H

#include "module/state.h"

/* An exception whose text has object.__class__.__name__ for its %S. */
void raise_with_class_name(PyObject *error, const char *format, PyObject *object);

/* Raise what stdlib raises, with JSONEncodeError above it; what the error holds is released. */
void raise_encode_error(const struct module_state *state, const struct encode_error *error,
                        const struct encode_options *options);

/* Raise JSONDecodeError or a class below it. */
void raise_decode_error_of(PyObject *type, const char *message, PyObject *document,
                           Py_ssize_t position);

/* The document is longer than max_size: it may be huge, so it is no part of the exception. */
COLD void raise_size_error(const struct module_state *state, Py_ssize_t max_size);

/* Raise for what was found in a document, a str, at the character of that position. */
COLD void raise_decode_error(const struct module_state *state, enum error_kind kind,
                             const struct decode_options *options, PyObject *document,
                             Py_ssize_t position);

/* JSONDecodeError, a subclass of json's own, and those below it, as new references in the state;
 * -1 with an exception set. */
int make_decode_errors(struct module_state *state);

/* JSONEncodeError and those below it, as new references in the state; -1 with an exception set. */
int make_encode_errors(struct module_state *state);

/* Make the classes attributes of the module: -1 with an exception set. */
int add_errors(PyObject *module, const struct module_state *state);

#endif
