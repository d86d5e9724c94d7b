/* SPDX-License-Identifier: MIT */
#include "schema/schema.h"

#include "pyobject/dict_template.h"
#include "pyobject/instance.h"
#include "pyobject/object.h"
#include "pyobject/snapshot.h"
#include "schema/description.h"
#include "pyobject/type.h"

/* ---- compiling ------------------------------------------------------------------------------ */

static const char *const NAMES_OF_FIELD[] = {"key", "steps", "acceptance", "convert", "resume"};
static const char *const NAMES_OF_RECORD[] = {"fields", "way_of", "skipped"};
static const char *const NAMES_OF_WAY[] = {"way", "name", "guard"};

static const char *const WAYS[] = {
#define WAY(IDENTIFIER, NAME, ...) NAME,
    STEP_WAYS(WAY)
#undef WAY
};

static const char *const TEXTS_OF_NAMES[] = {
#define NAME(IDENTIFIER, TEXT) TEXT,
    CACHE_NAMES(NAME)
#undef NAME
};

static void known_way_free(struct known_way *known) {
    Py_XDECREF(known->name);
    Py_XDECREF(known->guard);
    PyMem_Free(known);
}

static void known_ways_free(struct known_ways *ways) {
    while (ways->first != NULL) {
        struct known_way *const known = ways->first;
        ways->first = known->next;
        known_way_free(known);
    }
}

void read_record_forget(struct read_record *record) {
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        struct read_field *const field = &record->fields[i];
        for (Py_ssize_t k = 0; k < field->n_steps; k++) {
            known_ways_free(&field->steps[k].known);
            known_ways_free(&field->steps[k].results);
        }
    }
}

int read_record_traverse(const struct read_record *record, visitproc visit, void *arg) {
    Py_VISIT(record->way_of);
    Py_VISIT(record->skipped);
    for (int i = 0; i < N_CACHE_NAMES; i++) {
        Py_VISIT(record->names[i]);
    }
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        const struct read_field *const field = &record->fields[i];
        Py_VISIT(field->key);
        for (Py_ssize_t k = 0; k < field->n_steps; k++) {
            Py_VISIT(field->steps[k].name);
        }
    }
    return thread_originals_traverse(record->blank_fields, visit, arg);
}

/* Take a reference to a str, interned; false with TypeError set. */
static bool take_interned(PyObject *object, PyObject **name) {
    if (!PyUnicode_CheckExact(object)) {
        PyErr_SetString(PyExc_TypeError, "the names of a record are strs, of no subclass");
        return false;
    }
    *name = Py_NewRef(object);
    PyUnicode_InternInPlace(name);
    return true;
}

/* Whether every value is accepted. */
static bool accepts_every(const struct node *node) {
    for (Py_ssize_t i = 0; i < node->n; i++) {
        const enum op op = node->alternatives[i].op;
        if (op != OP_TYPE && op != OP_READ && op != OP_READ_SINGLE) {
            return false;
        }
    }
    return node->of_any != NULL;
}

/* Fill in from a ReadField; false with an exception set. */
static bool read_field_init(struct read_field *field, PyObject *description,
                            const struct surroundings *around) {
    PyObject *key;
    PyObject *steps;
    PyObject *acceptance;
    PyObject *convert;
    PyObject *resume;
    if (!HAS_FIELDS(description, NAMES_OF_FIELD) ||
        !PyArg_ParseTuple(description, "OO!OOO", &key, &PyTuple_Type, &steps, &acceptance, &convert,
                          &resume) ||
        !take_interned(key, &field->key) || !node_new(acceptance, around, &field->node) ||
        !call_number_take(convert, around, &field->convert) ||
        !call_number_take(resume, around, &field->resume)) {
        return false;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(steps);
    field->steps = blocks_add(&around->schema->blocks, (size_t)n * sizeof *field->steps);
    if (field->steps == NULL) {
        return false;
    }
    field->n_steps = n;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!take_interned(PyTuple_GET_ITEM(steps, i), &field->steps[i].name)) {
            return false;
        }
    }
    if ((n != 0 && field->resume < 0) ||
        (field->node != NULL && field->convert < 0 && !accepts_every(field->node))) {
        PyErr_Format(PyExc_ValueError, "field %R of a record lacks a call", key);
        return false;
    }
    return true;
}

struct read_record *read_record_new(PyObject *description, const struct surroundings *around) {
    PyObject *fields;
    PyObject *way_of;
    PyObject *skipped;
    if (!HAS_FIELDS(description, NAMES_OF_RECORD) ||
        !PyArg_ParseTuple(description, "O!OO", &PyTuple_Type, &fields, &way_of, &skipped)) {
        return NULL;
    }
    if (!PyCallable_Check(way_of)) {
        PyErr_SetString(PyExc_TypeError, "the ways of a record are told by a callable");
        return NULL;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(fields);
    struct read_record *const record =
        blocks_add(&around->schema->blocks, sizeof *record + (size_t)n * sizeof *record->fields);
    if (record == NULL) {
        return NULL;
    }
    record->next = around->schema->reads; /* which release it, whole or not */
    around->schema->reads = record;
    record->n_fields = n;
    record->way_of = Py_NewRef(way_of);
    record->skipped = Py_NewRef(skipped);
    PyObject *const blank_fields = PyDict_New();
    bool is_made = blank_fields != NULL;
    for (int i = 0; is_made && i < N_CACHE_NAMES; i++) {
        record->names[i] = PyUnicode_InternFromString(TEXTS_OF_NAMES[i]);
        is_made = record->names[i] != NULL;
    }
    struct surroundings within = *around;
    within.depth++;
    within.n_calls = &record->n_calls;
    for (Py_ssize_t i = 0; is_made && i < n; i++) {
        struct read_field *const field = &record->fields[i];
        is_made = read_field_init(field, PyTuple_GET_ITEM(fields, i), &within) &&
                  PyDict_SetItem(blank_fields, field->key, Py_None) == 0;
    }
    if (is_made && PyDict_GET_SIZE(blank_fields) != n) {
        PyErr_SetString(PyExc_ValueError, "two fields of a record have one key");
        is_made = false;
    }
    if (is_made) {
        record->blank_fields = schema_add_originals(around->schema, Py_NewRef(blank_fields));
    }
    Py_XDECREF(blank_fields);
    if (record->blank_fields == NULL) {
        return NULL;
    }
    if (around->n_calls != NULL && *around->n_calls < record->n_calls) {
        *around->n_calls = record->n_calls;
    }
    return record;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* Ask for the way of a class: a new one; NULL with an exception set. */
static struct known_way *ask_way(const struct read_record *record, PyTypeObject *type,
                                 PyObject *name) {
    const unsigned version = type_version(type);
    PyObject *const answer =
        PyObject_CallFunctionObjArgs(record->way_of, (PyObject *)type, name, NULL);
    PyObject *way;
    PyObject *own_name;
    PyObject *guard;
    const bool is_good = answer != NULL && HAS_FIELDS(answer, NAMES_OF_WAY) &&
                         PyArg_ParseTuple(answer, "OO!O!", &way, &PyUnicode_Type, &own_name,
                                          &PyUnicode_Type, &guard);
    const int place = is_good ? NAME_PLACE(way, WAYS, "a step of a record has no way") : -1;
    struct known_way *known = place >= 0 ? PyMem_Calloc(1, sizeof *known) : NULL;
    if (known != NULL) {
        known->version = version == type_version(type) ? version : 0; /* it may have changed */
        known->way = (enum step_way)place;
        PyObject *const taken = PyUnicode_GET_LENGTH(own_name) != 0 ? own_name : name;
        if (!take_interned(taken, &known->name) ||
            (PyUnicode_GET_LENGTH(guard) != 0 && !take_interned(guard, &known->guard))) {
            known_way_free(known);
            known = NULL;
        }
    } else if (place >= 0) {
        PyErr_NoMemory();
    }
    Py_XDECREF(answer);
    return known;
}

/* Add a way to a list; false where there are too many already, or the class has no version. */
static bool known_ways_add(struct known_ways *ways, struct known_way *known) {
    if (known->version == 0 || __atomic_load_n(&ways->n, __ATOMIC_RELAXED) >= MAX_KNOWN_WAYS) {
        return false;
    }
    __atomic_fetch_add(&ways->n, 1, __ATOMIC_RELAXED);
    known->next = LOAD_SHARED(ways->first);
    while (!__atomic_compare_exchange_n(&ways->first, &known->next, known, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
    }
    return true;
}

/* The way of a class; NULL with an exception set. It is to be freed if it is not kept. */
static struct known_way *known_way_of(const struct read_record *record, struct known_ways *ways,
                                      PyObject *name, PyTypeObject *type, bool *is_kept) {
    const unsigned version = type_version(type);
    *is_kept = true;
    for (struct known_way *known = LOAD_SHARED(ways->first); known != NULL; known = known->next) {
        if (LIKELY(known->version == version && version != 0)) {
            return known;
        }
    }
    struct known_way *const made = ask_way(record, type, name);
    *is_kept = made != NULL && known_ways_add(ways, made);
    return made;
}

/* What an object has of its own under an interned name, a new reference; NULL, with or without an
 * exception, where it has nothing. `place` is where it was last found. */
static PyObject *stored_value(PyObject *object, PyObject *name, Py_ssize_t *place) {
    PyObject *value = object_own_value(object, name, *place);
    if (LIKELY(value != NULL)) {
        return Py_NewRef(value);
    }
    struct dict_entries entries;
    if (object_own_entries(object, &entries)) {
        for (Py_ssize_t i = 0; i < entries.n; i++) {
            value = object_own_value(object, name, i);
            if (value != NULL) {
                *place = i;
                return Py_NewRef(value);
            }
        }
    }
    return NULL;
}

/* An attribute, a new reference; NULL, without an exception, where there is none, and with any
 * other than AttributeError. */
static PyObject *optional_attribute(PyObject *object, PyObject *name) {
    PyObject *const value = PyObject_GetAttr(object, name);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    return value;
}

/* The value of a key of a dict, which is released, a new reference; NULL where there is none, with
 * or without an exception. */
static PyObject *item_of_cache(PyObject *cache, PyObject *name) {
    PyObject *const value =
        cache != NULL && PyDict_CheckExact(cache) ? dict_get(cache, name) : NULL;
    Py_XDECREF(cache);
    return value;
}

/* The object of a relation that is loaded; NULL with or without an exception. */
static PyObject *loaded_object(const struct read_record *record, PyObject *object, PyObject *name) {
    PyObject *const state = optional_attribute(object, record->names[NAME_STATE]);
    if (state == NULL) {
        return NULL;
    }
    PyObject *const cache = optional_attribute(state, record->names[NAME_FIELDS_CACHE]);
    Py_DECREF(state);
    PyObject *const value = item_of_cache(cache, name);
    if (value == Py_None) {
        Py_DECREF(value);
        return NULL;
    }
    return value;
}

/* The list of objects of a relation that is loaded; NULL with or without an exception. */
static PyObject *loaded_objects(const struct read_record *record, struct read_step *step,
                                PyObject *object, PyObject *name) {
    PyObject *const results =
        item_of_cache(optional_attribute(object, record->names[NAME_PREFETCHED]), name);
    if (results == NULL) {
        return NULL;
    }
    bool is_kept;
    struct known_way *const known =
        known_way_of(record, &step->results, record->names[NAME_ITER], Py_TYPE(results), &is_kept);
    PyObject *list = NULL;
    if (known != NULL && known->way == STEP_ATTRIBUTE) {
        list = optional_attribute(results, known->name);
        if (list != NULL && !PyList_CheckExact(list)) {
            Py_CLEAR(list);
        }
    }
    if (known != NULL && !is_kept) {
        known_way_free(known);
    }
    Py_DECREF(results);
    return list;
}

/* Whether a guard, if there is one, lets a way be used; -1 with an exception set. */
static int guard_passes(const struct known_way *known, PyObject *object) {
    if (LIKELY(known->guard == NULL)) {
        return 1;
    }
    PyObject *const value = PyObject_GetAttr(object, known->guard);
    Py_XDECREF(value);
    return value == NULL ? -1 : value != Py_None;
}

/* What is found by a way in an object, a new reference; NULL with an exception set, or without one
 * where only the library knows. */
static PyObject *take_way(const struct read_record *record, struct read_step *step,
                          const struct known_way *known, PyObject *object) {
    if (UNLIKELY(guard_passes(known, object) <= 0)) {
        return NULL;
    }
    PyObject *value = NULL;
    switch (known->way) {
    case STEP_ATTRIBUTE: return PyObject_GetAttr(object, known->name);
    case STEP_ITEM: return PyObject_GetItem(object, known->name);
    case STEP_PREFETCHED: return loaded_objects(record, step, object, known->name);
    case STEP_LIBRARY: return NULL;
    case STEP_STORED: value = stored_value(object, known->name, &step->place); break;
    case STEP_RELATION: value = loaded_object(record, object, known->name); break;
    }
    return value == NULL && !PyErr_Occurred() ? PyObject_GetAttr(object, step->name) : value;
}

/* What a step finds in an object, a new reference; NULL with an exception set, or without one where
 * only the library knows. */
static PyObject *take_step(const struct read_record *record, struct read_step *step,
                           PyObject *object) {
    bool is_kept;
    struct known_way *const known =
        known_way_of(record, &step->known, step->name, Py_TYPE(object), &is_kept);
    if (UNLIKELY(known == NULL)) {
        return NULL;
    }
    PyObject *const value = take_way(record, step, known, object);
    if (UNLIKELY(!is_kept)) {
        known_way_free(known);
    }
    return value;
}

/* ---- fields --------------------------------------------------------------------------------- */

/* The exception that is set, an Exception; NULL where there is none, or it is none. */
static PyObject *take_error(void) {
    if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_Exception)) {
        return NULL;
    }
    return raised_take();
}

/* The result of a field whose steps the library goes on with, from what the first n_steps have
 * found; NULL with an exception set. An exception that is set is told. */
static PyObject *resume(const struct read_field *field, PyObject *object, PyObject *found,
                        Py_ssize_t n_steps, struct task *task) {
    PyObject *const error = take_error();
    if (error == NULL && PyErr_Occurred()) {
        return NULL;
    }
    PyObject *const callable = calls_get(task->calls, field->resume);
    PyObject *const n = callable != NULL ? PyLong_FromSsize_t(n_steps) : NULL;
    PyObject *result = NULL;
    if (n != NULL) {
        PyObject *const arguments[] = {object, found, n, error != NULL ? error : Py_None};
        result = PyObject_Vectorcall(callable, arguments, 4, NULL);
    }
    Py_XDECREF(n);
    Py_XDECREF(error);
    return result;
}

/* The result of a field for what its steps have found, which is released. */
static PyObject *field_convert(const struct read_field *field, PyObject *found, struct task *task) {
    PyObject *result = accept_value(field->node, found, task);
    if (UNLIKELY(result == NULL) && !PyErr_Occurred()) {
        PyObject *const callable = calls_get(task->calls, field->convert);
        result = callable != NULL ? PyObject_CallOneArg(callable, found) : NULL;
    }
    Py_DECREF(found);
    return result;
}

/* The result of a field, a new reference; NULL with an exception set. */
static PyObject *read_field(const struct read_record *record, const struct read_field *field,
                            PyObject *object, struct task *task) {
    PyObject *found = Py_NewRef(object);
    for (Py_ssize_t i = 0; i < field->n_steps; i++) {
        PyObject *const next = take_step(record, &field->steps[i], found);
        const bool is_found = next != NULL;
        if (UNLIKELY(!is_found || Py_TYPE(next)->tp_call != NULL)) {
            PyObject *const result =
                resume(field, object, is_found ? next : found, is_found ? i + 1 : i, task);
            Py_XDECREF(next);
            Py_DECREF(found);
            return result;
        }
        Py_DECREF(found);
        found = next;
    }
    return field_convert(field, found, task);
}

PyObject *read_record_single(struct read_record *record, PyObject *object, struct task *task) {
    return read_field(record, &record->fields[0], object, task);
}

/* Most records have no more fields. */
#define FEW_FIELDS 32

/* A dict with the results that are not skipped, which are stolen; NULL with an exception set. */
static PyObject *dict_of_results(const struct read_record *record, PyObject **results) {
    bool has_every = true;
    bool has_container = false;
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        has_every &= results[i] != record->skipped;
        has_container |= PyObject_IS_GC(results[i]);
    }
    PyObject *dict = has_every ? PyDict_Copy(thread_original(record->blank_fields)) : PyDict_New();
    if (dict != NULL && has_every) {
        dict_set_values(dict, results, (size_t)record->n_fields);
        if (has_container) {
            dict_track(dict);
        }
        return dict;
    }
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        if (dict != NULL && results[i] != record->skipped &&
            PyDict_SetItem(dict, record->fields[i].key, results[i]) != 0) {
            Py_CLEAR(dict);
        }
    }
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        Py_DECREF(results[i]);
    }
    return dict;
}

PyObject *read_record_make(struct read_record *record, PyObject *object, struct task *task) {
    PyObject *few[FEW_FIELDS];
    PyObject **results = few;
    if (UNLIKELY(record->n_fields > FEW_FIELDS)) {
        results = PyMem_Malloc((size_t)record->n_fields * sizeof *results);
        if (results == NULL) {
            return PyErr_NoMemory();
        }
    }
    Py_ssize_t n = 0;
    while (n < record->n_fields) {
        results[n] = read_field(record, &record->fields[n], object, task);
        if (UNLIKELY(results[n] == NULL)) {
            break;
        }
        n++;
    }
    PyObject *made = NULL;
    if (LIKELY(n == record->n_fields)) {
        made = dict_of_results(record, results);
    } else {
        while (n > 0) {
            Py_DECREF(results[--n]);
        }
    }
    if (UNLIKELY(results != few)) {
        PyMem_Free(results);
    }
    return made;
}
