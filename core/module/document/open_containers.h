/* SPDX-License-Identifier: MIT */
/* The value so far of a document whose containers are still open.
 *
 * Finished values are shared with the final value. Open containers are copied each time: whoever
 * gets a copy may change it and drop it, and nothing tells that he did. */
#ifndef SSRJSON_MODULE_DOCUMENT_OPEN_CONTAINERS_H
#define SSRJSON_MODULE_DOCUMENT_OPEN_CONTAINERS_H

#include "decode/pause.h"

/* A copy of the containers of a pause, at least one open, with a last value in the innermost one,
 * or NULL: a new reference to the outermost, NULL with an exception set. */
PyObject *open_containers_copy(const struct pause *pause, PyObject *last);

#endif
