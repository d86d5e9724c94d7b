/* SPDX-License-Identifier: MIT */
/* Recorded errors, raised as exceptions: the classes and texts are those of stdlib, with classes of
 * our own derived from them. */
#ifndef SSRJSON_MODULE_ERRORS_EXCEPTIONS_H
#define SSRJSON_MODULE_ERRORS_EXCEPTIONS_H

#include "module/state.h"
#include "encode/options.h"

/* Raise an exception whose format has %S for object.__class__.__name__. */
void raise_with_class_name(PyObject *error, const char *format, PyObject *object);

/* Raise the exception of stdlib, as one of our classes unless the options are stdlib's. The objects
 * that the error holds are released. */
void raise_encode_error(const struct module_state *state, const struct encode_error *error,
                        const struct encode_options *options);

/* Raise JSONDecodeError or a subclass of it. */
void raise_decode_error_of(PyObject *type, const char *message, PyObject *document,
                           Py_ssize_t position);

/* Raise JSONSizeError. The document may be huge, so the exception does not hold it. */
COLD void raise_size_error(const struct module_state *state, Py_ssize_t max_size);

/* Raise for an error in a document, a str, at the character of that position. */
COLD void raise_decode_error(const struct module_state *state, enum error_kind kind,
                             const struct decode_options *options, PyObject *document,
                             Py_ssize_t position);

/* Make JSONDecodeError, a subclass of json's, and its subclasses, as new references in the state;
 * -1 with an exception set. */
int make_decode_errors(struct module_state *state);

/* Make JSONEncodeError and its subclasses, as new references in the state; -1 with an exception
 * set. */
int make_encode_errors(struct module_state *state);

/* Add the classes to the module as attributes: -1 with an exception set. */
int add_errors(PyObject *module, const struct module_state *state);

/* Exceptions with the texts of the module orjson, for ssrjson_web.orjson. */

/* Raise TypeError for a failed encoding. An exception that a hook raised becomes its cause; those
 * that are no Exception, such as KeyboardInterrupt, and MemoryError stay as they are. */
void raise_orjson_encode_error(const struct encode_error *error);

/* Raise JSONDecodeError for a failed decoding, at a place of the document that `error` names by the
 * index of a character. */
void raise_orjson_decode_error(const struct module_state *state, const struct error *error,
                               PyObject *document);

/* Hints for error texts: the option that would write a value for which JSON has no form. */

/* Text that follows the path of a value in an error; empty where no option would write the
 * value. */
struct hint {
    char text[80];
};

/* The hint for a value or a key that was refused. May run Python code. */
COLD struct hint hint_for(const struct encode_options *options, PyObject *value, bool is_key);

#endif
