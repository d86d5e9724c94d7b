/* SPDX-License-Identifier: MIT */
#include "encode/model/accepted_value.h"

#include <math.h>

#include "encode/model/plan.h"
#include "pyobject/dict.h"
#include "pyobject/snapshot.h"
#include "pyobject/unicode.h"

static bool text_has_surrogate(PyObject *text) {
    if (PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); i++) {
        if (Py_UNICODE_IS_SURROGATE(PyUnicode_READ_CHAR(text, i))) {
            return true;
        }
    }
    return false;
}

/* The alternative for a value, whose checks beyond its type are still to be made; NULL: none. */
static ALWAYS_INLINE const struct accepted *find_accepted(const struct acceptance *acceptance,
                                                          PyObject *value) {
    for (Py_ssize_t i = 0; i < acceptance->n; i++) {
        if (acceptance->alternatives[i].type == Py_TYPE(value)) {
            return &acceptance->alternatives[i];
        }
    }
    return NULL;
}

/* Levels of lists and dicts that are looked into for values of other types. */
#define PLAIN_MAX_DEPTH 16

/* Whether a value is of JSON's own types throughout: its text depends on nothing else then. The
 * recursion is at most n_levels deep. */
static bool is_plain(PyObject *value, int n_levels) {
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
        value == Py_None) {
        return true;
    }
    if (PyFloat_CheckExact(value)) {
        return isfinite(PyFloat_AS_DOUBLE(value));
    }
    if (n_levels == 0) {
        return false;
    }
    if (PyList_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); i++) {
            if (!is_plain(PyList_GET_ITEM(value, i), n_levels - 1)) {
                return false;
            }
        }
        return true;
    }
    if (!PyDict_CheckExact(value) || !dict_has_only_str_keys(value)) {
        return false;
    }
    Py_ssize_t position = 0;
    PyObject *item;
    while (PyDict_Next(value, &position, NULL, &item)) {
        if (!is_plain(item, n_levels - 1)) {
            return false;
        }
    }
    return true;
}

/* Whether a value that is returned as it is passes its check. */
static bool scalar_passes(const struct accepted *accepted, PyObject *value) {
    switch (accepted->check) {
    case ACCEPTED_INT: {
        int overflow;
        const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow == 0 && number >= accepted->least_int && number <= accepted->greatest_int;
    }
    case ACCEPTED_FLOAT: {
        const double number = PyFloat_AS_DOUBLE(value);
        return isfinite(number) && number >= accepted->least_float &&
               number <= accepted->greatest_float;
    }
    case ACCEPTED_TEXT: {
        if (!unicode_is_ready(value)) {
            return false;
        }
        const Py_ssize_t n = PyUnicode_GET_LENGTH(value);
        return n >= accepted->least_int && n <= accepted->greatest_int &&
               !text_has_surrogate(value);
    }
    case ACCEPTED_AMONG: {
        const int is_known = PySet_Contains(accepted->known, value);
        PyErr_Clear();
        return is_known > 0;
    }
    case ACCEPTED_PLAIN: return is_plain(value, PLAIN_MAX_DEPTH);
    default: return true;
    }
}

/* The float that is equal to an int; NULL without an exception where rounding may matter. */
static PyObject *accept_real(const struct accepted *accepted, PyObject *value) {
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    const double real = (double)number;
    const bool is_exact = overflow == 0 && number >= -(1LL << 53) && number <= 1LL << 53;
    return is_exact && real >= accepted->least_float && real <= accepted->greatest_float
               ? PyFloat_FromDouble(real)
               : NULL;
}

/* The result of a call; NULL without an exception where it has raised one. */
static PyObject *without_error(PyObject *result) {
    if (result == NULL && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
    }
    return result;
}

/* What a validator makes of a value; NULL without an exception where it raises one. */
static PyObject *accept_call(const struct accepted *accepted, PyObject *value) {
    return without_error(PyObject_CallOneArg(accepted->known, value));
}

static PyObject *accept_changing(const struct accepted *accepted, PyObject *value,
                                 enum acceptance_purpose purpose);
static PyObject *accept_object(struct accepted_model *model, PyObject *object);

/* accepted_value for a value that the caller owns. */
static ALWAYS_INLINE PyObject *accept(const struct acceptance *acceptance, PyObject *value,
                                      enum acceptance_purpose purpose) {
    if (acceptance == NULL) {
        return Py_NewRef(value);
    }
    const struct accepted *const accepted = find_accepted(acceptance, value);
    if (accepted == NULL) {
        return acceptance->of_objects != NULL && purpose == ACCEPT_FOR_TEXT
                   ? accept_object(acceptance->of_objects, value)
                   : NULL;
    }
    if (LIKELY(accepted->check == ACCEPTED_TYPE)) {
        return Py_NewRef(value);
    }
    if (accepted->check < ACCEPTED_REAL) {
        return scalar_passes(accepted, value) ? Py_NewRef(value) : NULL;
    }
    return accept_changing(accepted, value, purpose);
}

/* A list of the accepted items: the same list for the text of items that do not differ. */
static PyObject *accept_items(const struct accepted *accepted, PyObject *list,
                              enum acceptance_purpose purpose) {
    const Py_ssize_t n = PyList_GET_SIZE(list);
    if (n < accepted->least_int || n > accepted->greatest_int) {
        return NULL;
    }
    PyObject *made = purpose == ACCEPT_FOR_MODELS ? PyList_New(n) : Py_NewRef(list);
    if (made == NULL) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        /* the garbage collector may have run code that shortens the list */
        if (UNLIKELY(i >= PyList_GET_SIZE(list))) {
            Py_DECREF(made);
            return NULL;
        }
        PyObject *const item = Py_NewRef(PyList_GET_ITEM(list, i));
        PyObject *const result = accept(accepted->inner, item, purpose);
        Py_DECREF(item);
        if (result == NULL) {
            Py_DECREF(made);
            return NULL;
        }
        if (result == item && made == list) {
            Py_DECREF(result);
            continue;
        }
        if (made == list) { /* the first that differs */
            made = PyList_GetSlice(list, 0, n);
            Py_DECREF(list);
            if (made == NULL || PyList_GET_SIZE(made) != n) {
                Py_XDECREF(made);
                Py_DECREF(result);
                return NULL;
            }
        }
        PyObject *const before = PyList_GET_ITEM(made, i);
        PyList_SET_ITEM(made, i, result);
        Py_XDECREF(before);
    }
    return made;
}

/* Put the accepted value of a key into *made, which is a copy of `dict` from the first value on
 * that differs. False with an exception set. */
static bool replace_value(PyObject *dict, PyObject **made, PyObject *key, PyObject *result) {
    if (*made == dict) {
        *made = PyDict_Copy(dict);
        Py_DECREF(dict);
    }
    return *made != NULL && PyDict_SetItem(*made, key, result) == 0;
}

/* A dict of the accepted values: the same dict for the text of values that do not differ. */
static PyObject *accept_values(const struct accepted *accepted, PyObject *dict,
                               enum acceptance_purpose purpose) {
    const Py_ssize_t n = PyDict_GET_SIZE(dict);
    if (n < accepted->least_int || n > accepted->greatest_int) {
        return NULL;
    }
    PyObject *made = purpose == ACCEPT_FOR_MODELS ? PyDict_New() : Py_NewRef(dict);
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *value;
    bool is_accepted = made != NULL;
    while (is_accepted && PyDict_Next(dict, &position, &key, &value)) {
        if (!PyUnicode_CheckExact(key)) {
            is_accepted = false;
            break;
        }
        Py_INCREF(key);
        Py_INCREF(value);
        PyObject *const result = accept(accepted->inner, value, purpose);
        is_accepted = result != NULL && ((result == value && made == dict) ||
                                         replace_value(dict, &made, key, result));
        Py_XDECREF(result);
        Py_DECREF(value);
        Py_DECREF(key);
    }
    if (!is_accepted) {
        Py_CLEAR(made);
    }
    return made;
}

/* Whether a dict has the fields of a model and nothing else, in their order. */
static bool is_in_order(const struct accepted_model *model, PyObject *dict) {
    if (PyDict_GET_SIZE(dict) != model->n_fields) {
        return false;
    }
    Py_ssize_t position = 0;
    PyObject *key;
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        if (!PyDict_Next(dict, &position, &key, NULL) ||
            (key != model->fields[i].key &&
             (!PyUnicode_CheckExact(key) || !names_are_equal(key, model->fields[i].key)))) {
            return false;
        }
    }
    return true;
}

/* The accepted values of a dict with the fields in order: the same dict for the text where no value
 * differs, otherwise a copy. A model's keys are the names that its class has, which are found
 * without a comparison. */
static PyObject *accept_fields_in_order(const struct accepted_model *model, PyObject *dict,
                                        enum acceptance_purpose purpose) {
    PyObject *made =
        purpose == ACCEPT_FOR_MODELS ? PyDict_Copy(model->blank_fields) : Py_NewRef(dict);
    Py_ssize_t position = 0;
    PyObject *value;
    bool is_accepted = made != NULL;
    for (Py_ssize_t i = 0; is_accepted && i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        if (UNLIKELY(!PyDict_Next(dict, &position, NULL, &value))) {
            is_accepted = false;
            break;
        }
        Py_INCREF(value);
        PyObject *const result = accept(field->acceptance, value, purpose);
        is_accepted =
            result != NULL &&
            ((result == value && purpose == ACCEPT_FOR_TEXT) ||
             replace_value(dict, &made, purpose == ACCEPT_FOR_TEXT ? field->key : field->name,
                           result));
        Py_XDECREF(result);
        Py_DECREF(value);
    }
    if (!is_accepted) {
        Py_CLEAR(made);
    }
    return made;
}

/* Whether a dict in the order of the fields is its own text. */
static bool is_text_in_order(const struct accepted_model *model, PyObject *dict) {
    if (!model->is_written_in_full || !is_in_order(model, dict)) {
        return false;
    }
    Py_ssize_t position = 0;
    PyObject *value;
    while (model->leaves_out_none && PyDict_Next(dict, &position, NULL, &value)) {
        if (value == Py_None) {
            return false;
        }
    }
    return true;
}

/* The value of a field in a dict of strs, borrowed; NULL where it is absent. */
static PyObject *find_field(const struct accepted_field *field, PyObject *dict) {
    PyObject *found = PyDict_GetItemWithError(dict, field->key);
    if (found == NULL && field->other_key != NULL) {
        found = PyDict_GetItemWithError(dict, field->other_key);
    }
    if (found == NULL) {
        PyErr_Clear(); /* of a key that was added meanwhile, and that is no str */
    }
    return found;
}

/* The value of an absent field: its default, which the caller may change; a new reference. NULL
 * without an exception where the field is required. */
static PyObject *absent_field(const struct accepted_field *field, enum acceptance_purpose purpose) {
    if (field->factory != NULL) {
        return without_error(PyObject_CallNoArgs(field->factory));
    }
    PyObject *const value = field->absent;
    if (value != NULL && purpose == ACCEPT_FOR_MODELS && PyList_CheckExact(value)) {
        return PyList_GetSlice(value, 0, PyList_GET_SIZE(value));
    }
    if (value != NULL && purpose == ACCEPT_FOR_MODELS && PyDict_CheckExact(value)) {
        return PyDict_Copy(value);
    }
    return Py_XNewRef(value);
}

/* The fields of a dict, in a new dict: by their keys in the text, or by attribute. Their names are
 * added to `names`, which may be NULL. */
static PyObject *accept_fields(const struct accepted_model *model, PyObject *dict, PyObject *names,
                               enum acceptance_purpose purpose) {
    if (!dict_has_only_str_keys(dict)) {
        return NULL;
    }
    const bool leaves_out =
        purpose == ACCEPT_FOR_TEXT && (model->leaves_out_unset || model->leaves_out_none);
    PyObject *made = leaves_out ? PyDict_New()
                                : PyDict_Copy(purpose == ACCEPT_FOR_TEXT ? model->blank_text
                                                                         : model->blank_fields);
    Py_ssize_t n_found = 0;
    bool is_accepted = made != NULL;
    for (Py_ssize_t i = 0; is_accepted && i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        PyObject *const value = Py_XNewRef(find_field(field, dict));
        PyObject *const result = value != NULL ? accept(field->acceptance, value, purpose)
                                               : absent_field(field, purpose);
        PyObject *const key = purpose == ACCEPT_FOR_MODELS ? field->name : field->output;
        const bool is_left_out = key == NULL || (purpose == ACCEPT_FOR_TEXT &&
                                                 ((value == NULL && model->leaves_out_unset) ||
                                                  (result == Py_None && model->leaves_out_none)));
        n_found += value != NULL;
        is_accepted = result != NULL && (is_left_out || PyDict_SetItem(made, key, result) == 0) &&
                      (value == NULL || names == NULL || PySet_Add(names, field->name) == 0);
        Py_XDECREF(result);
        Py_XDECREF(value);
    }
    if (!is_accepted || (model->forbids_extra && n_found != PyDict_GET_SIZE(dict))) {
        Py_CLEAR(made);
    }
    return made;
}

/* How to read the attributes of a class's objects; ATTRIBUTES_UNKNOWN with or without an
 * exception. */
static enum attributes_way find_way(struct accepted_model *model, PyTypeObject *type) {
    if (LIKELY(model->last_class == type && model->last_version == type_version(type) &&
               model->last_version != 0)) {
        return model->last_way;
    }
    PyObject *const answer = PyObject_CallOneArg(model->way_of, (PyObject *)type);
    const long way = answer != NULL ? PyLong_AsLong(answer) : -1;
    Py_XDECREF(answer);
    if (way < ATTRIBUTES_UNKNOWN || way > ATTRIBUTES_IN_DICT) {
        return ATTRIBUTES_UNKNOWN;
    }
    model->last_class = type;
    model->last_version = type_version(type);
    model->last_way = (enum attributes_way)way;
    return model->last_way;
}

/* An object's attribute, a new reference; NULL without an exception where it has none. */
static PyObject *find_attribute(PyObject *object, PyObject *dict, PyObject *name) {
    if (dict != NULL) {
        return Py_XNewRef(PyDict_GetItemWithError(dict, name));
    }
    PyObject *const value = PyObject_GenericGetAttr(object, name);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    return value;
}

/* The fields of an object's attributes, in a new dict for the text. The library decides where one
 * is absent: it may be made at its first use. */
static PyObject *accept_object(struct accepted_model *model, PyObject *object) {
    const enum attributes_way way = find_way(model, Py_TYPE(object));
    if (way == ATTRIBUTES_UNKNOWN) {
        return NULL;
    }
    PyObject *const dict = way == ATTRIBUTES_IN_DICT ? object_dict_snapshot(object) : NULL;
    if (way == ATTRIBUTES_IN_DICT && (dict == NULL || !dict_has_only_str_keys(dict))) {
        return NULL;
    }
    Py_XINCREF(dict);
    PyObject *made = model->leaves_out_none ? PyDict_New() : PyDict_Copy(model->blank_text);
    bool is_accepted = made != NULL;
    for (Py_ssize_t i = 0; is_accepted && i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        PyObject *value = find_attribute(object, dict, field->key);
        if (value == NULL && field->other_key != NULL && !PyErr_Occurred()) {
            value = find_attribute(object, dict, field->other_key);
        }
        PyObject *const result =
            value != NULL ? accept(field->acceptance, value, ACCEPT_FOR_TEXT) : NULL;
        const bool is_left_out =
            field->output == NULL || (result == Py_None && model->leaves_out_none);
        is_accepted =
            result != NULL && (is_left_out || PyDict_SetItem(made, field->output, result) == 0);
        Py_XDECREF(result);
        Py_XDECREF(value);
    }
    Py_XDECREF(dict);
    if (!is_accepted) {
        Py_CLEAR(made);
    }
    return made;
}

/* A model with these fields, as its library makes one: NULL with an exception set. */
static PyObject *model_new(const struct accepted_model *model, PyObject *fields, PyObject *names) {
    PyObject *const no_arguments = PyTuple_New(0);
    PyObject *object =
        no_arguments != NULL ? PyBaseObject_Type.tp_new(model->type, no_arguments, NULL) : NULL;
    Py_XDECREF(no_arguments);
    if (object == NULL || PyObject_GenericSetDict(object, fields, NULL) < 0) {
        Py_XDECREF(object);
        return NULL;
    }
    PyObject *const values[N_MODEL_SLOTS] = {Py_None, names, Py_None};
    for (int i = 0; i < N_MODEL_SLOTS; i++) {
        *(PyObject **)((char *)object + model->slots[i]) = Py_NewRef(values[i]);
    }
    return object;
}

/* A model made of a dict. */
static PyObject *accept_model(const struct accepted_model *model, PyObject *dict) {
    for (int i = 0; i < N_MODEL_SLOTS; i++) {
        if (model->slots[i] < 0) {
            return NULL;
        }
    }
    const bool is_whole = model->is_made_in_full && is_in_order(model, dict);
    PyObject *const names = PySet_New(is_whole ? model->all_names : NULL);
    PyObject *fields = NULL;
    if (names != NULL) {
        fields = is_whole ? accept_fields_in_order(model, dict, ACCEPT_FOR_MODELS)
                          : accept_fields(model, dict, names, ACCEPT_FOR_MODELS);
    }
    PyObject *const object = fields != NULL ? model_new(model, fields, names) : NULL;
    Py_XDECREF(fields);
    Py_XDECREF(names);
    return object;
}

/* A value with a check beyond those of scalars that are returned as they are. */
static PyObject *accept_changing(const struct accepted *accepted, PyObject *value,
                                 enum acceptance_purpose purpose) {
    switch (accepted->check) {
    case ACCEPTED_REAL: return accept_real(accepted, value);
    case ACCEPTED_CALL: return accept_call(accepted, value);
    case ACCEPTED_DATE:
    case ACCEPTED_DATETIME:
    case ACCEPTED_UUID:
        return purpose == ACCEPT_FOR_TEXT && text_is_standard(accepted->text, value)
                   ? Py_NewRef(value)
                   : without_error(text_validate(accepted->text, value));
    case ACCEPTED_ITEMS: return accept_items(accepted, value, purpose);
    case ACCEPTED_VALUES: return accept_values(accepted, value, purpose);
    default: break;
    }
    if (purpose == ACCEPT_FOR_MODELS) {
        return accept_model(accepted->model, value);
    }
    return is_text_in_order(accepted->model, value)
               ? accept_fields_in_order(accepted->model, value, purpose)
               : accept_fields(accepted->model, value, NULL, purpose);
}

PyObject *accepted_value(const struct acceptance *acceptance, PyObject *value,
                         enum acceptance_purpose purpose) {
    /* without the GIL another thread may change a container while it is read */
    return IS_FREE_THREADED ? NULL : accept(acceptance, value, purpose);
}
