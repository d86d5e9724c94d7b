/* SPDX-License-Identifier: MIT */
/* The value of a document as one of the type that was asked for. */
#ifndef SSRJSON_MODULE_DOCUMENT_TYPED_DOCUMENT_H
#define SSRJSON_MODULE_DOCUMENT_TYPED_DOCUMENT_H

#include "module/document/document.h"

/* What a value was decoded from. */
struct typed_text {
    PyObject *object;  /* borrowed str or buffer of bytes; NULL: there is no text */
    Py_ssize_t start;  /* the index of the value in a str */
    Py_ssize_t length; /* characters or bytes of it; -1: all */
    enum document_form form;
};

PyObject *typed_document_make(struct module_state *state, PyObject *plan, PyObject *value,
                              const struct typed_text *text);

/* What the plan of the arguments, if they have one, makes of a decoded value, which is stolen and
 * may be NULL: a new reference; NULL with an exception set. */
static ALWAYS_INLINE PyObject *typed_document(struct module_state *state,
                                              const struct decode_arguments *arguments,
                                              PyObject *value, const struct typed_text text) {
    return LIKELY(arguments->type_plan == NULL) || value == NULL
               ? value
               : typed_document_make(state, arguments->type_plan, value, &text);
}

/* What a _TypePlan makes of a value that others hold, too. */
PyObject *typed_value_make(struct module_state *state, PyObject *plan, PyObject *value);

/* The compiled plan of a _TypePlan, borrowed; NULL where the garbage collector has cleared it. */
const struct type_plan *type_plan_of(PyObject *plan);

#endif
