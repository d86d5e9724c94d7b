/* SPDX-License-Identifier: MIT */
/* Exceptions with the texts of the module orjson, for ssrjson_web.orjson. */
#ifndef SSRJSON_MODULE_ERRORS_ORJSON_ERRORS_H
#define SSRJSON_MODULE_ERRORS_ORJSON_ERRORS_H

#include "module/state.h"

/* Raise TypeError for a failed encoding. An exception that a hook raised becomes its cause; those
 * that are no Exception, such as KeyboardInterrupt, and MemoryError stay as they are. */
void raise_orjson_encode_error(const struct encode_error *error);

/* Raise JSONDecodeError for a failed decoding, at a place of the document that `error` names by the
 * index of a character. */
void raise_orjson_decode_error(const struct module_state *state, const struct error *error,
                               PyObject *document);

#endif
