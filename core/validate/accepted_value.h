/* SPDX-License-Identifier: MIT */
/* The validated value of one that an acceptance describes, made without the validator. */
#ifndef SSRJSON_VALIDATE_ACCEPTED_VALUE_H
#define SSRJSON_VALIDATE_ACCEPTED_VALUE_H

#include "validate/acceptance.h"

/* What a value is accepted for. */
enum acceptance_purpose {
    ACCEPT_FOR_TEXT,   /* to be written: a dict is as good as the model that is made of it */
    ACCEPT_FOR_MODELS, /* for the caller: models are made of dicts, and containers are copied */
};

/* The validated value, a new reference: the value itself where nothing differs. NULL without an
 * exception where the library must decide. Runs no Python code but validators' and the garbage
 * collector's, whose exceptions that are no Exception pass through, as does MemoryError. */
PyObject *accepted_value(const struct acceptance *acceptance, PyObject *value,
                         enum acceptance_purpose purpose);

#endif
