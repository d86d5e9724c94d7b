/* SPDX-License-Identifier: MIT */
#include "schema/acceptance.h"

#include <datetime.h>
#include <math.h>

#include "encode/model/rule.h"
#include "pyobject/dict_template.h"
#include "pyobject/type.h"
#include "schema/record.h"

/* In the order of enum acceptance_check. */
static const char *const ACCEPTED_NAMES[] = {
    "type",      "int",       "float",  "text",           "among",   "plain",
    "real",      "call",      "date",   "datetime",       "uuid",    "bare",
    "trimmed",   "whole",     "mapped", "mapped_or_same", "decimal", "decimal_text",
    "quantized", "iso",       "iso_z",  "uuid_text",      "read",    "read_single",
    "load",      "functions", "items",  "places",         "values",  "model",
    "tagged"};

_Static_assert(sizeof ACCEPTED_NAMES / sizeof *ACCEPTED_NAMES == ACCEPTED_TAGGED + 1,
               "each check has a name");

static const char *const SLOT_NAMES[] = {"__pydantic_extra__", "__pydantic_fields_set__",
                                         "__pydantic_private__"};

/* ---- compiling ----------------------------------------------------------------------------- */

static void accepted_model_free(struct accepted_model *model) {
    if (model == NULL) {
        return;
    }
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        struct accepted_field *const field = &model->fields[i];
        Py_XDECREF(field->name);
        Py_XDECREF(field->key);
        Py_XDECREF(field->other_key);
        Py_XDECREF(field->output);
        Py_XDECREF(field->absent);
        Py_XDECREF(field->factory);
        Py_XDECREF(field->left_out);
        acceptance_free(field->acceptance);
    }
    Py_XDECREF(model->before);
    Py_XDECREF(model->way_of);
    thread_originals_free(model->all_names);
    Py_XDECREF(model->text_template);
    thread_originals_free(model->blank_fields);
    Py_XDECREF(model->type);
    PyMem_Free(model);
}

static void choices_free(struct choices *choices) {
    if (choices == NULL) {
        return;
    }
    for (Py_ssize_t i = 0; i < choices->n; i++) {
        acceptance_free(choices->at[i]);
    }
    Py_XDECREF(choices->tag_key);
    Py_XDECREF(choices->places);
    PyMem_Free(choices);
}

/* The recursion is as deep as the description: at most ACCEPTANCE_MAX_DEPTH. */
void acceptance_free(struct acceptance *acceptance) {
    if (acceptance == NULL) {
        return;
    }
    for (Py_ssize_t i = 0; i < acceptance->n; i++) {
        struct accepted *const accepted = &acceptance->alternatives[i];
        Py_XDECREF(accepted->type);
        thread_originals_free(accepted->among);
        Py_XDECREF(accepted->validator);
        Py_XDECREF(accepted->before);
        Py_XDECREF(accepted->after);
        text_validator_free(accepted->text);
        acceptance_free(accepted->inner);
        if (!accepted->is_enclosing) {
            accepted_model_free(accepted->model);
        }
        choices_free(accepted->choices);
        Py_XDECREF(accepted->mapping);
        Py_XDECREF(accepted->zone);
        Py_XDECREF(accepted->utcoffset);
        Py_XDECREF(accepted->fromutc);
        Py_XDECREF(accepted->decimal_type);
        read_record_free(accepted->reads);
        load_record_free(accepted->loads);
    }
    PyMem_Free(acceptance);
}

static int accepted_model_traverse(const struct accepted_model *model, visitproc visit, void *arg) {
    Py_VISIT(model->type);
    Py_VISIT(model->before);
    Py_VISIT(model->way_of);
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        Py_VISIT(model->fields[i].absent);
        Py_VISIT(model->fields[i].factory);
        Py_VISIT(model->fields[i].left_out);
        const int of_field = acceptance_traverse(model->fields[i].acceptance, visit, arg);
        if (of_field != 0) {
            return of_field;
        }
    }
    return 0;
}

static int accepted_traverse(const struct accepted *accepted, visitproc visit, void *arg) {
    Py_VISIT(accepted->type);
    Py_VISIT(accepted->validator);
    Py_VISIT(accepted->before);
    Py_VISIT(accepted->after);
    Py_VISIT(accepted->mapping);
    Py_VISIT(accepted->zone);
    int answer = read_record_traverse(accepted->reads, visit, arg);
    if (answer == 0) {
        answer = load_record_traverse(accepted->loads, visit, arg);
    }
    if (answer == 0) {
        answer = text_validator_traverse(accepted->text, visit, arg);
    }
    if (answer == 0) {
        answer = acceptance_traverse(accepted->inner, visit, arg);
    }
    if (answer == 0 && accepted->model != NULL && !accepted->is_enclosing) {
        answer = accepted_model_traverse(accepted->model, visit, arg);
    }
    const Py_ssize_t n_choices = accepted->choices != NULL ? accepted->choices->n : 0;
    for (Py_ssize_t i = 0; answer == 0 && i < n_choices; i++) {
        answer = acceptance_traverse(accepted->choices->at[i], visit, arg);
    }
    return answer;
}

int acceptance_traverse(const struct acceptance *acceptance, visitproc visit, void *arg) {
    for (Py_ssize_t i = 0; acceptance != NULL && i < acceptance->n; i++) {
        const int answer = accepted_traverse(&acceptance->alternatives[i], visit, arg);
        if (answer != 0) {
            return answer;
        }
    }
    return 0;
}

/* The fields of the named tuples of ssrjson_web/_models/acceptance.py, in their order. */
static const char *const NAMES_OF_FIELD[] = {"name",       "key",     "other_key", "output",
                                             "acceptance", "default", "factory",   "left_out"};
static const char *const NAMES_OF_MODEL[] = {
    "cls", "fields", "forbids_extra", "exclude_unset", "exclude_none", "way_of", "before"};
static const char *const NAMES_OF_ACCEPTED[] = {
    "exact_type", "check",  "least",  "greatest", "among", "validator",
    "inner",      "places", "tags",   "tag_key",  "model", "enclosing",
    "mapping",    "zone",   "record", "before",   "after"};

/* A tuple of callables, which may be empty; NULL with TypeError set. */
static PyObject *take_functions(PyObject *functions) {
    bool suits = PyTuple_CheckExact(functions);
    for (Py_ssize_t i = 0; suits && i < PyTuple_GET_SIZE(functions); i++) {
        suits = PyCallable_Check(PyTuple_GET_ITEM(functions, i));
    }
    if (!suits) {
        PyErr_SetString(PyExc_TypeError, "functions are a tuple of callables");
        return NULL;
    }
    return Py_NewRef(functions);
}

/* A str, or None for NULL; false with TypeError set. */
static bool take_name(PyObject *object, bool may_be_none, PyObject **name) {
    if (object == Py_None && may_be_none) {
        return true;
    }
    if (!PyUnicode_CheckExact(object)) {
        PyErr_SetString(PyExc_TypeError, "the names of an accepted field are strs, of no subclass");
        return false;
    }
    *name = Py_NewRef(object);
    return true;
}

/* Fill in from an AcceptedField; false with an exception set. */
static bool accepted_field_init(struct accepted_field *field, PyObject *description,
                                const struct surroundings *around) {
    PyObject *name;
    PyObject *key;
    PyObject *other_key;
    PyObject *output;
    PyObject *acceptance;
    PyObject *defaults;
    PyObject *factory;
    PyObject *left_out;
    if (!HAS_FIELDS(description, NAMES_OF_FIELD) ||
        !PyArg_ParseTuple(description, "OOOOOO!OO!", &name, &key, &other_key, &output, &acceptance,
                          &PyTuple_Type, &defaults, &factory, &PyTuple_Type, &left_out) ||
        !take_name(name, false, &field->name) || !take_name(key, false, &field->key) ||
        !take_name(other_key, true, &field->other_key) ||
        !take_name(output, true, &field->output) ||
        !acceptance_new_at(acceptance, around, &field->acceptance)) {
        return false;
    }
    PyUnicode_InternInPlace(&field->name);
    if (PyTuple_GET_SIZE(defaults) != 0) {
        field->absent = Py_NewRef(PyTuple_GET_ITEM(defaults, 0));
    }
    if (PyTuple_GET_SIZE(left_out) != 0) {
        field->left_out = Py_NewRef(PyTuple_GET_ITEM(left_out, 0));
    }
    return take_callable(factory, &field->factory);
}

/* Make what dicts are made of; false with an exception set. */
static bool accepted_model_init_dicts(struct accepted_model *model) {
    PyObject **const keys = PyMem_Calloc((size_t)model->n_fields + 1, sizeof *keys);
    if (keys == NULL) {
        PyErr_NoMemory();
        return false;
    }
    PyObject *const written = PyDict_New();
    PyObject *const blank_fields = PyDict_New();
    bool is_made = written != NULL && blank_fields != NULL;
    for (Py_ssize_t i = 0; is_made && i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        if (field->output != NULL) {
            keys[model->n_written++] = field->output;
        }
        is_made = (field->output == NULL || PyDict_SetItem(written, field->output, Py_None) == 0) &&
                  PyDict_SetItem(blank_fields, field->name, Py_None) == 0;
    }
    if (is_made && PyDict_GET_SIZE(blank_fields) != model->n_fields) {
        PyErr_SetString(PyExc_ValueError, "two accepted fields have one name");
        is_made = false;
    }
    if (is_made && model->n_written != 0 && PyDict_GET_SIZE(written) == model->n_written) {
        model->text_template = dict_template_new(keys, (size_t)model->n_written);
        is_made = model->text_template != NULL;
    }
    Py_XDECREF(written);
    PyMem_Free(keys);
    if (is_made) {
        model->all_names = thread_originals_new(PyFrozenSet_New(blank_fields));
        model->blank_fields = thread_originals_new(Py_NewRef(blank_fields));
    }
    Py_XDECREF(blank_fields);
    return model->all_names != NULL && model->blank_fields != NULL;
}

/* Make from an AcceptedModel; NULL with an exception set. */
static struct accepted_model *accepted_model_new(PyObject *description,
                                                 const struct surroundings *around) {
    PyObject *type;
    PyObject *fields;
    int forbids_extra;
    int leaves_out_unset;
    int leaves_out_none;
    PyObject *way_of;
    PyObject *before;
    if (!HAS_FIELDS(description, NAMES_OF_MODEL) ||
        !PyArg_ParseTuple(description, "O!O!pppOO", &PyType_Type, &type, &PyTuple_Type, &fields,
                          &forbids_extra, &leaves_out_unset, &leaves_out_none, &way_of, &before)) {
        return NULL;
    }
    before = take_functions(before);
    if (before == NULL) {
        return NULL;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(fields);
    struct accepted_model *const model =
        PyMem_Calloc(1, sizeof *model + (size_t)n * sizeof *model->fields);
    if (model == NULL) {
        Py_DECREF(before);
        PyErr_NoMemory();
        return NULL;
    }
    if (PyTuple_GET_SIZE(before) != 0) {
        model->before = Py_NewRef(before);
    }
    Py_DECREF(before);
    model->type = (PyTypeObject *)Py_NewRef(type);
    model->forbids_extra = forbids_extra != 0;
    model->leaves_out_unset = leaves_out_unset != 0;
    model->leaves_out_none = leaves_out_none != 0;
    model->n_fields = n;
    model->is_written_in_full = true;
    const struct surroundings within = {
        .depth = around->depth + 1, .model = model, .outer = around, .n_calls = around->n_calls};
    bool is_made = take_callable(way_of, &model->way_of);
    for (Py_ssize_t i = 0; is_made && i < n; i++) {
        struct accepted_field *const field = &model->fields[i];
        is_made = accepted_field_init(field, PyTuple_GET_ITEM(fields, i), &within);
        if (!is_made) {
            break;
        }
        model->leaves_out_values |= field->left_out != NULL;
        model->is_written_in_full &= field->left_out == NULL && field->output != NULL &&
                                     names_are_equal(field->output, field->key);
    }
    for (int i = 0; is_made && i < N_MODEL_SLOTS; i++) { /* a look-up may clear an exception */
        model->slots[i] = type_slot_named(model->type, SLOT_NAMES[i]);
    }
    if (!is_made || !accepted_model_init_dicts(model)) {
        accepted_model_free(model);
        return NULL;
    }
    return model;
}

static bool find_check(PyObject *name, enum acceptance_check *check) {
    const int place = NAME_PLACE(name, ACCEPTED_NAMES, "an acceptance has no check");
    *check = (enum acceptance_check)place;
    return place >= 0;
}

/* Whether a check can be applied to objects of a type. */
static bool check_suits(enum acceptance_check check, const PyTypeObject *type) {
    switch (check) {
    case ACCEPTED_TYPE:
    case ACCEPTED_CALL: return true;
    case ACCEPTED_REAL:
    case ACCEPTED_INT: return type == &PyLong_Type;
    case ACCEPTED_FLOAT: return type == &PyFloat_Type;
    case ACCEPTED_DATE:
    case ACCEPTED_DATETIME:
    case ACCEPTED_UUID:
    case ACCEPTED_BARE:
    case ACCEPTED_TRIMMED:
    case ACCEPTED_WHOLE:
    case ACCEPTED_TEXT: return type == &PyUnicode_Type;
    case ACCEPTED_AMONG:
        return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBool_Type;
    case ACCEPTED_MAPPED:
    case ACCEPTED_MAPPED_OR_SAME:
        return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBool_Type;
    case ACCEPTED_DECIMAL:
        return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyFloat_Type;
    case ACCEPTED_DECIMAL_TEXT:
    case ACCEPTED_QUANTIZED:
    case ACCEPTED_ISO:
    case ACCEPTED_ISO_Z:
    case ACCEPTED_UUID_TEXT: /* see accepted_init_decimal, _moment */
    case ACCEPTED_READ:
    case ACCEPTED_READ_SINGLE:
    case ACCEPTED_FUNCTIONS: return true;
    case ACCEPTED_LOAD: return type == &PyDict_Type || type == &PyList_Type;
    case ACCEPTED_PLAIN: return type == &PyList_Type || type == &PyDict_Type;
    case ACCEPTED_ITEMS:
    case ACCEPTED_PLACES: return type == &PyList_Type || type == &PyTuple_Type;
    case ACCEPTED_VALUES:
    case ACCEPTED_MODEL:
    case ACCEPTED_TAGGED: return type == &PyDict_Type;
    }
    return false;
}

/* Whether a validator may be called. */
static bool check_calls(enum acceptance_check check) {
    return check >= ACCEPTED_CALL && check <= ACCEPTED_BARE;
}

static bool check_maps(enum acceptance_check check) {
    return check == ACCEPTED_MAPPED || check == ACCEPTED_MAPPED_OR_SAME;
}

/* Fill in a bound, in both places that it may be read from; false with an exception set. */
static bool take_bound(PyObject *bound, bool is_float, long long *of_ints, double *of_floats) {
    if (bound == Py_None) {
        return true;
    }
    if (is_float) {
        *of_floats = PyFloat_AsDouble(bound);
    } else {
        *of_ints = PyLong_AsLongLong(bound);
    }
    return PyErr_Occurred() == NULL;
}

/* The bounds of a check; None leaves the one that every value is within. False with an exception
 * set. */
static bool accepted_init_bounds(struct accepted *accepted, PyObject *least, PyObject *greatest) {
    const bool is_float = accepted->check == ACCEPTED_FLOAT || accepted->check == ACCEPTED_REAL;
    accepted->least_int = LLONG_MIN;
    accepted->greatest_int = LLONG_MAX;
    accepted->least_float = -HUGE_VAL;
    accepted->greatest_float = HUGE_VAL;
    return take_bound(least, is_float, &accepted->least_int, &accepted->least_float) &&
           take_bound(greatest, is_float, &accepted->greatest_int, &accepted->greatest_float);
}

static struct choices *choices_new(Py_ssize_t n) {
    struct choices *const made =
        PyMem_Calloc(1, sizeof *made + (size_t)n * sizeof(struct acceptance *));
    if (made == NULL) {
        PyErr_NoMemory();
    }
    return made;
}

/* Add what the next place is accepted by; false with an exception set. */
static bool choices_add(struct choices *choices, PyObject *description,
                        const struct surroundings *around) {
    const bool is_made = acceptance_new_at(description, around, &choices->at[choices->n]);
    choices->n += is_made;
    return is_made;
}

/* Make from a tuple of acceptances, one for each place; NULL with an exception set. */
static struct choices *choices_by_place(PyObject *choices, const struct surroundings *around) {
    if (!PyTuple_CheckExact(choices)) {
        PyErr_SetString(PyExc_TypeError, "the acceptances of places are a tuple");
        return NULL;
    }
    struct choices *const made = choices_new(PyTuple_GET_SIZE(choices));
    for (Py_ssize_t i = 0; made != NULL && i < PyTuple_GET_SIZE(choices); i++) {
        if (!choices_add(made, PyTuple_GET_ITEM(choices, i), around)) {
            choices_free(made);
            return NULL;
        }
    }
    return made;
}

/* Make from the key and a dict of acceptances by tag; NULL with an exception set. */
static struct choices *choices_by_tag(PyObject *key, PyObject *choices,
                                      const struct surroundings *around) {
    if (!PyUnicode_CheckExact(key) || !PyDict_CheckExact(choices)) {
        PyErr_SetString(PyExc_TypeError, "tags have a key, which is a str, and a dict of choices");
        return NULL;
    }
    /* a copy: code of a value that is converted may change the dict */
    choices = PyDict_Copy(choices);
    struct choices *const made = choices != NULL ? choices_new(PyDict_GET_SIZE(choices)) : NULL;
    if (made == NULL) {
        Py_XDECREF(choices);
        return NULL;
    }
    made->tag_key = Py_NewRef(key);
    made->places = PyDict_New();
    bool is_made = made->places != NULL;
    Py_ssize_t position = 0;
    PyObject *tag;
    PyObject *choice;
    while (is_made && PyDict_Next(choices, &position, &tag, &choice)) {
        if (!PyUnicode_CheckExact(tag)) {
            PyErr_SetString(PyExc_TypeError, "tags are strs");
            is_made = false;
            break;
        }
        PyObject *const place = PyLong_FromSsize_t(made->n);
        is_made = place != NULL && PyDict_SetItem(made->places, tag, place) == 0 &&
                  choices_add(made, choice, around);
        Py_XDECREF(place);
    }
    Py_DECREF(choices);
    if (!is_made) {
        choices_free(made);
        return NULL;
    }
    return made;
}

/* An enclosing model by its number: 1 is the innermost. NULL with ValueError set. */
static struct accepted_model *enclosing_model(PyObject *number, const struct surroundings *around) {
    const Py_ssize_t n = PyLong_AsSsize_t(number);
    for (Py_ssize_t i = 1; i < n && around->outer != NULL; i++) {
        around = around->outer;
    }
    if (n < 1 || around->model == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "an acceptance is not within %R models", number);
        return NULL;
    }
    return around->model;
}

/* The type `Decimal`, a new reference; NULL with an exception set. */
static PyObject *decimal_type(void) {
    PyObject *const module = PyImport_ImportModule("decimal");
    PyObject *const type = module != NULL ? PyObject_GetAttrString(module, "Decimal") : NULL;
    Py_XDECREF(module);
    return type;
}

/* Whether values of a type have a text, which `suits` tells; false with an exception set. */
static bool has_text(const struct accepted *accepted, bool suits) {
    if (!suits && !PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "%R has no such text", accepted->type);
    }
    return !PyErr_Occurred();
}

/* Note what Decimals and their texts are made with; false with an exception set. */
static bool accepted_init_decimal(struct accepted *accepted) {
    accepted->decimal_type = decimal_type();
    accepted->is_decimal_known = accepted->decimal_type != NULL &&
                                 PyType_Check(accepted->decimal_type) &&
                                 layout_of_decimal_holds((PyTypeObject *)accepted->decimal_type);
    const bool suits =
        accepted->greatest_int >= 0 && (accepted->check == ACCEPTED_DECIMAL
                                            ? accepted->least_int >= 0
                                            : (PyObject *)accepted->type == accepted->decimal_type);
    return has_text(accepted, suits);
}

/* Note what texts of dates and times are made with; false with an exception set. */
static bool accepted_init_moment(struct accepted *accepted) {
    const PyDateTime_CAPI *const api = PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0);
    if (api == NULL) {
        return false;
    }
    accepted->datetime_api = api;
    accepted->utcoffset = PyUnicode_InternFromString("utcoffset");
    accepted->fromutc = accepted->utcoffset != NULL ? PyUnicode_InternFromString("fromutc") : NULL;
    const bool suits = accepted->fromutc != NULL &&
                       (accepted->type == api->DateTimeType ||
                        (accepted->check == ACCEPTED_ISO &&
                         (accepted->type == api->DateType || accepted->type == api->TimeType)));
    return has_text(accepted, suits);
}

/* Compile the record of a check; false with an exception set. */
static bool accepted_init_record(struct accepted *accepted, PyObject *record,
                                 const struct surroundings *around) {
    if (around->n_calls == NULL) {
        PyErr_SetString(PyExc_TypeError, "only a record has records within");
        return false;
    }
    if (accepted->check == ACCEPTED_LOAD) {
        accepted->loads = load_record_new(record, around);
        return accepted->loads != NULL;
    }
    accepted->reads = read_record_new(record, around);
    if (accepted->reads != NULL && accepted->check == ACCEPTED_READ_SINGLE &&
        accepted->reads->n_fields != 1) {
        PyErr_SetString(PyExc_ValueError, "a record has more than its only field");
        return false;
    }
    return accepted->reads != NULL;
}

/* Fill in from an Accepted; false with an exception set. */
static bool accepted_init(struct accepted *accepted, PyObject *description,
                          const struct surroundings *around) {
    PyObject *type;
    PyObject *check;
    PyObject *least;
    PyObject *greatest;
    PyObject *among;
    PyObject *validator;
    PyObject *inner;
    PyObject *places;
    PyObject *tags;
    PyObject *tag_key;
    PyObject *model;
    PyObject *enclosing;
    PyObject *mapping;
    PyObject *zone;
    PyObject *record;
    PyObject *before;
    PyObject *after;
    if (!HAS_FIELDS(description, NAMES_OF_ACCEPTED) ||
        !PyArg_ParseTuple(description, "O!OOOOOOOOOOOOOOOO", &PyType_Type, &type, &check, &least,
                          &greatest, &among, &validator, &inner, &places, &tags, &tag_key, &model,
                          &enclosing, &mapping, &zone, &record, &before, &after) ||
        !find_check(check, &accepted->check) || !accepted_init_bounds(accepted, least, greatest)) {
        return false;
    }
    if (!check_suits(accepted->check, (PyTypeObject *)type) ||
        (accepted->check == ACCEPTED_AMONG && among == Py_None) ||
        (check_maps(accepted->check) && !PyDict_CheckExact(mapping)) ||
        (among != Py_None && !(PyFrozenSet_CheckExact(among) && set_is_plain(among))) ||
        (check_calls(accepted->check) && !PyCallable_Check(validator))) {
        PyErr_SetString(PyExc_TypeError, "an accepted type lacks what it is checked by");
        return false;
    }
    if (around->depth >= ACCEPTANCE_MAX_DEPTH) {
        PyErr_Format(PyExc_ValueError, "an acceptance is nested deeper than %d",
                     ACCEPTANCE_MAX_DEPTH);
        return false;
    }
    if (among != Py_None) {
        accepted->among = thread_originals_new(Py_NewRef(among));
        if (accepted->among == NULL) {
            return false;
        }
    }
    accepted->type = (PyTypeObject *)Py_NewRef(type);
    const struct surroundings deeper = {.depth = around->depth + 1,
                                        .model = around->model,
                                        .outer = around->outer,
                                        .n_calls = around->n_calls};
    switch (accepted->check) {
    case ACCEPTED_TYPE:
    case ACCEPTED_INT:
    case ACCEPTED_FLOAT:
    case ACCEPTED_TEXT:
    case ACCEPTED_AMONG:
    case ACCEPTED_PLAIN:
    case ACCEPTED_REAL: break;
    case ACCEPTED_CALL:
    case ACCEPTED_BARE: accepted->validator = Py_NewRef(validator); break;
    case ACCEPTED_DATE: accepted->text = text_validator_new(TEXT_OF_DATE, validator); break;
    case ACCEPTED_DATETIME: accepted->text = text_validator_new(TEXT_OF_DATETIME, validator); break;
    case ACCEPTED_UUID: accepted->text = text_validator_new(TEXT_OF_UUID, validator); break;
    case ACCEPTED_TRIMMED:
    case ACCEPTED_WHOLE: return take_callable(validator, &accepted->validator);
    case ACCEPTED_MAPPED:
    case ACCEPTED_MAPPED_OR_SAME: accepted->mapping = Py_NewRef(mapping); break;
    case ACCEPTED_DECIMAL:
        return take_callable(validator, &accepted->validator) && accepted_init_decimal(accepted);
    case ACCEPTED_DECIMAL_TEXT:
    case ACCEPTED_QUANTIZED: return accepted_init_decimal(accepted);
    case ACCEPTED_ISO_Z:
        accepted->zone = zone != Py_None ? Py_NewRef(zone) : NULL;
        return accepted_init_moment(accepted);
    case ACCEPTED_ISO: return accepted_init_moment(accepted);
    case ACCEPTED_UUID_TEXT: accepted->number_slot = type_slot_named(accepted->type, "int"); break;
    case ACCEPTED_READ:
    case ACCEPTED_READ_SINGLE:
    case ACCEPTED_LOAD: return accepted_init_record(accepted, record, &deeper);
    case ACCEPTED_FUNCTIONS:
        accepted->before = take_functions(before);
        accepted->after = accepted->before != NULL ? take_functions(after) : NULL;
        return accepted->after != NULL && acceptance_new_at(inner, &deeper, &accepted->inner);
    case ACCEPTED_ITEMS:
    case ACCEPTED_VALUES: return acceptance_new_at(inner, &deeper, &accepted->inner);
    case ACCEPTED_MODEL:
        accepted->is_enclosing = model == Py_None;
        accepted->model = accepted->is_enclosing ? enclosing_model(enclosing, around)
                                                 : accepted_model_new(model, around);
        return accepted->model != NULL;
    case ACCEPTED_PLACES:
        accepted->choices = choices_by_place(places, &deeper);
        return accepted->choices != NULL;
    case ACCEPTED_TAGGED:
        accepted->choices = choices_by_tag(tag_key, tags, &deeper);
        return accepted->choices != NULL;
    }
    return PyErr_Occurred() == NULL;
}

bool acceptance_new_at(PyObject *description, const struct surroundings *around,
                       struct acceptance **acceptance) {
    *acceptance = NULL;
    if (description == Py_None) {
        return true;
    }
    if (!PyTuple_Check(description)) {
        PyErr_SetString(PyExc_TypeError, "an acceptance is a tuple or None");
        return false;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(description);
    struct acceptance *const made =
        PyMem_Calloc(1, sizeof *made + (size_t)n * sizeof *made->alternatives);
    if (made == NULL) {
        PyErr_NoMemory();
        return false;
    }
    made->n = n;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!accepted_init(&made->alternatives[i], PyTuple_GET_ITEM(description, i), around)) {
            acceptance_free(made);
            return false;
        }
        const struct accepted *const one = &made->alternatives[i];
        if (one->type == &PyBaseObject_Type &&
            (one->reads != NULL || one->check == ACCEPTED_FUNCTIONS ||
             one->check == ACCEPTED_TYPE)) {
            made->of_any = &made->alternatives[i];
        }
        struct accepted_model *const model = made->alternatives[i].model;
        if (model != NULL && model->way_of != NULL) {
            made->of_objects = model;
        }
    }
    *acceptance = made;
    return true;
}

bool acceptance_new(PyObject *description, struct acceptance **acceptance) {
    const struct surroundings nothing = {.depth = 0};
    return acceptance_new_at(description, &nothing, acceptance);
}
