/* SPDX-License-Identifier: MIT */
/* The accepted values of a model's fields, and the dicts that are made of them. */
#ifndef SSRJSON_VALIDATE_FIELD_VALUES_H
#define SSRJSON_VALIDATE_FIELD_VALUES_H

#include "validate/acceptance.h"
#include "pyobject/dict_template.h"

/* Most models have no more fields. */
#define FEW_FIELDS 32

/* The accepted values of a model's fields, in their order. */
struct field_values {
    PyObject **values; /* each owned; NULL: left out of the text */
    bool *is_given;    /* whether the value is no default */
    Py_ssize_t n;      /* number of values so far */
    PyObject *few_values[FEW_FIELDS];
    bool few_given[FEW_FIELDS];
};

/* Make room for the values of n fields; false with MemoryError set. */
static inline bool field_values_begin(struct field_values *fields, Py_ssize_t n) {
    fields->n = 0;
    fields->values = fields->few_values;
    fields->is_given = fields->few_given;
    if (UNLIKELY(n > FEW_FIELDS)) {
        const size_t n_values = (size_t)n;
        fields->values =
            PyMem_Malloc(n_values * sizeof *fields->values + n_values * sizeof *fields->is_given);
        if (fields->values == NULL) {
            PyErr_NoMemory();
            return false;
        }
        fields->is_given = (bool *)(fields->values + n_values);
    }
    return true;
}

/* Release the values that are left. */
static inline void field_values_end(struct field_values *fields) {
    for (Py_ssize_t i = 0; i < fields->n; i++) {
        Py_XDECREF(fields->values[i]);
    }
    if (UNLIKELY(fields->values != fields->few_values)) {
        PyMem_Free(fields->values);
    }
}

static ALWAYS_INLINE void field_values_add(struct field_values *fields, PyObject *value,
                                           bool is_given) {
    fields->values[fields->n] = value;
    fields->is_given[fields->n] = is_given;
    fields->n++;
}

/* A dict with the values of the fields that are written: for the text only, because its keys may be
 * shared with other dicts. NULL with an exception set. */
static inline PyObject *field_values_text(struct field_values *fields,
                                          const struct accepted_model *model) {
    PyObject **const values = fields->values;
    if (model->leaves_out_unset || model->leaves_out_none || model->leaves_out_values ||
        model->text_template == NULL) {
        PyObject *const made = PyDict_New();
        for (Py_ssize_t i = 0; made != NULL && i < model->n_fields; i++) {
            PyObject *const output = model->fields[i].output;
            if (values[i] != NULL && output != NULL &&
                PyDict_SetItem(made, output, values[i]) != 0) {
                Py_DECREF(made);
                return NULL;
            }
        }
        return made;
    }
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; model->n_written != model->n_fields && i < model->n_fields; i++) {
        if (model->fields[i].output == NULL) {
            Py_CLEAR(values[i]);
        } else if (n++ != i) {
            values[n - 1] = values[i];
            values[i] = NULL;
        }
    }
    PyObject *const made =
        dict_from_template(model->text_template, values, (size_t)model->n_written);
    if (made != NULL) {
        fields->n = 0; /* the dict has them */
    }
    return made;
}

/* The __dict__ of a model, whose keys are its own: an assignment to an attribute may change them in
 * place. NULL with an exception set. */
static inline PyObject *field_values_dict(struct field_values *fields,
                                          const struct accepted_model *model) {
    PyObject *const made = PyDict_Copy(model->blank_fields);
    if (made == NULL) {
        return NULL;
    }
    dict_set_values(made, fields->values, (size_t)fields->n);
    bool has_container = false;
    for (Py_ssize_t i = 0; i < fields->n; i++) {
        has_container |= PyObject_IS_GC(fields->values[i]);
    }
    fields->n = 0; /* the dict has them */
    if (has_container) {
        dict_track(made);
    }
    return made;
}

#endif
