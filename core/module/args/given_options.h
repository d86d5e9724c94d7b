/* SPDX-License-Identifier: MIT */
/* The options that an Encoder or a Decoder was created with, by name: for its repr, copies and
 * pickles. */
#ifndef SSRJSON_MODULE_ARGS_GIVEN_OPTIONS_H
#define SSRJSON_MODULE_ARGS_GIVEN_OPTIONS_H

#include "module/args/keywords.h"

/* The keyword arguments of a class call whose names are all known: a new dict; NULL with an
 * exception set. */
PyObject *given_options(const struct module_state *state, struct keyword_range range,
                        PyObject *const *values, PyObject *names);

/* The repr of an object that was created with these options. */
PyObject *given_repr(PyObject *self, const char *class_name, PyObject *given);

/* The callable and arguments with which pickle and copy make an equal object: the class, with the
 * same options. */
PyObject *given_reduce(PyObject *self, PyObject *given);

#endif
