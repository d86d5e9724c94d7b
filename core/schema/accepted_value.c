/* SPDX-License-Identifier: MIT */
#include "encode/model/default_value.h"
#include "pyobject/copy.h"
#include "pyobject/dict_template.h"
#include "pyobject/long.h"
#include "pyobject/object.h"
#include "pyobject/python.h"
#include "pyobject/snapshot.h"
#include "pyobject/unicode.h"
#include "schema/field_place.h"
#include "schema/record.h"
#include "schema/task.h"

/* ---- the values of a model's fields --------------------------------------------------------- */

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
    PyObject *const made = PyDict_Copy(thread_original(model->blank_fields));
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

/* ---- values --------------------------------------------------------------------------------- */

static bool text_has_surrogate(PyObject *text) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    bool has_any = false; /* without leaving the loop, so that it looks at many at once */
    if (PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND) {
        const Py_UCS2 *const units = PyUnicode_2BYTE_DATA(text);
        for (Py_ssize_t i = 0; i < n; i++) {
            has_any |= (units[i] & 0xf800) == 0xd800;
        }
    } else if (PyUnicode_KIND(text) == PyUnicode_4BYTE_KIND) {
        const Py_UCS4 *const units = PyUnicode_4BYTE_DATA(text);
        for (Py_ssize_t i = 0; i < n; i++) {
            has_any |= (units[i] & 0xfffff800) == 0xd800;
        }
    }
    return has_any;
}

/* The alternative for a value, whose checks beyond its type are still to be made; NULL: none. */
static ALWAYS_INLINE const struct alternative *find_accepted(const struct node *node,
                                                             PyObject *value) {
    for (Py_ssize_t i = 0; i < node->n; i++) {
        if (node->alternatives[i].type == Py_TYPE(value)) {
            return &node->alternatives[i];
        }
    }
    return NULL;
}

/* Whether an int has no more digits than Python always converts to text: at least 640. */
static bool is_usual_int(PyObject *value) {
    if (LIKELY(long_is_below_2_64(value))) {
        return true;
    }
    const double number = PyLong_AsDouble(value); /* fails above 309 digits */
    const bool is_usual = number != -1.0 || PyErr_Occurred() == NULL;
    PyErr_Clear();
    return is_usual;
}

static bool items_are_plain(PyObject *items, int n_levels);
static bool values_are_plain(PyObject *dict, int n_levels);

/* Whether a value is of JSON's own types throughout: its text depends on nothing else then. The
 * recursion is at most n_levels deep. */
static bool is_plain(PyObject *value, int n_levels) {
    if (PyUnicode_CheckExact(value) || PyBool_Check(value) || value == Py_None) {
        return true;
    }
    if (PyLong_CheckExact(value)) {
        return is_usual_int(value);
    }
    if (PyFloat_CheckExact(value)) {
        return isfinite(PyFloat_AS_DOUBLE(value));
    }
    if (n_levels == 0) {
        return false;
    }
    if (!PyList_CheckExact(value) && !PyDict_CheckExact(value)) {
        return false;
    }
    PyObject *const now = snapshot_take(value);
    const bool answer = now != NULL && (PyDict_CheckExact(value) ? values_are_plain(now, n_levels)
                                                                 : items_are_plain(now, n_levels));
    PyErr_Clear();
    snapshot_release(now);
    return answer;
}

static bool items_are_plain(PyObject *items, int n_levels) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++) {
        if (!is_plain(PySequence_Fast_GET_ITEM(items, i), n_levels - 1)) {
            return false;
        }
    }
    return true;
}

static bool values_are_plain(PyObject *dict, int n_levels) {
    Py_ssize_t position = 0;
    PyObject *item;
    if (!dict_has_only_str_keys(dict)) {
        return false;
    }
    while (PyDict_Next(dict, &position, NULL, &item)) {
        if (!is_plain(item, n_levels - 1)) {
            return false;
        }
    }
    return true;
}

static bool int_passes(const struct alternative *accepted, PyObject *value) {
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0 && number >= accepted->ints.least && number <= accepted->ints.greatest;
}

static bool text_passes(const struct alternative *accepted, PyObject *value) {
    if (!unicode_is_ready(value)) {
        return false;
    }
    const Py_ssize_t n = PyUnicode_GET_LENGTH(value);
    return n >= accepted->text.least && n <= accepted->text.greatest && !text_has_surrogate(value);
}

/* A value that passes, a new reference; NULL without an exception for one that does not. */
static ALWAYS_INLINE PyObject *kept_if(bool passes, PyObject *value) {
    return passes ? Py_NewRef(value) : NULL;
}

/* Whether a str begins or ends with whitespace: of Python's, which is more than other libraries'.
 */
static bool text_has_space_around(PyObject *text) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    return n != 0 && (Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, 0)) ||
                      Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, n - 1)));
}

/* The float that is equal to an int; NULL without an exception where rounding may matter. */
static PyObject *accept_real(const struct alternative *accepted, PyObject *value) {
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    const double real = (double)number;
    const bool is_exact = overflow == 0 && number >= -(1LL << 53) && number <= 1LL << 53;
    return is_exact && real >= accepted->floats.least && real <= accepted->floats.greatest
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
static PyObject *accept_call(PyObject *validator, PyObject *value) {
    return without_error(PyObject_CallOneArg(validator, value));
}

/* A str without whitespace around it, or what a validator makes of any other. */
static PyObject *accept_bare(const struct alternative *accepted, PyObject *value) {
    if (!unicode_is_ready(value)) {
        return NULL;
    }
    const Py_ssize_t n = PyUnicode_GET_LENGTH(value);
    const bool is_kept = n >= accepted->text.least && n <= accepted->text.greatest &&
                         !text_has_space_around(value) && !text_has_surrogate(value);
    return is_kept ? Py_NewRef(value) : accept_call(accepted->text.validator, value);
}

static PyObject *accept_by_check(const struct alternative *accepted, PyObject *value,
                                 struct task *task);
static PyObject *accept_object(struct accepted_model *model, PyObject *object, struct task *task);

static ALWAYS_INLINE PyObject *accept(const struct node *node, PyObject *value, struct task *task) {
    if (node == NULL) {
        return Py_NewRef(value);
    }
    const struct alternative *const accepted = find_accepted(node, value);
    if (accepted == NULL) {
        if (node->of_any != NULL) {
            return accept_by_check(node->of_any, value, task);
        }
        return node->of_objects != NULL ? accept_object(node->of_objects, value, task) : NULL;
    }
    if (LIKELY(accepted->op == OP_TYPE)) {
        return Py_NewRef(value);
    }
    return accept_by_check(accepted, value, task);
}

/* A new list of the accepted items. It grows, because Python code may see it. */
static PyObject *copy_items(const struct alternative *accepted, PyObject *items,
                            struct task *task) {
    const struct choices *const places = accepted->items.places;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(items);
    PyObject *made = PyList_New(0);
    for (Py_ssize_t i = 0; made != NULL && i < n; i++) {
        if (UNLIKELY(i >= PySequence_Fast_GET_SIZE(items))) { /* Python code has shortened it */
            Py_CLEAR(made);
            break;
        }
        PyObject *const item = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
        PyObject *const result =
            accept(places != NULL ? places->at[i] : accepted->items.inner, item, task);
        if (result == NULL || PyList_Append(made, result) != 0) {
            Py_CLEAR(made);
        }
        Py_XDECREF(result);
        Py_DECREF(item);
    }
    return made;
}

/* A list of the accepted items: the same list or tuple for the text of items that do not differ. */
static PyObject *accept_items_now(const struct alternative *accepted, PyObject *items,
                                  struct task *task) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(items);
    const struct choices *const places = accepted->items.places;
    if (n < accepted->items.least || n > accepted->items.greatest ||
        (places != NULL && n != places->n)) {
        return NULL;
    }
    if (task->purpose != ACCEPT_FOR_TEXT) {
        return copy_items(accepted, items, task);
    }
    PyObject *made = Py_NewRef(items);
    for (Py_ssize_t i = 0; i < n; i++) {
        /* the garbage collector may have run code that shortens the list */
        if (UNLIKELY(i >= PySequence_Fast_GET_SIZE(items))) {
            Py_DECREF(made);
            return NULL;
        }
        PyObject *const item = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
        PyObject *const result =
            accept(places != NULL ? places->at[i] : accepted->items.inner, item, task);
        Py_DECREF(item);
        if (result == NULL) {
            Py_DECREF(made);
            return NULL;
        }
        if (result == item && made == items) {
            Py_DECREF(result);
            continue;
        }
        if (made == items) { /* the first that differs */
            made = PySequence_List(items);
            Py_DECREF(items);
            if (made == NULL || PyList_GET_SIZE(made) != n) {
                Py_XDECREF(made);
                Py_DECREF(result);
                return NULL;
            }
        }
        if (UNLIKELY(i >= PyList_GET_SIZE(made))) { /* the garbage collector may show it */
            Py_DECREF(made);
            Py_DECREF(result);
            return NULL;
        }
        PyObject *const before = PyList_GET_ITEM(made, i);
        PyList_SET_ITEM(made, i, result);
        Py_XDECREF(before);
    }
    return made;
}

static PyObject *accept_items(const struct alternative *accepted, PyObject *items,
                              struct task *task) {
#if IS_FREE_THREADED /* a list remains one: it may be compared with a default */
    PyObject *const now = PyList_CheckExact(items) ? list_copy(items) : Py_NewRef(items);
#else
    PyObject *const now = items;
#endif
    PyObject *const made = now != NULL ? accept_items_now(accepted, now, task) : NULL;
    snapshot_release(now);
    return made;
}

/* Put the accepted value of a key into *made, which is a copy of `dict` from the first value on
 * that differs. False with an exception set. */
static bool replace_value(PyObject *dict, PyObject **made, PyObject *key, PyObject *result) {
    if (*made == dict) {
        *made = dict_copy(dict);
        Py_DECREF(dict);
    }
    return *made != NULL && PyDict_SetItem(*made, key, result) == 0;
}

/* A dict of the accepted values: the same dict for the text of values that do not differ. */
static PyObject *accept_values_now(const struct alternative *accepted, PyObject *dict,
                                   struct task *task) {
    const Py_ssize_t n = PyDict_GET_SIZE(dict);
    if (n < accepted->items.least || n > accepted->items.greatest) {
        return NULL;
    }
    PyObject *made = task->purpose != ACCEPT_FOR_TEXT ? PyDict_New() : Py_NewRef(dict);
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *value;
    bool is_accepted = made != NULL;
    while (is_accepted && PyDict_Next(dict, &position, &key, &value)) {
        if (!PyUnicode_CheckExact(key) || PyDict_GET_SIZE(dict) != n) { /* Python code may add */
            is_accepted = false;
            break;
        }
        Py_INCREF(key);
        Py_INCREF(value);
        PyObject *const result = accept(accepted->items.inner, value, task);
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

static PyObject *accept_values(const struct alternative *accepted, PyObject *dict,
                               struct task *task) {
    PyObject *const now = snapshot_take(dict);
    PyObject *const made = now != NULL ? accept_values_now(accepted, now, task) : NULL;
    snapshot_release(now);
    return made;
}

/* ---- the fields of a model ----------------------------------------------------------------- */

/* What an absent field gets: what its factory makes, or its default; a new reference. A default
 * that is a list or dict is copied, because the application may change its copy. NULL without an
 * exception where the field is required, or where the factory raises. */
static PyObject *absent_field(const struct accepted_field *field, enum acceptance_purpose purpose) {
    if (field->factory != NULL) {
        return without_error(PyObject_CallNoArgs(field->factory));
    }
    PyObject *const value = field->absent;
    if (value != NULL && purpose != ACCEPT_FOR_TEXT && PyList_CheckExact(value)) {
        return list_copy(value);
    }
    if (value != NULL && purpose != ACCEPT_FOR_TEXT && PyDict_CheckExact(value)) {
        return dict_copy(value);
    }
    return Py_XNewRef(value);
}

/* Whether a field's value is left out of the text; -1 where only the library can decide. */
static ALWAYS_INLINE int is_left_out(const struct accepted_model *model,
                                     const struct accepted_field *field, PyObject *value,
                                     bool is_given, enum acceptance_purpose purpose) {
    if (purpose != ACCEPT_FOR_TEXT) {
        return 0;
    }
    if ((model->leaves_out_unset && !is_given) || (model->leaves_out_none && value == Py_None)) {
        return 1;
    }
    return value_is_default(value, field->left_out);
}

/* Add a field's accepted value, which is released; false where the library must decide. */
static ALWAYS_INLINE bool field_values_take(struct field_values *fields,
                                            const struct accepted_model *model,
                                            const struct accepted_field *field, PyObject *value,
                                            bool is_given, enum acceptance_purpose purpose) {
    const int is_absent = is_left_out(model, field, value, is_given, purpose);
    if (UNLIKELY(is_absent != 0)) {
        Py_CLEAR(value);
    }
    field_values_add(fields, value, is_given);
    return is_absent >= 0;
}

/* The names of the fields that were given, a new set; NULL with an exception set. */
static PyObject *given_names(const struct accepted_model *model,
                             const struct field_values *fields) {
    bool is_every = true;
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        is_every &= fields->is_given[i];
    }
    PyObject *names = PySet_New(is_every ? thread_original(model->all_names) : NULL);
    for (Py_ssize_t i = 0; names != NULL && !is_every && i < model->n_fields; i++) {
        if (fields->is_given[i] && PySet_Add(names, model->fields[i].name) != 0) {
            Py_CLEAR(names);
        }
    }
    return names;
}

/* A model with these fields, as its library makes one: NULL with an exception set. */
static PyObject *model_new(const struct accepted_model *model, struct field_values *fields) {
    PyObject *const names = given_names(model, fields);
    PyObject *const dict = names != NULL ? field_values_dict(fields, model) : NULL;
    PyObject *const no_arguments = dict != NULL ? PyTuple_New(0) : NULL;
    PyObject *object =
        no_arguments != NULL ? PyBaseObject_Type.tp_new(model->type, no_arguments, NULL) : NULL;
    Py_XDECREF(no_arguments);
    if (object != NULL && PyObject_GenericSetDict(object, dict, NULL) < 0) {
        Py_CLEAR(object);
    }
    PyObject *const values[N_MODEL_SLOTS] = {
        [SLOT_EXTRA] = Py_None, [SLOT_FIELDS_SET] = names, [SLOT_PRIVATE] = Py_None};
    for (int i = 0; object != NULL && i < N_MODEL_SLOTS; i++) {
        slot_put(object, model->slots[i], Py_NewRef(values[i]));
    }
    Py_XDECREF(dict);
    Py_XDECREF(names);
    return object;
}

/* Whether the core can make models of this class: `object` makes them, and they have the slots. */
static bool can_make_models(const struct accepted_model *model) {
    if (model->type->tp_new != PyBaseObject_Type.tp_new) {
        return false;
    }
    for (int i = 0; i < N_MODEL_SLOTS; i++) {
        if (model->slots[i] < 0) {
            return false;
        }
    }
    return true;
}

/* What the fields become: a dict for the text, otherwise a model. NULL with an exception set. */
static ALWAYS_INLINE PyObject *field_values_become(struct field_values *fields,
                                                   const struct accepted_model *model,
                                                   enum acceptance_purpose purpose) {
    return purpose == ACCEPT_FOR_TEXT ? field_values_text(fields, model) : model_new(model, fields);
}

/* Accept the fields of a dict; false where one is not accepted. */
static bool accept_fields(const struct accepted_model *model, PyObject *dict, struct task *task,
                          struct field_values *fields) {
    if (!dict_has_only_str_keys(dict)) {
        return false;
    }
    Py_ssize_t n_given = 0;
    Py_ssize_t place = 0;
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        bool is_unclear = false;
        PyObject *const value = find_field(field, NULL, NULL, dict, &place, &is_unclear);
        if (value == NULL && !is_unclear && field->may_be_absent &&
            task->purpose == ACCEPT_FOR_TEXT) {
            field_values_add(fields, NULL, false);
            continue;
        }
        PyObject *const result = value != NULL ? accept(field->node, value, task)
                                 : is_unclear  ? NULL
                                               : absent_field(field, task->purpose);
        Py_XDECREF(value);
        if (UNLIKELY(result == NULL)) {
            return false;
        }
        if (!field_values_take(fields, model, field, result, value != NULL, task->purpose)) {
            return false;
        }
        n_given += value != NULL;
    }
    return !model->forbids_extra || n_given == PyDict_GET_SIZE(dict);
}

/* Whether a dict is its own text, if no value differs: it has the fields and nothing else, in their
 * order, and none is left out. */
static bool is_text_in_order(const struct accepted_model *model, PyObject *dict) {
    if (!model->is_written_in_full || PyDict_GET_SIZE(dict) != model->n_fields) {
        return false;
    }
    struct dict_cursor cursor = dict_cursor(dict);
    PyObject *key;
    PyObject *value;
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        if (!dict_cursor_next(&cursor, dict, &key, &value) ||
            (model->leaves_out_none && value == Py_None) ||
            !key_is_name(key, model->fields[i].key)) {
            return false;
        }
    }
    return true;
}

/* The text of a dict that is its own text: the same dict where no value differs, otherwise a
 * copy. */
static PyObject *accept_fields_in_order(const struct accepted_model *model, PyObject *dict,
                                        struct task *task) {
    PyObject *made = Py_NewRef(dict);
    Py_ssize_t position = 0;
    PyObject *value;
    for (Py_ssize_t i = 0; made != NULL && i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        if (UNLIKELY(!PyDict_Next(dict, &position, NULL, &value))) {
            Py_CLEAR(made);
            break;
        }
        Py_INCREF(value);
        PyObject *const result = accept(field->node, value, task);
        if (result == NULL ||
            (result != value && !replace_value(dict, &made, field->key, result))) {
            Py_CLEAR(made);
        }
        Py_XDECREF(result);
        Py_DECREF(value);
    }
    return made;
}

/* The text of a dict that becomes a model, or of a TypedDict: a new reference. */
static PyObject *accept_for_text(const struct accepted_model *model, PyObject *dict,
                                 struct task *task) {
    if (is_text_in_order(model, dict)) {
        return accept_fields_in_order(model, dict, task);
    }
    struct field_values fields;
    PyObject *made = NULL;
    if (field_values_begin(&fields, model->n_fields)) {
        made = accept_fields(model, dict, task, &fields) ? field_values_text(&fields, model) : NULL;
        field_values_end(&fields);
    }
    return made;
}

/* Accept an object's attributes; false where one is not accepted. The library decides where one is
 * absent: it may be made at its first use. */
static bool accept_attributes(struct accepted_model *model, PyObject *object, PyObject *dict,
                              struct task *task, struct field_values *fields) {
    Py_ssize_t place = 0;
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        bool is_unclear = false;
        PyObject *const value = find_field(field, &model->steps, object, dict, &place, &is_unclear);
        PyObject *const result = value != NULL ? accept(field->node, value, task) : NULL;
        Py_XDECREF(value);
        if (UNLIKELY(result == NULL)) {
            return false;
        }
        if (!field_values_take(fields, model, field, result, true, task->purpose)) {
            return false;
        }
    }
    return true;
}

/* A model that is made of an object's attributes, or its text: a new reference. */
static PyObject *accept_object_now(struct accepted_model *model, PyObject *object,
                                   enum attributes_way way, struct task *task) {
    if (task->n_models == VALUE_MAX_DEPTH ||
        (task->purpose != ACCEPT_FOR_TEXT && !can_make_models(model))) {
        return NULL;
    }
    PyObject *const dict = attributes_dict(object, way);
    struct field_values fields;
    if ((dict == NULL && way == ATTRIBUTES_IN_DICT) ||
        (dict != NULL && !dict_has_only_str_keys(dict)) ||
        !field_values_begin(&fields, model->n_fields)) {
        Py_XDECREF(dict);
        return NULL;
    }
    task->n_models++;
    PyObject *const made = accept_attributes(model, object, dict, task, &fields)
                               ? field_values_become(&fields, model, task->purpose)
                               : NULL;
    task->n_models--;
    Py_XDECREF(dict);
    field_values_end(&fields);
    return made;
}

/* A model made of a dict. */
static PyObject *accept_model(const struct accepted_model *model, PyObject *dict,
                              struct task *task) {
    struct field_values fields;
    PyObject *object = NULL;
    if (can_make_models(model) && field_values_begin(&fields, model->n_fields)) {
        object = accept_fields(model, dict, task, &fields) ? model_new(model, &fields) : NULL;
        field_values_end(&fields);
    }
    return object;
}

/* A dict that is a model's fields. */
static PyObject *accept_dict_now(const struct accepted_model *model, PyObject *dict,
                                 struct task *task) {
    if (task->n_models == VALUE_MAX_DEPTH) {
        return NULL;
    }
    PyObject *const now = snapshot_take(dict);
    if (now == NULL) {
        return NULL;
    }
    task->n_models++;
    PyObject *const made = task->purpose != ACCEPT_FOR_TEXT ? accept_model(model, now, task)
                                                            : accept_for_text(model, now, task);
    task->n_models--;
    snapshot_release(now);
    return made;
}

/* A model that is made of what functions of the application make of a value. */
static PyObject *accept_by_model_functions(struct accepted_model *model, PyObject *value,
                                           struct task *task) {
    PyObject *const before = functions_apply(model->before, value, task);
    PyObject *made = NULL;
    if (before != NULL && PyDict_CheckExact(before)) {
        made = accept_dict_now(model, before, task);
    } else if (before != NULL && model->objects.way_of != NULL) {
        const enum attributes_way way = attributes_way_of(&model->objects, Py_TYPE(before));
        made = way != ATTRIBUTES_UNKNOWN ? accept_object_now(model, before, way, task) : NULL;
    }
    Py_XDECREF(before);
    return made;
}

/* A model that is made of an object, or its text. */
static PyObject *accept_object(struct accepted_model *model, PyObject *object, struct task *task) {
    const enum attributes_way way = attributes_way_of(&model->objects, Py_TYPE(object));
    if (way == ATTRIBUTES_UNKNOWN) { /* also for objects that are such models already */
        return NULL;
    }
    return model->before == NULL ? accept_object_now(model, object, way, task)
                                 : accept_by_model_functions(model, object, task);
}

/* A model that is made of a dict, or its text. */
static PyObject *accept_dict(struct accepted_model *model, PyObject *dict, struct task *task) {
    return model->before == NULL ? accept_dict_now(model, dict, task)
                                 : accept_by_model_functions(model, dict, task);
}

/* What accepts a dict by its tag; NULL: nothing. */
static const struct node *find_tagged(const struct choices *choices, PyObject *dict) {
    PyObject *const tag = dict_has_only_str_keys(dict) ? dict_get(dict, choices->tag_key) : NULL;
    PyObject *const place =
        tag != NULL && PyUnicode_CheckExact(tag) ? dict_get(choices->places, tag) : NULL;
    const struct node *const found = place != NULL ? choices->at[PyLong_AsSsize_t(place)] : NULL;
    Py_XDECREF(place);
    Py_XDECREF(tag);
    return found;
}

/* A dict whose tag says by what it is accepted. */
static PyObject *accept_tagged(const struct choices *choices, PyObject *dict, struct task *task) {
    PyObject *const now = snapshot_take(dict);
    const struct node *const node = now != NULL ? find_tagged(choices, now) : NULL;
    PyObject *const made = node != NULL ? accept(node, now, task) : NULL;
    snapshot_release(now);
    return made;
}

/* A result for which a validator, if there is one, raises nothing. The result is stolen; NULL
 * without an exception where it raises one. */
static PyObject *validated(PyObject *validator, PyObject *result) {
    if (result == NULL || validator == NULL) {
        return result;
    }
    PyObject *const answer = accept_call(validator, result);
    if (answer == NULL) {
        Py_DECREF(result);
        return NULL;
    }
    Py_DECREF(answer);
    return result;
}

static bool text_has_nul(PyObject *text) {
    return PyUnicode_FindChar(text, 0, 0, PyUnicode_GET_LENGTH(text), 1) >= 0;
}

/* A str without the whitespace around it: the same where there is none. */
static PyObject *trimmed_text(PyObject *text) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    Py_ssize_t begin = 0;
    Py_ssize_t end = n;
    while (begin < end && Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, begin))) {
        begin++;
    }
    while (end > begin && Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, end - 1))) {
        end--;
    }
    return PyUnicode_Substring(text, begin, end); /* the same str where it is all of it */
}

/* A str within bounds that a validator, if there is one, lets pass. */
static PyObject *accept_text(const struct alternative *accepted, PyObject *value) {
    if (!unicode_is_ready(value)) {
        return NULL;
    }
    PyObject *const text = accepted->op == OP_TRIMMED ? trimmed_text(value) : Py_NewRef(value);
    if (text == NULL) {
        return NULL;
    }
    if (accepted->text.among != NULL) {
        const int is_known = PySet_Contains(thread_original(accepted->text.among), text);
        if (is_known > 0) {
            return text;
        }
    }
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    if (n < accepted->text.least || n > accepted->text.greatest || text_has_nul(text) ||
        text_has_surrogate(text)) {
        Py_DECREF(text);
        return NULL;
    }
    return validated(accepted->text.validator, text);
}

/* What a value is a key of. */
static PyObject *accept_mapped(const struct alternative *accepted, PyObject *value) {
    PyObject *const found = dict_get(accepted->mapping, value);
    return found == NULL && accepted->op == OP_MAPPED_OR_SAME ? Py_NewRef(value) : found;
}

/* A record of a dict, or a list of records. */
static PyObject *accept_load(const struct alternative *accepted, PyObject *value,
                             struct task *task) {
    if (PyDict_CheckExact(value)) {
        return load_record_make(accepted->loads.record, value, -1, task);
    }
    const Py_ssize_t n = PyList_GET_SIZE(value);
    return n < accepted->loads.least || n > accepted->loads.greatest
               ? NULL
               : load_record_make_all(accepted->loads.record, value, task);
}

/* A tuple of the list that is made of a list or tuple. */
static PyObject *accept_tuple(const struct alternative *accepted, PyObject *value,
                              struct task *task) {
    PyObject *const items = accept_value(accepted->inner, value, task);
    PyObject *const made = items != NULL ? PySequence_Tuple(items) : NULL;
    Py_XDECREF(items);
    return made;
}

/* A value of the type of an alternative, or of any type where that is for all others. */
static PyObject *accept_by_check(const struct alternative *accepted, PyObject *value,
                                 struct task *task) {
    switch (accepted->op) {
    case OP_TYPE: return Py_NewRef(value);
    case OP_INT: return kept_if(int_passes(accepted, value), value);
    case OP_FLOAT: return kept_if(float_passes(accepted, value), value);
    case OP_TEXT: return kept_if(text_passes(accepted, value), value);
    case OP_AMONG: return kept_if(is_among(accepted, value), value);
    case OP_PLAIN: return kept_if(is_plain(value, VALUE_MAX_DEPTH), value);
    case OP_REAL: return accept_real(accepted, value);
    case OP_CALL: return accept_call(accepted->validator, value);
    case OP_BARE: return accept_bare(accepted, value);
    case OP_DATE:
    case OP_DATETIME:
    case OP_UUID:
        return task->purpose == ACCEPT_FOR_TEXT && text_is_standard(accepted->standard, value)
                   ? Py_NewRef(value)
                   : without_error(text_validate(accepted->standard, value));
    case OP_TRIMMED:
    case OP_WHOLE: return accept_text(accepted, value);
    case OP_MAPPED:
    case OP_MAPPED_OR_SAME: return accept_mapped(accepted, value);
    case OP_DECIMAL:
        return validated(accepted->decimal.validator, decimal_of_value(accepted, value));
    case OP_DECIMAL_TEXT: return text_of_decimal(accepted, value);
    case OP_QUANTIZED: return kept_if(decimal_is_quantized(accepted, value), value);
    case OP_ISO: return text_of_moment(accepted, value);
    case OP_ISO_Z: return text_of_zoned(accepted, value);
    case OP_UUID_TEXT: return text_of_uuid(accepted, value);
    case OP_READ: return read_record_make(accepted->reads, value, task);
    case OP_READ_SINGLE: return read_record_single(accepted->reads, value, task);
    case OP_LOAD: return accept_load(accepted, value, task);
    case OP_FUNCTIONS: return accept_by_functions(accepted, value, task);
    case OP_TUPLE: return accept_tuple(accepted, value, task);
    case OP_ITEMS:
    case OP_PLACES: return accept_items(accepted, value, task);
    case OP_VALUES: return accept_values(accepted, value, task);
    case OP_MODEL: return accept_dict(accepted->model, value, task);
    case OP_TAGGED: return accept_tagged(accepted->choices, value, task);
    case OP_DERIVED: /* these are for the walk only: see compile.c */
    case OP_FINITE:
    case OP_SECONDS:
    case OP_FIELDS:
    case OP_AS_PYDANTIC:
    case OP_AS_MSGSPEC:
    case OP_AS_JSON: break;
    }
    Py_UNREACHABLE();
}

PyObject *accept_value(const struct node *node, PyObject *value, struct task *task) {
    return accept(node, value, task);
}

PyObject *accepted_value(const struct node *node, PyObject *value, enum acceptance_purpose purpose,
                         PyObject *outcomes) {
    struct task task = {.purpose = purpose, .outcomes = outcomes};
    /* dicts are read and made in place */
    return KNOWS_LAYOUTS && layouts_hold() ? accept(node, value, &task) : NULL;
}
