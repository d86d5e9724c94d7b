/* SPDX-License-Identifier: MIT */
#include "encode/model/acceptance.h"

#include <math.h>

#include "encode/model/description.h"
#include "pyobject/dict_template.h"
#include "pyobject/type.h"

/* In the order of enum acceptance_check. */
static const char *const ACCEPTED_NAMES[] = {"type",  "int",   "float",  "text", "among",
                                             "plain", "real",  "call",   "date", "datetime",
                                             "uuid",  "items", "values", "model"};

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
        acceptance_free(field->acceptance);
    }
    Py_XDECREF(model->way_of);
    Py_XDECREF(model->all_names);
    Py_XDECREF(model->text_template);
    Py_XDECREF(model->blank_fields);
    Py_XDECREF(model->type);
    PyMem_Free(model);
}

/* The recursion is as deep as the description: at most ACCEPTANCE_MAX_DEPTH. */
void acceptance_free(struct acceptance *acceptance) {
    if (acceptance == NULL) {
        return;
    }
    for (Py_ssize_t i = 0; i < acceptance->n; i++) {
        struct accepted *const accepted = &acceptance->alternatives[i];
        Py_XDECREF(accepted->type);
        Py_XDECREF(accepted->known);
        text_validator_free(accepted->text);
        acceptance_free(accepted->inner);
        accepted_model_free(accepted->model);
    }
    PyMem_Free(acceptance);
}

int acceptance_traverse(const struct acceptance *acceptance, visitproc visit, void *arg) {
    for (Py_ssize_t i = 0; acceptance != NULL && i < acceptance->n; i++) {
        const struct accepted *const accepted = &acceptance->alternatives[i];
        Py_VISIT(accepted->type);
        Py_VISIT(accepted->known);
        const int of_text = text_validator_traverse(accepted->text, visit, arg);
        if (of_text != 0) {
            return of_text;
        }
        const int of_inner = acceptance_traverse(accepted->inner, visit, arg);
        if (of_inner != 0) {
            return of_inner;
        }
        const struct accepted_model *const model = accepted->model;
        if (model != NULL) {
            Py_VISIT(model->type);
            Py_VISIT(model->way_of);
        }
        for (Py_ssize_t k = 0; model != NULL && k < model->n_fields; k++) {
            Py_VISIT(model->fields[k].absent);
            Py_VISIT(model->fields[k].factory);
            const int of_field = acceptance_traverse(model->fields[k].acceptance, visit, arg);
            if (of_field != 0) {
                return of_field;
            }
        }
    }
    return 0;
}

static bool acceptance_new_at(PyObject *description, int depth, struct acceptance **acceptance);

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

/* Fill in from (name, key, other_key, output, acceptance, default, factory); false with an
 * exception set. */
static bool accepted_field_init(struct accepted_field *field, PyObject *description, int depth) {
    PyObject *name;
    PyObject *key;
    PyObject *other_key;
    PyObject *output;
    PyObject *acceptance;
    PyObject *defaults;
    PyObject *factory;
    if (!PyTuple_Check(description)) {
        PyErr_SetString(PyExc_TypeError, "an accepted field is a tuple");
        return false;
    }
    if (!PyArg_ParseTuple(description, "OOOOOO!O", &name, &key, &other_key, &output, &acceptance,
                          &PyTuple_Type, &defaults, &factory) ||
        !take_name(name, false, &field->name) || !take_name(key, false, &field->key) ||
        !take_name(other_key, true, &field->other_key) ||
        !take_name(output, true, &field->output) ||
        !acceptance_new_at(acceptance, depth, &field->acceptance)) {
        return false;
    }
    PyUnicode_InternInPlace(&field->name);
    if (PyTuple_GET_SIZE(defaults) != 0) {
        field->absent = Py_NewRef(PyTuple_GET_ITEM(defaults, 0));
    }
    if (factory != Py_None) {
        field->factory = Py_NewRef(factory);
    }
    return true;
}

/* Make what dicts are made of; false with an exception set. */
static bool accepted_model_init_dicts(struct accepted_model *model) {
    PyObject **const keys = PyMem_Calloc((size_t)model->n_fields + 1, sizeof *keys);
    if (keys == NULL) {
        PyErr_NoMemory();
        return false;
    }
    PyObject *const written = PyDict_New();
    model->blank_fields = PyDict_New();
    bool is_made = written != NULL && model->blank_fields != NULL;
    for (Py_ssize_t i = 0; is_made && i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        if (field->output != NULL) {
            keys[model->n_written++] = field->output;
        }
        is_made = (field->output == NULL || PyDict_SetItem(written, field->output, Py_None) == 0) &&
                  PyDict_SetItem(model->blank_fields, field->name, Py_None) == 0;
    }
    if (is_made && PyDict_GET_SIZE(model->blank_fields) != model->n_fields) {
        PyErr_SetString(PyExc_ValueError, "two accepted fields have one name");
        is_made = false;
    }
    if (is_made && model->n_written != 0 && PyDict_GET_SIZE(written) == model->n_written) {
        model->text_template = dict_template_new(keys, (size_t)model->n_written);
        is_made = model->text_template != NULL;
    }
    Py_XDECREF(written);
    PyMem_Free(keys);
    model->all_names = is_made ? PyFrozenSet_New(model->blank_fields) : NULL;
    return model->all_names != NULL;
}

/* Make from (type, fields, forbids_extra, leaves_out_unset, leaves_out_none, way_of); NULL with an
 * exception set. */
static struct accepted_model *accepted_model_new(PyObject *description, int depth) {
    PyObject *type;
    PyObject *fields;
    int forbids_extra;
    int leaves_out_unset;
    int leaves_out_none;
    PyObject *way_of;
    if (!PyTuple_Check(description)) {
        PyErr_SetString(PyExc_TypeError, "an accepted model is a tuple");
        return NULL;
    }
    if (!PyArg_ParseTuple(description, "O!O!pppO", &PyType_Type, &type, &PyTuple_Type, &fields,
                          &forbids_extra, &leaves_out_unset, &leaves_out_none, &way_of)) {
        return NULL;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(fields);
    struct accepted_model *const model =
        PyMem_Calloc(1, sizeof *model + (size_t)n * sizeof *model->fields);
    if (model == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    model->type = (PyTypeObject *)Py_NewRef(type);
    model->way_of = way_of != Py_None ? Py_NewRef(way_of) : NULL;
    model->forbids_extra = forbids_extra != 0;
    model->leaves_out_unset = leaves_out_unset != 0;
    model->leaves_out_none = leaves_out_none != 0;
    model->n_fields = n;
    model->is_written_in_full = true;
    for (Py_ssize_t i = 0; i < n; i++) {
        struct accepted_field *const field = &model->fields[i];
        if (!accepted_field_init(field, PyTuple_GET_ITEM(fields, i), depth)) {
            accepted_model_free(model);
            return NULL;
        }
        model->is_written_in_full &=
            field->output != NULL && names_are_equal(field->output, field->key);
    }
    for (int i = 0; i < N_MODEL_SLOTS; i++) {
        model->slots[i] = type_slot_named(model->type, SLOT_NAMES[i]);
    }
    if (!accepted_model_init_dicts(model)) {
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
    case ACCEPTED_TEXT: return type == &PyUnicode_Type;
    case ACCEPTED_AMONG:
        return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBool_Type;
    case ACCEPTED_PLAIN: return type == &PyList_Type || type == &PyDict_Type;
    case ACCEPTED_ITEMS: return type == &PyList_Type;
    case ACCEPTED_VALUES:
    case ACCEPTED_MODEL: return type == &PyDict_Type;
    }
    return false;
}

/* Whether a validator may be called. */
static bool check_calls(enum acceptance_check check) {
    return check >= ACCEPTED_CALL && check <= ACCEPTED_UUID;
}

/* The bounds of a check; None leaves the one that every value is within. False with an exception
 * set. */
static bool accepted_init_bounds(struct accepted *accepted, PyObject *least, PyObject *greatest) {
    accepted->least_int = LLONG_MIN;
    accepted->greatest_int = LLONG_MAX;
    accepted->least_float = -HUGE_VAL;
    accepted->greatest_float = HUGE_VAL;
    if (accepted->check == ACCEPTED_FLOAT || accepted->check == ACCEPTED_REAL) {
        accepted->least_float = least == Py_None ? accepted->least_float : PyFloat_AsDouble(least);
        accepted->greatest_float =
            greatest == Py_None ? accepted->greatest_float : PyFloat_AsDouble(greatest);
    } else {
        accepted->least_int = least == Py_None ? accepted->least_int : PyLong_AsLongLong(least);
        accepted->greatest_int =
            greatest == Py_None ? accepted->greatest_int : PyLong_AsLongLong(greatest);
    }
    return PyErr_Occurred() == NULL;
}

/* Fill in from (type, check, least, greatest, known, inner, model); false with an exception set. */
static bool accepted_init(struct accepted *accepted, PyObject *description, int depth) {
    PyObject *type;
    PyObject *check;
    PyObject *least;
    PyObject *greatest;
    PyObject *known;
    PyObject *inner;
    PyObject *model;
    if (!PyTuple_Check(description)) {
        PyErr_SetString(PyExc_TypeError, "an accepted type is a tuple");
        return false;
    }
    if (!PyArg_ParseTuple(description, "O!OOOOOO", &PyType_Type, &type, &check, &least, &greatest,
                          &known, &inner, &model) ||
        !find_check(check, &accepted->check) || !accepted_init_bounds(accepted, least, greatest)) {
        return false;
    }
    if (!check_suits(accepted->check, (PyTypeObject *)type) ||
        (accepted->check == ACCEPTED_AMONG &&
         !(PyFrozenSet_CheckExact(known) && set_is_plain(known))) ||
        (check_calls(accepted->check) && !PyCallable_Check(known))) {
        PyErr_SetString(PyExc_TypeError, "an accepted type lacks what it is checked by");
        return false;
    }
    if (depth == ACCEPTANCE_MAX_DEPTH) {
        PyErr_Format(PyExc_ValueError, "an acceptance is nested deeper than %d",
                     ACCEPTANCE_MAX_DEPTH);
        return false;
    }
    accepted->type = (PyTypeObject *)Py_NewRef(type);
    switch (accepted->check) {
    case ACCEPTED_AMONG:
    case ACCEPTED_CALL: accepted->known = Py_NewRef(known); break;
    case ACCEPTED_DATE: accepted->text = text_validator_new(TEXT_OF_DATE, known); break;
    case ACCEPTED_DATETIME: accepted->text = text_validator_new(TEXT_OF_DATETIME, known); break;
    case ACCEPTED_UUID: accepted->text = text_validator_new(TEXT_OF_UUID, known); break;
    case ACCEPTED_ITEMS:
    case ACCEPTED_VALUES: return acceptance_new_at(inner, depth + 1, &accepted->inner);
    case ACCEPTED_MODEL:
        accepted->model = accepted_model_new(model, depth + 1);
        return accepted->model != NULL;
    default: break;
    }
    return PyErr_Occurred() == NULL;
}

static bool acceptance_new_at(PyObject *description, int depth, struct acceptance **acceptance) {
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
        if (!accepted_init(&made->alternatives[i], PyTuple_GET_ITEM(description, i), depth)) {
            acceptance_free(made);
            return false;
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
    return acceptance_new_at(description, 0, acceptance);
}
