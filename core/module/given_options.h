/* SPDX-License-Identifier: MIT */
/* The options that an Encoder or a Decoder was given, by name: for its repr, copies and pickles. */
#ifndef SSRJSON_MODULE_GIVEN_OPTIONS_H
#define SSRJSON_MODULE_GIVEN_OPTIONS_H

#include "module/keywords.h"

/* The options of a class that is called, which are all known: a new dict; NULL with an exception
 * set. */
PyObject *given_options(const struct module_state *state, struct keyword_range range,
                        PyObject *const *values, PyObject *names);

/* The repr of an object that such a call made. */
PyObject *given_repr(PyObject *self, const char *class_name, PyObject *given);

/* What pickle and copy call to make an equal object: the class, with the same options. */
PyObject *given_reduce(PyObject *self, PyObject *given);

#endif
