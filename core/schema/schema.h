/* SPDX-License-Identifier: MIT */
/* What owns all that was compiled together. */
#ifndef SSRJSON_SCHEMA_SCHEMA_H
#define SSRJSON_SCHEMA_SCHEMA_H

#include "schema/record.h"

/* All that was compiled of one description, or of those of one class: nodes, models and records
 * refer to each other, in circles too, and are released together. */
struct schema {
    struct blocks blocks; /* owned: the memory of all */
    struct node *nodes;   /* lists of what has references; or NULL */
    struct accepted_model *models;
    struct read_record *reads;
    struct load_record *loads;
};

/* Release what was compiled; the schema is empty then. */
void schema_clear(struct schema *schema);
int schema_traverse(const struct schema *schema, visitproc visit, void *arg);

/* Originals of a dict or set, which is stolen, in memory of the schema; NULL with an exception set,
 * also for NULL. */
static inline struct thread_originals *schema_add_originals(struct schema *schema,
                                                            PyObject *first) {
    struct thread_originals *const made =
        first != NULL ? blocks_add(&schema->blocks, sizeof *made) : NULL;
    if (made == NULL) {
        Py_XDECREF(first);
        return NULL;
    }
    made->first = first;
    return made;
}

#endif
