/* SPDX-License-Identifier: MIT */
/* Making values of decoded JSON by a plan. Functions of the application run in the midst of it, and
 * the garbage collector may show them the containers: each item is held while it is used, and where
 * the next one is is asked again. */
#include "validate/typed.h"

#include "pyobject/copy.h"
#include "pyobject/dict.h"
#include "pyobject/object.h"
#include "pyobject/type.h"

/* Most records have no more fields. */
#define FEW_FIELDS 16

struct typed_task {
    struct typed_fault *fault;
    int depth;           /* containers around the value */
    bool is_ours;        /* the containers may be changed */
    bool reads_in_place; /* dicts, as far as their layout is known */
};

static const char *const KIND_NAMES[] = {"null", "bool", "int", "float", "str", "array", "object"};

static ALWAYS_INLINE enum json_kind kind_of(PyObject *value) {
    const PyTypeObject *const type = Py_TYPE(value);
    return type == &PyUnicode_Type ? KIND_OF_STR
           : type == &PyLong_Type  ? KIND_OF_INT
           : type == &PyFloat_Type ? KIND_OF_FLOAT
           : type == &PyDict_Type  ? KIND_OF_OBJECT
           : type == &PyList_Type  ? KIND_OF_ARRAY
           : type == &PyBool_Type  ? KIND_OF_BOOL
           : value == Py_None      ? KIND_OF_NULL
                                   : KIND_OF_OTHER;
}

/* ---- faults --------------------------------------------------------------------------------- */

void typed_fault_clear(struct typed_fault *fault) {
    Py_CLEAR(fault->message);
    Py_CLEAR(fault->expected);
    Py_CLEAR(fault->given);
    Py_CLEAR(fault->steps);
    Py_CLEAR(fault->cause);
    fault->reason = NULL;
}

/* Begin a fault with its message, which is stolen; always NULL, with an exception where the message
 * is NULL. */
static COLD PyObject *fault_begin(struct typed_task *task, const char *reason, PyObject *message) {
    struct typed_fault *const fault = task->fault;
    typed_fault_clear(fault);
    fault->message = message;
    fault->steps = message != NULL ? PyList_New(0) : NULL;
    fault->reason = fault->steps != NULL ? reason : NULL;
    return NULL;
}

/* Add a step to a fault, where there is one. The step is stolen. */
static COLD void fault_add_step(struct typed_task *task, PyObject *step) {
    struct typed_fault *const fault = task->fault;
    if (fault->reason != NULL && (step == NULL || PyList_Append(fault->steps, step) != 0)) {
        typed_fault_clear(fault);
    }
    Py_XDECREF(step);
}

static COLD void fault_add_index(struct typed_task *task, Py_ssize_t index) {
    if (task->fault->reason != NULL) {
        fault_add_step(task, PyLong_FromSsize_t(index));
    }
}

/* The value is of a kind that the node refuses. */
static COLD PyObject *refuse_kind(const struct type_node *node, PyObject *value,
                                  struct typed_task *task) {
    const enum json_kind kind = kind_of(value);
    PyObject *const given = kind < N_JSON_KINDS ? PyUnicode_FromString(KIND_NAMES[kind])
                                                : type_full_name(Py_TYPE(value));
    if (given == NULL) {
        return NULL;
    }
    fault_begin(task, "type", PyUnicode_FromFormat("Expected %U, got %U", node->expected, given));
    task->fault->expected = Py_NewRef(node->expected);
    task->fault->given = given;
    return NULL;
}

/* Of a value that an error shows. */
#define MAX_SHOWN_CHARS 40

/* The first characters of a str; otherwise the object. */
static PyObject *shown_part(PyObject *object) {
    const bool is_long = PyUnicode_Check(object) && PyUnicode_GET_LENGTH(object) > MAX_SHOWN_CHARS;
    return is_long ? PyUnicode_Substring(object, 0, MAX_SHOWN_CHARS) : Py_NewRef(object);
}

/* The first characters of a str or int, as Python writes it. */
static PyObject *shown_value(PyObject *value) {
    PyObject *const part = shown_part(value);
    PyObject *const whole = part != NULL ? PyObject_Repr(part) : NULL;
    PyObject *const text =
        whole != NULL && !PyUnicode_Check(value) ? shown_part(whole) : Py_XNewRef(whole);
    const bool is_cut = part != value || text != whole;
    PyObject *const shown =
        text != NULL ? PyUnicode_FromFormat(is_cut ? "%U..." : "%U", text) : NULL;
    Py_XDECREF(text);
    Py_XDECREF(whole);
    Py_XDECREF(part);
    return shown;
}

/* A str, int, bool or None is not one of those that are expected. */
static COLD PyObject *refuse_value(PyObject *expected, PyObject *value, struct typed_task *task) {
    PyObject *const given = shown_value(value);
    if (given == NULL) {
        return NULL;
    }
    fault_begin(task, "value", PyUnicode_FromFormat("Expected %U, got %U", expected, given));
    task->fault->expected = Py_NewRef(expected);
    task->fault->given = given;
    return NULL;
}

/* An exception that code of a class or a check has raised: a ValueError or TypeError is a fault,
 * all others stay. Always NULL. */
static COLD PyObject *refuse_by_exception(struct typed_task *task) {
    if (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyObject *const cause = raised_take();
        PyObject *const text = PyObject_Str(cause);
        if (text != NULL) {
            fault_begin(task, "value", PyUnicode_FromFormat("%U", text));
            Py_XSETREF(task->fault->cause, Py_NewRef(cause));
            Py_DECREF(text);
        }
        Py_DECREF(cause);
    }
    return NULL;
}

static COLD PyObject *refuse_length(Py_ssize_t least, Py_ssize_t greatest, Py_ssize_t n,
                                    struct typed_task *task) {
    PyObject *const expected = least == greatest
                                   ? PyUnicode_FromFormat("array of %zd", greatest)
                                   : PyUnicode_FromFormat("array of %zd to %zd", least, greatest);
    PyObject *const given = PyUnicode_FromFormat("array of %zd", n);
    if (expected != NULL && given != NULL) {
        fault_begin(task, "length", PyUnicode_FromFormat("Expected %U, got %zd", expected, n));
    }
    Py_XSETREF(task->fault->expected, expected);
    Py_XSETREF(task->fault->given, given);
    return NULL;
}

/* A field is missing or unknown. The key may be that of a dict which finalizers clear meanwhile. */
const char *const FAULT_OF_DEPTH = "depth";

/* Whether a container may be entered; where it may, it is left by Py_LeaveRecursiveCall. False with
 * a fault, or with RecursionError where the call itself is too deep in the stack. */
static bool enter_container(struct typed_task *task) {
    if (LIKELY(task->depth < TYPED_MAX_DEPTH) &&
        LIKELY(Py_EnterRecursiveCall(" while making values of declared types") == 0)) {
        return true;
    }
    if (task->depth > 0 && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_RecursionError))) {
        PyErr_Clear(); /* it is the document's */
        fault_begin(task, FAULT_OF_DEPTH,
                    PyUnicode_FromFormat(
                        "Values of declared types are nested deeper than %d levels", task->depth));
    }
    return false;
}

static COLD bool refuse_field(const char *reason, const char *format, PyObject *key,
                              struct typed_task *task) {
    Py_INCREF(key);
    PyObject *const shown = shown_value(key);
    if (shown != NULL) {
        fault_begin(task, reason, PyUnicode_FromFormat(format, shown));
        Py_DECREF(shown);
        Py_XSETREF(task->fault->expected, Py_NewRef(key));
    }
    Py_DECREF(key);
    return false;
}

/* Whether a container has another size than before code of the application ran, which had to find
 * it among all objects: then what is where is unknown. True with RuntimeError set. */
static bool has_changed(const char *kind, Py_ssize_t n, Py_ssize_t n_before) {
    if (LIKELY(n == n_before)) {
        return false;
    }
    PyErr_Format(PyExc_RuntimeError,
                 "code of the application has changed a %s of the document while it was decoded",
                 kind);
    return true;
}

bool list_has_changed(PyObject *list, Py_ssize_t n_before) {
    return has_changed("list", PyList_GET_SIZE(list), n_before);
}

static bool dict_has_changed(PyObject *dict, Py_ssize_t n_before) {
    return has_changed("dict", PyDict_GET_SIZE(dict), n_before);
}

/* ---- values --------------------------------------------------------------------------------- */

static PyObject *make_otherwise(const struct type_node *node, const struct typed_action *action,
                                PyObject *value, struct typed_task *task);

/* Whether a value stays as it is. */
static ALWAYS_INLINE bool node_keeps(const struct type_node *node, PyObject *value) {
    if (node == NULL || LIKELY(Py_TYPE(value) == node->kept[0]) ||
        Py_TYPE(value) == node->kept[1]) {
        return true;
    }
    const enum json_kind kind = kind_of(value);
    return kind != KIND_OF_OTHER && node->actions[kind].make == MAKE_SAME && node->check == NULL;
}

/* What a node makes of a value: a new reference; NULL with an exception or a fault. */
static ALWAYS_INLINE PyObject *make(const struct type_node *node, PyObject *value,
                                    struct typed_task *task) {
    if (LIKELY(node_keeps(node, value))) {
        return Py_NewRef(value);
    }
    const enum json_kind kind = kind_of(value);
    if (UNLIKELY(kind == KIND_OF_OTHER || node->actions[kind].make == MAKE_NOTHING)) {
        return refuse_kind(node, value, task);
    }
    return make_otherwise(node, &node->actions[kind], value, task);
}

/* A new list with the same items, or the list where it is ours. */
static PyObject *own_list(PyObject *list, const struct typed_task *task) {
    return task->is_ours ? Py_NewRef(list) : list_copy(list);
}

static PyObject *make_items(const struct type_node *node, PyObject *list, struct typed_task *task) {
    PyObject *const made = own_list(list, task);
    const Py_ssize_t n = made != NULL ? PyList_GET_SIZE(made) : 0;
    for (Py_ssize_t i = 0; made != NULL && i < PyList_GET_SIZE(made); i++) {
        PyObject *const item = PyList_GET_ITEM(made, i);
        if (node_keeps(node, item)) {
            continue;
        }
        Py_INCREF(item);
        PyObject *const result = make(node, item, task);
        Py_DECREF(item); /* the list holds it, unless Python code has changed the list */
        if (result == NULL) {
            fault_add_index(task, i);
        }
        if (result == NULL || list_has_changed(made, n)) {
            Py_XDECREF(result);
            Py_DECREF(made);
            return NULL;
        }
        PyList_SetItem(made, i, result);
    }
    return made;
}

/* What a callable makes of one argument, which is stolen; NULL where that is NULL. */
static PyObject *call_with(PyObject *callable, PyObject *argument, struct typed_task *task) {
    PyObject *const result = argument == NULL ? NULL
                             : callable == (PyObject *)&PyTuple_Type && PyList_CheckExact(argument)
                                 ? list_as_tuple(argument)
                                 : PyObject_CallOneArg(callable, argument);
    if (UNLIKELY(result == NULL) && argument != NULL) {
        refuse_by_exception(task);
    }
    Py_XDECREF(argument);
    return result;
}

/* Whether a class that has changed still makes objects as it did when the plan was made. */
static COLD bool record_still_fits(struct typed_record *record) {
    PyTypeObject *const type = (PyTypeObject *)record->class;
    for (int i = 0; i < N_OWN_METHODS; i++) {
        if (own_method_of(type, (enum own_method)i) != record->own[i]) {
            return false;
        }
    }
    if (record->style == RECORD_STORED && type->tp_new != PyBaseObject_Type.tp_new) {
        return false; /* a builtin base makes its objects: its __new__ may be hidden */
    }
    for (Py_ssize_t i = 0; record->style == RECORD_STORED && i < record->n_passed; i++) {
        if (type_slot_offset(type, record->fields[i].name) != record->fields[i].slot) {
            return false;
        }
    }
    STORE_SHARED(record->version, type_version(type));
    return true;
}

/* Whether storing values does what calling the class does. */
static bool record_is_as_planned(struct typed_record *record) {
    const unsigned version = LOAD_SHARED(record->version);
    return Py_TYPE(record->class)->tp_call == PyType_Type.tp_call &&
           ((LIKELY(version != 0) && type_version((PyTypeObject *)record->class) == version) ||
            record_still_fits(record));
}

/* A tuple of values, which are stolen. No one sees it before it is whole. */
static PyObject *tuple_of(PyObject **values, Py_ssize_t n) {
    PyObject *const made = PyTuple_New(n);
    for (Py_ssize_t i = 0; made != NULL && i < n; i++) {
        PyTuple_SET_ITEM(made, i, values[i]);
        values[i] = NULL;
    }
    return made;
}

/* A NamedTuple of values, which are stolen, and of the defaults of those that are absent. */
static PyObject *named_tuple_of(const struct typed_record *record, PyObject **values) {
    PyTypeObject *const type = (PyTypeObject *)record->class;
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        if (values[i] == NULL) {
            values[i] = Py_NewRef(record->fields[i].absent);
        }
    }
#if PY_VERSION_HEX < 0x030e0000
    PyObject *const made = type->tp_alloc(type, record->n_fields);
    for (Py_ssize_t i = 0; made != NULL && i < record->n_fields; i++) {
        PyTuple_SET_ITEM(made, i, values[i]);
        values[i] = NULL;
    }
    return made;
#else /* later tuples keep their hash, too */
    PyObject *const items = tuple_of(values, record->n_fields);
    PyObject *const arguments = items != NULL ? PyTuple_Pack(1, items) : NULL;
    PyObject *const made = arguments != NULL ? PyTuple_Type.tp_new(type, arguments, NULL) : NULL;
    Py_XDECREF(arguments);
    Py_XDECREF(items);
    return made;
#endif
}

/* What becomes of the values of places; n of them are there. */
static PyObject *places_become(const struct typed_action *action, PyObject **values, Py_ssize_t n,
                               struct typed_task *task) {
    if (action->callable == NULL) {
        return tuple_of(values, n);
    }
    if (action->record != NULL && record_is_as_planned(action->record)) {
        return named_tuple_of(action->record, values);
    }
    PyObject *const made = PyObject_Vectorcall(action->callable, values, (size_t)n, NULL);
    return made != NULL ? made : refuse_by_exception(task);
}

/* Room for n values, all NULL: `few`, or on the heap. NULL with MemoryError set. */
static PyObject **values_begin(PyObject **few, Py_ssize_t n) {
    PyObject **const values =
        LIKELY(n <= FEW_FIELDS) ? few : PyMem_Malloc((size_t)n * sizeof *values);
    if (values == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memset(values, 0, (size_t)n * sizeof *values);
    return values;
}

static void values_end(PyObject **values, const PyObject *const *few, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_XDECREF(values[i]);
    }
    if (UNLIKELY((const PyObject *const *)values != few)) {
        PyMem_Free(values);
    }
}

/* A tuple, or what a class makes of the items. */
static PyObject *make_places(const struct typed_action *action, PyObject *list,
                             struct typed_task *task) {
    const Py_ssize_t n = PyList_GET_SIZE(list);
    if (n < action->least || n > action->n) {
        return refuse_length(action->least, action->n, n, task);
    }
    PyObject *few[FEW_FIELDS];
    PyObject **const values = values_begin(few, action->n);
    if (values == NULL) {
        return NULL;
    }
    bool is_good = true;
    for (Py_ssize_t i = 0; is_good && i < n; i++) {
        PyObject *const item = Py_NewRef(PyList_GET_ITEM(list, i));
        values[i] = make(action->nodes[i], item, task);
        Py_DECREF(item);
        if (values[i] == NULL) {
            fault_add_index(task, i);
        }
        is_good = values[i] != NULL && !list_has_changed(list, n);
    }
    PyObject *const made = is_good ? places_become(action, values, n, task) : NULL;
    values_end(values, (const PyObject *const *)few, action->n);
    return made;
}

/* A dict whose keys are made, too. */
static PyObject *make_pairs(const struct typed_action *action, PyObject *dict,
                            struct typed_task *task) {
    PyObject *const made = PyDict_New();
    const Py_ssize_t n = PyDict_GET_SIZE(dict);
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *item;
    while (made != NULL && PyDict_Next(dict, &position, &key, &item)) {
        Py_INCREF(key);
        Py_INCREF(item);
        PyObject *const made_key = make(action->nodes[0], key, task);
        PyObject *const result = made_key != NULL ? make(action->nodes[1], item, task) : NULL;
        bool is_put = result != NULL && PyDict_SetItem(made, made_key, result) == 0;
        if (result == NULL) {
            fault_add_step(task, Py_NewRef(key));
        } else if (!is_put) {
            refuse_by_exception(task); /* the key cannot be hashed */
        }
        is_put = is_put && !dict_has_changed(dict, n);
        Py_XDECREF(result);
        Py_XDECREF(made_key);
        Py_DECREF(item);
        Py_DECREF(key);
        if (!is_put) {
            Py_DECREF(made);
            return NULL;
        }
    }
    return made;
}

static PyObject *make_dict(const struct typed_action *action, PyObject *dict,
                           struct typed_task *task) {
    if (action->nodes[0] != NULL) {
        return make_pairs(action, dict, task);
    }
    const struct type_node *const node = action->nodes[1];
    PyObject *const made = task->is_ours ? Py_NewRef(dict) : dict_copy(dict);
    const Py_ssize_t n = made != NULL ? PyDict_GET_SIZE(made) : 0;
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *item;
    while (made != NULL && PyDict_Next(made, &position, &key, &item)) {
        if (node_keeps(node, item)) {
            continue;
        }
        Py_INCREF(key);
        Py_INCREF(item);
        PyObject *const result = make(node, item, task);
        const bool is_put =
            result != NULL && !dict_has_changed(made, n) && PyDict_SetItem(made, key, result) == 0;
        if (result == NULL) {
            fault_add_step(task, Py_NewRef(key));
        }
        Py_XDECREF(result);
        Py_DECREF(item);
        Py_DECREF(key);
        if (!is_put) {
            Py_DECREF(made);
            return NULL;
        }
    }
    return made;
}

/* ---- records -------------------------------------------------------------------------------- */

/* The place of the field that has a key, which is expected at a place; n_fields where none has. */
static ALWAYS_INLINE Py_ssize_t field_place(struct typed_record *record, PyObject *key,
                                            Py_ssize_t expected) {
    if (LIKELY(expected < record->n_fields)) {
        struct typed_field *const field = &record->fields[expected];
        if (LIKELY(field->last == key)) {
            return expected;
        }
        if (LIKELY(names_are_equal(field->key, key))) {
#if !IS_FREE_THREADED
            Py_XSETREF(field->last, Py_NewRef(key)); /* a str, whose end runs no Python code */
#endif
            return expected;
        }
    }
    PyObject *const place = PyDict_GetItemWithError(record->place_of, key); /* borrowed */
    return place != NULL ? PyLong_AsSsize_t(place) : record->n_fields;
}

/* Put the values of a dict in the places of their fields, each owned; runs no Python code. False
 * with an exception or a fault. */
static bool place_values(struct typed_record *record, PyObject *dict, PyObject **values,
                         Py_ssize_t *n_known, Py_ssize_t *n_unknown, struct typed_task *task) {
    struct dict_cursor cursor =
        task->reads_in_place ? dict_cursor(dict) : (struct dict_cursor){.position = 0};
    Py_ssize_t expected = 0;
    PyObject *key;
    PyObject *item;
    while (dict_cursor_next(&cursor, dict, &key, &item)) {
        if (UNLIKELY(!PyUnicode_CheckExact(key))) { /* of no JSON */
            refuse_field("unknown", "Unknown field %U", key, task);
            return false;
        }
        const Py_ssize_t place = field_place(record, key, expected);
        if (LIKELY(place < record->n_fields)) {
            expected = place + 1;
            values[place] = Py_NewRef(item); /* the keys of a dict differ, so it was NULL */
            ++*n_known;
            continue;
        }
        if (UNLIKELY(PyErr_Occurred() != NULL)) {
            return false;
        }
        if (record->forbids_unknown) {
            Py_INCREF(key);
            refuse_field("unknown", "Unknown field %U", key, task);
            fault_add_step(task, key);
            return false;
        }
        ++*n_unknown;
    }
    return true;
}

/* Fill in the value of a field that is absent, if it has a default; false with an exception or a
 * fault. */
static bool take_default(const struct typed_field *field, PyObject **value,
                         struct typed_task *task) {
    if (field->absent != NULL) {
        *value = Py_NewRef(field->absent);
    } else if (field->factory != NULL) {
        *value = PyObject_CallNoArgs(field->factory);
        if (*value == NULL) {
            refuse_by_exception(task);
            return false;
        }
    }
    return true;
}

/* The first field that must be there and is not, or NULL. */
static const struct typed_field *missing_field(const struct typed_record *record,
                                               PyObject *const *values) {
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        if (values[i] == NULL && record->fields[i].is_required) {
            return &record->fields[i];
        }
    }
    return NULL;
}

/* Make the values of the fields, n of which are there; false with an exception or a fault. */
static bool make_values(const struct typed_record *record, PyObject **values, Py_ssize_t n,
                        struct typed_task *task) {
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        const struct typed_field *const field = &record->fields[i];
        PyObject *const value = values[i];
        if (value == NULL || LIKELY(node_keeps(field->node, value))) {
            continue;
        }
        values[i] = make(field->node, value, task);
        Py_DECREF(value);
        if (UNLIKELY(values[i] == NULL)) {
            fault_add_step(task, Py_NewRef(field->key));
            return false;
        }
    }
    if (LIKELY(n == record->n_fields)) {
        return true;
    }
    const struct typed_field *const missing = missing_field(record, values);
    if (missing != NULL) {
        return refuse_field("missing", "Missing field %U", missing->key, task);
    }
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        if (values[i] == NULL && !take_default(&record->fields[i], &values[i], task)) {
            return false;
        }
    }
    return true;
}

/* Call the class with those of the values that there are. */
static PyObject *record_call_by_name(const struct typed_record *record, PyObject **values) {
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < record->n_passed; i++) {
        n += values[i] != NULL;
    }
    PyObject **const given = PyMem_Malloc(((size_t)n + 1) * sizeof *given);
    PyObject *const names = given != NULL ? PyTuple_New(n) : PyErr_NoMemory();
    Py_ssize_t place = 0;
    for (Py_ssize_t i = 0; names != NULL && i < record->n_passed; i++) {
        if (values[i] != NULL) {
            PyTuple_SET_ITEM(names, place++, Py_NewRef(record->fields[i].name));
            given[place] = values[i]; /* the first place is the callee's */
        }
    }
    PyObject *const made =
        names != NULL
            ? PyObject_Vectorcall(record->class, given + 1, PY_VECTORCALL_ARGUMENTS_OFFSET, names)
            : NULL;
    PyMem_Free(given);
    Py_XDECREF(names);
    return made;
}

/* A new object with the values, as the __init__ of a dataclass makes it. */
static PyObject *record_store(const struct typed_record *record, PyObject **values) {
    PyTypeObject *const type = (PyTypeObject *)record->class;
    PyObject *const no_arguments = PyTuple_New(0); /* the empty tuple, which is shared */
    PyObject *const made =
        no_arguments != NULL ? PyBaseObject_Type.tp_new(type, no_arguments, NULL) : NULL;
    Py_XDECREF(no_arguments);
    for (Py_ssize_t i = 0; made != NULL && i < record->n_passed; i++) {
        const Py_ssize_t slot = record->fields[i].slot;
        if (slot >= 0) {
            slot_put(made, slot, values[i]);
            values[i] = NULL;
        } else if (PyObject_GenericSetAttr(made, record->fields[i].name, values[i]) != 0) {
            Py_DECREF(made);
            return NULL;
        }
    }
    if (made != NULL && record->has_post_init) {
        PyObject *const name = PyUnicode_InternFromString("__post_init__");
        PyObject *const answer = name != NULL ? PyObject_CallMethodNoArgs(made, name) : NULL;
        Py_XDECREF(name);
        Py_XDECREF(answer);
        if (answer == NULL) {
            Py_DECREF(made);
            return NULL;
        }
    }
    return made;
}

/* The object of all values; NULL with an exception. */
static PyObject *record_make(struct typed_record *record, PyObject **values) {
    switch (record->style) {
    case RECORD_BY_PLACE:
        return PyObject_Vectorcall(record->class, values, (size_t)record->n_positional,
                                   record->later_names);
    case RECORD_STORED:
        return LIKELY(record_is_as_planned(record)) ? record_store(record, values)
                                                    : record_call_by_name(record, values);
    case RECORD_BY_NAME: return record_call_by_name(record, values);
    case RECORD_DICT:
    case RECORD_TUPLE: break; /* made elsewhere */
    }
    Py_UNREACHABLE();
}

/* The dict of a TypedDict: the values in their places, without keys of no field. */
static PyObject *record_dict(const struct typed_record *record, PyObject *dict, PyObject **values,
                             Py_ssize_t n_unknown, const struct typed_task *task) {
    PyObject *const made = task->is_ours ? Py_NewRef(dict) : dict_copy(dict);
    PyObject *const keys = made != NULL && n_unknown > 0 ? PyDict_Keys(made) : NULL;
    bool is_good = made != NULL && (n_unknown == 0 || keys != NULL);
    for (Py_ssize_t i = 0; is_good && keys != NULL && i < PyList_GET_SIZE(keys); i++) {
        PyObject *const key = Py_NewRef(PyList_GET_ITEM(keys, i));
        const int is_known = PyDict_Contains(record->place_of, key);
        is_good = is_known == 1 || (is_known == 0 && PyDict_DelItem(made, key) == 0);
        Py_DECREF(key);
    }
    for (Py_ssize_t i = 0; is_good && i < record->n_fields; i++) {
        PyObject *const key = record->fields[i].key;
        is_good = values[i] == NULL || PyDict_GetItemWithError(made, key) == values[i] ||
                  (!PyErr_Occurred() && PyDict_SetItem(made, key, values[i]) == 0);
    }
    Py_XDECREF(keys);
    if (!is_good) {
        Py_XDECREF(made);
        return NULL;
    }
    return made;
}

static PyObject *make_record(struct typed_record *record, PyObject *dict, struct typed_task *task) {
    PyObject *few[FEW_FIELDS];
    PyObject **const values = values_begin(few, record->n_fields);
    if (UNLIKELY(values == NULL)) {
        return NULL;
    }
    PyObject *made = NULL;
    Py_ssize_t n_known = 0;
    Py_ssize_t n_unknown = 0;
    if (place_values(record, dict, values, &n_known, &n_unknown, task) &&
        make_values(record, values, n_known, task)) {
        if (record->style != RECORD_DICT) {
            made = record_make(record, values);
        } else if (!dict_has_changed(dict, n_known + n_unknown)) {
            made = record_dict(record, dict, values, n_unknown, task);
        }
        if (UNLIKELY(made == NULL)) {
            refuse_by_exception(task);
        }
    }
    values_end(values, (const PyObject *const *)few, record->n_fields);
    return made;
}

/* What the node of a dict's tag makes. */
static PyObject *make_tagged(const struct typed_action *action, PyObject *dict,
                             struct typed_task *task) {
    PyObject *const tag = dict_get(dict, action->tag_key);
    if (tag == NULL) {
        refuse_field("missing", "Missing field %U", action->tag_key, task);
        return NULL;
    }
    const bool can_be = PyUnicode_CheckExact(tag) || PyLong_CheckExact(tag);
    PyObject *const place = can_be ? PyDict_GetItemWithError(action->mapping, tag) : NULL;
    PyObject *made = NULL;
    if (place != NULL) {
        made = make(action->nodes[PyLong_AsSsize_t(place)], dict, task);
    } else if (!PyErr_Occurred()) {
        refuse_value(action->expected, tag, task);
        fault_add_step(task, Py_NewRef(action->tag_key));
    }
    Py_DECREF(tag);
    return made;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static PyObject *make_mapped(const struct typed_action *action, PyObject *value,
                             struct typed_task *task) {
    PyObject *const result = PyDict_GetItemWithError(action->mapping, value); /* borrowed */
    if (UNLIKELY(result == NULL)) {
        return PyErr_Occurred() ? NULL : refuse_value(action->expected, value, task);
    }
    return Py_NewRef(result);
}

static PyObject *make_text(const struct typed_action *action, PyObject *text,
                           struct typed_task *task) {
    PyObject *const result = text_validate(action->text, text);
    return LIKELY(result != NULL) ? result : refuse_by_exception(task);
}

static PyObject *make_float(PyObject *value, struct typed_task *task) {
    const double number = PyLong_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        fault_begin(task, "value",
                    PyUnicode_FromString("Expected float, got an int beyond every float"));
        return NULL;
    }
    return PyFloat_FromDouble(number);
}

/* A container that no other thread changes: the same one, or a copy. */
static PyObject *unshared(PyObject *container, const struct typed_task *task) {
    if (!IS_FREE_THREADED || task->is_ours) {
        return Py_NewRef(container);
    }
    return PyDict_CheckExact(container) ? dict_copy(container) : list_copy(container);
}

static PyObject *make_container(const struct typed_action *action, PyObject *given,
                                struct typed_task *task) {
    if (UNLIKELY(!enter_container(task))) {
        return NULL;
    }
    PyObject *const value = unshared(given, task);
    if (value == NULL) {
        Py_LeaveRecursiveCall();
        return NULL;
    }
    task->depth++;
    PyObject *result = NULL;
    switch (action->make) {
    case MAKE_LIST: result = make_items(action->nodes[0], value, task); break;
    case MAKE_OF_ITEMS:
        result = call_with(action->callable, make_items(action->nodes[0], value, task), task);
        break;
    case MAKE_PLACES: result = make_places(action, value, task); break;
    case MAKE_DICT: result = make_dict(action, value, task); break;
    case MAKE_RECORD: result = make_record(action->record, value, task); break;
    case MAKE_TAGGED: result = make_tagged(action, value, task); break;
    case MAKE_NOTHING:
    case MAKE_SAME:
    case MAKE_FLOAT:
    case MAKE_MAPPED:
    case MAKE_CALL:
    case MAKE_NODE:
    case MAKE_DATE:
    case MAKE_DATETIME:
    case MAKE_UUID: Py_UNREACHABLE(); /* not of a container: see make_otherwise */
    }
    task->depth--;
    Py_DECREF(value);
    Py_LeaveRecursiveCall();
    return result;
}

static PyObject *make_otherwise(const struct type_node *node, const struct typed_action *action,
                                PyObject *value, struct typed_task *task) {
    if (action->make == MAKE_NODE) {
        action = &action->nodes[0]->actions[kind_of(value)];
    }
    PyObject *result = NULL;
    switch (action->make) {
    case MAKE_NOTHING:
    case MAKE_NODE: Py_UNREACHABLE(); /* refused before; leads to no other MAKE_NODE */
    case MAKE_SAME: result = Py_NewRef(value); break;
    case MAKE_FLOAT: result = make_float(value, task); break;
    case MAKE_MAPPED: result = make_mapped(action, value, task); break;
    case MAKE_CALL: result = call_with(action->callable, Py_NewRef(value), task); break;
    case MAKE_DATE:
    case MAKE_DATETIME:
    case MAKE_UUID: result = make_text(action, value, task); break;
    case MAKE_LIST:
    case MAKE_OF_ITEMS:
    case MAKE_PLACES:
    case MAKE_DICT:
    case MAKE_RECORD:
    case MAKE_TAGGED: result = make_container(action, value, task); break;
    }
    if (UNLIKELY(node->check != NULL) && result != NULL) {
        PyObject *const answer = PyObject_CallOneArg(node->check, result);
        if (answer == NULL) {
            refuse_by_exception(task);
            Py_CLEAR(result);
        }
        Py_XDECREF(answer);
    }
    return result;
}

PyObject *type_plan_make(const struct type_plan *plan, PyObject *value, bool is_ours,
                         struct typed_fault *fault) {
    struct typed_task task = {
        .fault = fault, .is_ours = is_ours, .reads_in_place = KNOWS_LAYOUTS && layouts_hold()};
    /* the parser did not collect either: until now nothing is garbage */
    const bool was_collecting = !plan->runs_code && collector_pause();
    PyObject *const result = make(&plan->nodes[0], value, &task);
    collector_go_on(was_collecting);
    if (UNLIKELY(result == NULL)) {
        if (PyErr_Occurred()) { /* of code that ran after a fault was found */
            typed_fault_clear(fault);
        } else if (fault->reason == NULL) {
            PyErr_NoMemory();
        }
    }
    return result;
}
