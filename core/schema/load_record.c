/* SPDX-License-Identifier: MIT */
#include "schema/schema.h"

#include "pyobject/dict.h"
#include "pyobject/object.h"
#include "pyobject/snapshot.h"
#include "schema/description.h"

/* ---- compiling ------------------------------------------------------------------------------ */

static const char *const NAMES_OF_FIELD[] = {"key",     "target",        "acceptance",
                                             "load",    "confirm",       "after",
                                             "default", "may_be_absent", "of_whole_dict"};
static const char *const NAMES_OF_RECORD[] = {"fields",   "absent",    "skipped", "on_error",
                                              "fail",     "other",     "finish",  "unknown",
                                              "fail_all", "finish_all"};

int load_record_traverse(const struct load_record *record, visitproc visit, void *arg) {
    Py_VISIT(record->absent);
    Py_VISIT(record->skipped);
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        Py_VISIT(record->fields[i].key);
        Py_VISIT(record->fields[i].target);
        Py_VISIT(record->fields[i].absent);
    }
    return 0;
}

/* Whether a tuple is of strs, of no subclass. */
static bool is_names(PyObject *tuple) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(tuple, i))) {
            return false;
        }
    }
    return true;
}

/* Fill in from a LoadField; false with an exception set. */
static bool load_field_init(struct load_field *field, PyObject *description,
                            const struct surroundings *around) {
    PyObject *key;
    PyObject *target;
    PyObject *acceptance;
    PyObject *load;
    PyObject *after;
    PyObject *absent;
    PyObject *confirm;
    int may_be_absent;
    int of_whole_dict;
    if (!HAS_FIELDS(description, NAMES_OF_FIELD) ||
        !PyArg_ParseTuple(description, "OO!OOOOO!pp", &key, &PyTuple_Type, &target, &acceptance,
                          &load, &confirm, &after, &PyTuple_Type, &absent, &may_be_absent,
                          &of_whole_dict)) {
        return false;
    }
    if (!PyUnicode_CheckExact(key) || !is_names(target)) {
        PyErr_SetString(PyExc_TypeError, "the names of a record are strs, of no subclass");
        return false;
    }
    field->key = Py_NewRef(key);
    PyUnicode_InternInPlace(&field->key);
    field->target = Py_NewRef(target);
    field->only = PyTuple_GET_SIZE(target) == 1 ? PyTuple_GET_ITEM(target, 0) : NULL;
    field->absent = PyTuple_GET_SIZE(absent) != 0 ? Py_NewRef(PyTuple_GET_ITEM(absent, 0)) : NULL;
    field->may_be_absent = may_be_absent != 0;
    field->of_whole_dict = of_whole_dict != 0;
    return node_new(acceptance, around, &field->node) &&
           call_number_take(load, around, &field->load) &&
           call_number_take(confirm, around, &field->confirm) &&
           call_number_take(after, around, &field->after);
}

/* Fill in the fields; false with an exception set. */
static bool load_record_init_fields(struct load_record *record, PyObject *fields,
                                    const struct surroundings *within) {
    PyObject *const keys = PySet_New(NULL);
    bool is_made = keys != NULL;
    for (Py_ssize_t i = 0; is_made && i < record->n_fields; i++) {
        is_made = load_field_init(&record->fields[i], PyTuple_GET_ITEM(fields, i), within) &&
                  PySet_Add(keys, record->fields[i].key) == 0;
    }
    if (is_made && PySet_GET_SIZE(keys) != record->n_fields) {
        PyErr_SetString(PyExc_ValueError, "two fields of a record have one key");
        is_made = false;
    }
    Py_XDECREF(keys);
    return is_made;
}

struct load_record *load_record_new(PyObject *description, const struct surroundings *around) {
    PyObject *fields;
    PyObject *absent;
    PyObject *skipped;
    PyObject *calls[7];
    if (!HAS_FIELDS(description, NAMES_OF_RECORD) ||
        !PyArg_ParseTuple(description, "O!OOOOOOOOO", &PyTuple_Type, &fields, &absent, &skipped,
                          &calls[0], &calls[1], &calls[2], &calls[3], &calls[4], &calls[5],
                          &calls[6])) {
        return NULL;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(fields);
    struct load_record *const record =
        blocks_add(&around->schema->blocks, sizeof *record + (size_t)n * sizeof *record->fields);
    if (record == NULL) {
        return NULL;
    }
    record->next = around->schema->loads; /* which release it, whole or not */
    around->schema->loads = record;
    record->n_fields = n;
    record->absent = Py_NewRef(absent);
    record->skipped = Py_NewRef(skipped);
    struct surroundings within = *around;
    within.depth++;
    within.n_calls = &record->n_calls;
    int *const numbers[7] = {&record->on_error,  &record->fail,    &record->other,
                             &record->finish,    &record->unknown, &record->fail_all,
                             &record->finish_all};
    bool is_made = load_record_init_fields(record, fields, &within);
    for (int i = 0; is_made && i < 7; i++) {
        is_made = call_number_take(calls[i], &within, numbers[i]);
    }
    if (is_made && record->on_error >= 0 && record->fail < 0) {
        PyErr_SetString(PyExc_ValueError, "a record that notes errors has a call for the end");
        is_made = false;
    }
    if (!is_made) {
        return NULL;
    }
    if (around->n_calls != NULL && *around->n_calls < record->n_calls) {
        *around->n_calls = record->n_calls;
    }
    return record;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Call the callable of a number: a new reference; NULL with an exception set, or without one where
 * there is no such call. */
static PyObject *call(struct task *task, int number, PyObject *const *arguments, size_t n) {
    if (number < 0) {
        return NULL;
    }
    PyObject *const callable = calls_get(task->calls, number);
    return callable != NULL ? PyObject_Vectorcall(callable, arguments, n, NULL) : NULL;
}

static PyObject *index_object(Py_ssize_t index) {
    return index >= 0 ? PyLong_FromSsize_t(index) : Py_NewRef(Py_None);
}

/* What takes the place of a result whose making raised an Exception, which is set: a new reference;
 * NULL with an exception set, or without one where none was. `*errors` is made where there is none
 * yet. */
static PyObject *tell_error(const struct load_record *record, PyObject **errors, PyObject *key,
                            Py_ssize_t index, struct task *task) {
    if (record->on_error < 0 || !PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_Exception)) {
        return NULL;
    }
    PyObject *const error = raised_take();
    PyObject *result = NULL;
    PyObject *const place = index_object(index);
    if (*errors == NULL) {
        *errors = PyDict_New();
    }
    if (place != NULL && *errors != NULL) {
        PyObject *const arguments[] = {error, *errors, key != NULL ? key : place, place};
        result = call(task, record->on_error, arguments, 4);
    }
    Py_XDECREF(place);
    Py_DECREF(error);
    return result;
}

/* What a call returns for a result, which is released; the result itself where there is no call, or
 * no result. */
static PyObject *called_with(PyObject *result, int number, const PyObject *skipped,
                             struct task *task) {
    if (LIKELY(number == NO_CALL) || result == NULL || result == skipped) {
        return result;
    }
    PyObject *const arguments[] = {result};
    PyObject *const returned = call(task, number, arguments, 1);
    Py_DECREF(result);
    return returned;
}

/* What a field's value becomes: a new reference; NULL with an exception set, or without one where
 * it is refused. `value` is NULL where
 * it is absent. */
static PyObject *load_value(const struct load_record *record, const struct load_field *field,
                            PyObject *value, struct task *task) {
    PyObject *result = NULL;
    if (value == NULL && field->absent != NULL) {
        result = Py_NewRef(field->absent);
    } else if (value == NULL && field->may_be_absent) {
        return Py_NewRef(record->skipped);
    } else if (value != NULL) {
        result = accept_value(field->node, value, task);
        result = called_with(result, field->confirm, record->skipped, task);
    }
    if (result == NULL && !PyErr_Occurred()) {
        PyObject *const arguments[] = {value != NULL ? value : record->absent};
        result = call(task, field->load, arguments, 1);
    }
    return called_with(result, field->after, record->skipped, task);
}

/* Put a result where its target is not one key; false with an exception set. */
static bool put_within(PyObject *dict, PyObject *target, PyObject *result) {
    const Py_ssize_t n = PyTuple_GET_SIZE(target);
    if (n == 0) {
        PyObject *const answer = PyObject_CallMethod(dict, "update", "O", result);
        Py_XDECREF(answer);
        return answer != NULL;
    }
    PyObject *within = Py_NewRef(dict);
    for (Py_ssize_t i = 0; within != NULL && i < n - 1; i++) {
        PyObject *const name = PyTuple_GET_ITEM(target, i);
        const int is_there = PySequence_Contains(within, name);
        PyObject *const made = is_there == 0 ? PyDict_New() : NULL;
        const bool failed =
            is_there < 0 ||
            (is_there == 0 && (made == NULL || PyObject_SetItem(within, name, made) < 0));
        Py_XDECREF(made);
        PyObject *const next = failed ? NULL : PyObject_GetItem(within, name);
        Py_DECREF(within);
        within = next;
    }
    const bool is_put =
        within != NULL && PyObject_SetItem(within, PyTuple_GET_ITEM(target, n - 1), result) == 0;
    Py_XDECREF(within);
    return is_put;
}

/* Load a field and put the result into `made`; false with an exception set, or without one where
 * the value is refused. */
static bool load_field(const struct load_record *record, const struct load_field *field,
                       PyObject *value, PyObject *made, PyObject **errors, Py_ssize_t index,
                       struct task *task) {
    PyObject *result = load_value(record, field, value, task);
    if (UNLIKELY(result == NULL)) {
        result = tell_error(record, errors, field->key, index, task);
    }
    bool is_put = result != NULL;
    if (LIKELY(is_put && result != record->skipped)) {
        is_put = LIKELY(field->only != NULL) ? PyDict_SetItem(made, field->only, result) == 0
                                             : put_within(made, field->target, result);
    }
    Py_XDECREF(result);
    return is_put;
}

/* What the library makes of a finished record, or of one with errors; the record is released. */
static PyObject *finish(int number, PyObject *made, PyObject *errors, PyObject *n_items,
                        struct task *task) {
    PyObject *result;
    if (errors != NULL) {
        PyObject *const arguments[] = {errors, n_items != NULL ? n_items : made, made};
        result = call(task, number, arguments, n_items != NULL ? 3 : 2);
    } else {
        PyObject *const arguments[] = {made};
        result = call(task, number, arguments, 1);
    }
    Py_DECREF(made);
    return result;
}

/* Call `unknown` if the dict has keys of no field; false with an exception set, or without one
 * where such a dict is refused. */
static bool tell_unknown(const struct load_record *record, PyObject *dict, Py_ssize_t n_known,
                         PyObject *made, Py_ssize_t index, struct task *task) {
    if (LIKELY(record->unknown == NO_CALL) || n_known == PyDict_GET_SIZE(dict)) {
        return true;
    }
    PyObject *const place = index_object(index);
    PyObject *const arguments[] = {dict, made, place};
    PyObject *const answer = place != NULL ? call(task, record->unknown, arguments, 3) : NULL;
    Py_XDECREF(place);
    Py_XDECREF(answer);
    return answer != NULL;
}

PyObject *load_record_make(const struct load_record *record, PyObject *value, Py_ssize_t index,
                           struct task *task) {
    if (UNLIKELY(!PyDict_CheckExact(value) || !shared_dict_has_only_str_keys(value))) {
        PyObject *const place = index_object(index);
        PyObject *const arguments[] = {value, place};
        PyObject *const result = place != NULL ? call(task, record->other, arguments, 2) : NULL;
        Py_XDECREF(place);
        return result;
    }
    PyObject *const made = PyDict_New();
    PyObject *errors = NULL;
    bool is_good = made != NULL;
    Py_ssize_t n_known = 0;
    for (Py_ssize_t i = 0; is_good && i < record->n_fields; i++) {
        const struct load_field *const field = &record->fields[i];
        PyObject *const part =
            field->of_whole_dict ? Py_NewRef(value) : dict_get(value, field->key);
        is_good = load_field(record, field, part, made, &errors, index, task);
        n_known += part != NULL && !field->of_whole_dict;
        Py_XDECREF(part);
    }
    is_good = is_good && tell_unknown(record, value, n_known, made, index, task);
    PyObject *result = NULL;
    if (!is_good) {
        Py_XDECREF(made);
    } else if (errors != NULL || record->finish != NO_CALL) {
        result = finish(errors != NULL ? record->fail : record->finish, made, errors, NULL, task);
    } else {
        result = made;
    }
    Py_XDECREF(errors);
    return result;
}

/* Load an item of a list and append the result; false with an exception set. */
static bool load_item(const struct load_record *record, PyObject *item, Py_ssize_t index,
                      PyObject *made, PyObject **errors, struct task *task) {
    PyObject *result = load_record_make(record, item, index, task);
    if (UNLIKELY(result == NULL)) {
        result = tell_error(record, errors, NULL, index, task);
    }
    const bool is_put =
        result != NULL && (result == record->skipped || PyList_Append(made, result) == 0);
    Py_XDECREF(result);
    return is_put;
}

PyObject *load_record_make_all(const struct load_record *record, PyObject *list,
                               struct task *task) {
    PyObject *const made = PyList_New(0);
    PyObject *errors = NULL;
    bool is_good = made != NULL;
    Py_ssize_t n = 0;
    /* Python code may change the list */
    PyObject *item;
    while (is_good && (item = list_get(list, n)) != NULL) {
        is_good = load_item(record, item, n, made, &errors, task);
        Py_DECREF(item);
        n++;
    }
    PyObject *result = NULL;
    PyObject *const n_items = errors != NULL ? PyLong_FromSsize_t(n) : NULL;
    if (!is_good || (errors != NULL && n_items == NULL)) {
        Py_XDECREF(made);
    } else if (errors != NULL && record->fail_all != NO_CALL) {
        result = finish(record->fail_all, made, errors, n_items, task);
    } else if (errors == NULL && record->finish_all != NO_CALL) {
        result = finish(record->finish_all, made, NULL, NULL, task);
    } else {
        result = made;
    }
    Py_XDECREF(n_items);
    Py_XDECREF(errors);
    return result;
}
