/* SPDX-License-Identifier: MIT */
/* A document that is decoded while it arrives in chunks, and its value so far. */
#ifndef SSRJSON_MODULE_DOCUMENT_GROWING_DOCUMENT_H
#define SSRJSON_MODULE_DOCUMENT_GROWING_DOCUMENT_H

#include "module/document/body.h"
#include "module/document/document.h"
#include "decode/pause.h"

/* What was dropped from the begin of the text after its items were taken: errors count it. */
struct dropped_text {
    Py_ssize_t n_bytes;
    Py_ssize_t n_characters;
    Py_ssize_t n_lines;
    Py_ssize_t n_in_line; /* characters after the last line feed */
};

struct growing_document {
    struct body body;      /* UTF-8, also where str was fed */
    Py_ssize_t n_fed;      /* bytes or characters, for max_size */
    bool is_str;           /* str was fed */
    bool is_running;       /* a call uses the document; a hook may call again */
    bool is_known;         /* enough was fed to tell the encoding */
    bool is_foreign;       /* it is not UTF-8: only the whole document is decoded */
    Py_ssize_t n_skipped;  /* bytes of a byte order mark */
    Py_ssize_t n_searched; /* bytes from the mark on without the end of the string or number that
                              is cut at the pause */
    struct dropped_text dropped;
    struct pause pause;
    PyObject *value; /* owned: of the whole document; NULL: it is not finished */
};

/* All functions raise RuntimeError where a hook of a running call calls them. After any other
 * error but LookupError the document is empty. */

/* Add a chunk, str or a buffer, and decode as far as it goes; -1 with an exception set. */
int growing_document_feed(struct growing_document *document, struct module_state *state,
                          const struct decode_arguments *arguments, PyObject *chunk);

/* The value so far, a new reference; NULL with an exception set, LookupError where nothing is
 * known. */
PyObject *growing_document_value(struct growing_document *document, struct module_state *state,
                                 const struct decode_arguments *arguments);

/* Remove the finished items of the outermost array: a new list, NULL with an exception set. */
PyObject *growing_document_take_items(struct growing_document *document, struct module_state *state,
                                      const struct decode_arguments *arguments);

/* The value of the whole document, which is empty afterwards: a new reference, NULL with an
 * exception set. */
PyObject *growing_document_close(struct growing_document *document, struct module_state *state,
                                 const struct decode_arguments *arguments);

int growing_document_traverse(const struct growing_document *document, visitproc visit, void *arg);

/* Make the document empty. */
void growing_document_clear(struct growing_document *document);

#endif
