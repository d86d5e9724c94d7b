/* SPDX-License-Identifier: MIT */
/* Making values of decoded JSON by a plan. Functions of the application run in the midst of it, and
 * the garbage collector may show them the containers: each item is held while it is used, and where
 * the next one is is asked again. */
#include "schema/typed.h"

#include "pyobject/copy.h"
#include "pyobject/dict.h"
#include "pyobject/object.h"
#include "pyobject/type.h"

/* What is kept on the stack; more is on the heap. */
#define FEW_FRAMES 8
#define FEW_VALUES 64

/* A container whose items are being made. */
struct typed_frame {
    const struct typed_action *action; /* borrowed of the plan */
    PyObject *check;                   /* borrowed of the plan; or NULL */
    PyObject *source;                  /* owned: the list or dict */
    PyObject *made;     /* owned: the list or dict that items go into; NULL: they become values */
    PyObject *key;      /* owned: of the item that is made; or NULL */
    PyObject *made_key; /* owned: what becomes of it; or NULL */
    Py_ssize_t at;      /* where the next item is */
    Py_ssize_t n;       /* items of the source */
    Py_ssize_t n_known; /* items of the source that have a field */
    Py_ssize_t first;   /* the place of its values */
    Py_ssize_t n_values;
};

struct typed_task {
    struct typed_fault *fault;
    bool is_ours;               /* the containers may be changed */
    bool reads_in_place;        /* dicts, as far as their layout is known */
    int n_frames;               /* containers around the value */
    int frame_room;             /* frames that there is memory for */
    struct typed_frame *frames; /* few_frames, or on the heap */
    PyObject **values;          /* few_values, or on the heap; each owned, or NULL */
    Py_ssize_t n_values;        /* of all frames */
    Py_ssize_t value_room;      /* values that there is memory for */
    struct typed_frame *few_frames;
    PyObject **few_values;
};

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

/* What came of making a value. */
enum outcome {
    FAILED,  /* there is an exception or a fault */
    MADE,    /* the result is a new reference */
    ENTERED, /* the value is a container, whose frame was added: its items come first */
};

static enum outcome make_otherwise(const struct typed_action *action, PyObject *value,
                                   struct typed_task *task, PyObject **result);

/* Whether a value stays as it is. */
static ALWAYS_INLINE bool node_keeps(const struct type_node *node, PyObject *value) {
    if (node == NULL || LIKELY(Py_TYPE(value) == node->kept[0]) ||
        Py_TYPE(value) == node->kept[1]) {
        return true;
    }
    const enum json_kind kind = kind_of(value);
    return kind != KIND_OF_OTHER && node->actions[kind].make == MAKE_SAME &&
           node->actions[kind].check == NULL;
}

/* Make what a node makes of a value, which the caller holds; the result is otherwise untouched. */
static ALWAYS_INLINE enum outcome make(const struct type_node *node, PyObject *value,
                                       struct typed_task *task, PyObject **result) {
    if (LIKELY(node_keeps(node, value))) {
        *result = Py_NewRef(value);
        return MADE;
    }
    const enum json_kind kind = kind_of(value);
    if (UNLIKELY(kind == KIND_OF_OTHER || node->actions[kind].make == MAKE_NOTHING)) {
        refuse_kind(node, value, task->fault);
        return FAILED;
    }
    return make_otherwise(&node->actions[kind], value, task, result);
}

/* What was made, which is stolen, where the check takes it; otherwise NULL with an exception or a
 * fault. */
static ALWAYS_INLINE PyObject *checked(PyObject *check, PyObject *made, struct typed_task *task) {
    if (LIKELY(check == NULL) || made == NULL) {
        return made;
    }
    PyObject *const answer = PyObject_CallOneArg(check, made);
    if (answer == NULL) {
        refuse_by_exception(task->fault);
        Py_CLEAR(made);
    }
    Py_XDECREF(answer);
    return made;
}

/* What a callable makes of one argument, which is stolen; NULL where that is NULL. */
static PyObject *call_with(PyObject *callable, PyObject *argument, struct typed_task *task) {
    PyObject *const result = argument == NULL ? NULL
                             : callable == (PyObject *)&PyTuple_Type && PyList_CheckExact(argument)
                                 ? list_as_tuple(argument)
                                 : PyObject_CallOneArg(callable, argument);
    if (UNLIKELY(result == NULL) && argument != NULL) {
        refuse_by_exception(task->fault);
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
    return made != NULL ? made : refuse_by_exception(task->fault);
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
                         Py_ssize_t *n_known, struct typed_task *task) {
    struct dict_cursor cursor =
        task->reads_in_place ? dict_cursor(dict) : (struct dict_cursor){.position = 0};
    Py_ssize_t expected = 0;
    PyObject *key;
    PyObject *item;
    while (dict_cursor_next(&cursor, dict, &key, &item)) {
        if (UNLIKELY(!PyUnicode_CheckExact(key))) { /* of no JSON */
            refuse_field("unknown", "Unknown field %U", key, task->fault);
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
            refuse_field("unknown", "Unknown field %U", key, task->fault);
            fault_add_step(task->fault, key);
            return false;
        }
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
            refuse_by_exception(task->fault);
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

/* Fill in the values of the fields that are absent; false with an exception or a fault. */
static bool take_defaults(const struct typed_record *record, PyObject **values,
                          struct typed_task *task) {
    const struct typed_field *const missing = missing_field(record, values);
    if (missing != NULL) {
        return refuse_field("missing", "Missing field %U", missing->key, task->fault);
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
static PyObject *record_dict(const struct typed_record *record, PyObject *dict,
                             PyObject *const *values, Py_ssize_t n_unknown,
                             const struct typed_task *task) {
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

/* The object of a frame whose values are made; NULL with an exception or a fault. */
static PyObject *record_finish(const struct typed_frame *frame, struct typed_task *task) {
    struct typed_record *const record = frame->action->record;
    PyObject **const values = task->values + frame->first;
    if (UNLIKELY(frame->n_known < record->n_fields) && !take_defaults(record, values, task)) {
        return NULL;
    }
    PyObject *made = NULL;
    if (record->style != RECORD_DICT) {
        made = record_make(record, values);
    } else if (!dict_has_changed(frame->source, frame->n)) {
        made = record_dict(record, frame->source, values, frame->n - frame->n_known, task);
    }
    if (UNLIKELY(made == NULL)) {
        refuse_by_exception(task->fault);
    }
    return made;
}

/* The action of the node that a dict's tag leads to; NULL with an exception or a fault. */
static const struct typed_action *action_of_tag(const struct typed_action *action, PyObject *dict,
                                                struct typed_task *task) {
    PyObject *const tag = dict_get(dict, action->tag_key);
    if (tag == NULL) {
        refuse_field("missing", "Missing field %U", action->tag_key, task->fault);
        return NULL;
    }
    const bool can_be = PyUnicode_CheckExact(tag) || PyLong_CheckExact(tag);
    PyObject *const place = can_be ? PyDict_GetItemWithError(action->mapping, tag) : NULL;
    const struct typed_action *found = NULL;
    if (place != NULL) {
        found = &action->nodes[PyLong_AsSsize_t(place)]->actions[KIND_OF_OBJECT];
    } else if (!PyErr_Occurred()) {
        refuse_value(action->expected, tag, task->fault);
        fault_add_step(task->fault, Py_NewRef(action->tag_key));
    }
    Py_DECREF(tag);
    return found;
}

/* ---- scalars -------------------------------------------------------------------------------- */

static enum outcome make_mapped(const struct typed_action *action, PyObject *value,
                                struct typed_task *task, PyObject **result) {
    PyObject *const found = PyDict_GetItemWithError(action->mapping, value); /* borrowed */
    if (LIKELY(found != NULL)) {
        *result = checked(action->check, Py_NewRef(found), task);
        return *result != NULL ? MADE : FAILED;
    }
    if (action->n != 0 && !PyErr_Occurred()) {
        return make(action->nodes[0], value, task, result);
    }
    if (!PyErr_Occurred()) {
        refuse_value(action->expected, value, task->fault);
    }
    return FAILED;
}

/* Make what a node makes of the number that is the text of a key, or of the text. */
static enum outcome make_key(const struct typed_action *action, PyObject *text,
                             struct typed_task *task, PyObject **result) {
    PyObject *const value = call_with(action->callable, Py_NewRef(text), task);
    const enum outcome outcome =
        value != NULL ? make(action->nodes[0], value, task, result) : FAILED;
    Py_XDECREF(value);
    return outcome;
}

static PyObject *make_text(const struct typed_action *action, PyObject *text,
                           struct typed_task *task) {
    PyObject *const result = text_validate(action->text, text);
    return LIKELY(result != NULL) ? result : refuse_by_exception(task->fault);
}

static PyObject *make_float(PyObject *value, struct typed_task *task) {
    const double number = PyLong_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return refuse_int_as_float(task->fault);
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

/* Whether all items of a list stay as they are. */
static bool keeps_items(const struct type_node *node, PyObject *list) {
    Py_ssize_t i = 0;
    while (i < PyList_GET_SIZE(list) && node_keeps(node, PyList_GET_ITEM(list, i))) {
        i++;
    }
    return i == PyList_GET_SIZE(list);
}

static enum outcome enter(const struct typed_action *action, PyObject *check, PyObject *given,
                          struct typed_task *task);

static enum outcome make_otherwise(const struct typed_action *action, PyObject *value,
                                   struct typed_task *task, PyObject **result) {
    PyObject *made = NULL;
    switch (action->make) {
    case MAKE_NOTHING: Py_UNREACHABLE(); /* refused before */
    case MAKE_SAME: made = Py_NewRef(value); break;
    case MAKE_FLOAT: made = make_float(value, task); break;
    case MAKE_MAPPED: return make_mapped(action, value, task, result);
    case MAKE_CALL: made = call_with(action->callable, Py_NewRef(value), task); break;
    case MAKE_KEY: return make_key(action, value, task, result);
    case MAKE_DATE:
    case MAKE_DATETIME:
    case MAKE_UUID: made = make_text(action, value, task); break;
    case MAKE_NODE:
        return enter(&action->nodes[0]->actions[kind_of(value)], action->check, value, task);
    case MAKE_TAGGED: {
        const struct typed_action *found = action_of_tag(action, value, task);
        if (found != NULL && found->make == MAKE_NODE) {
            found = &found->nodes[0]->actions[KIND_OF_OBJECT];
        }
        return found != NULL ? enter(found, action->check, value, task) : FAILED;
    }
    case MAKE_LIST:
        if (task->is_ours && task->n_frames < TYPED_MAX_DEPTH &&
            keeps_items(action->nodes[0], value)) { /* it needs no frame */
            made = Py_NewRef(value);
            break;
        }
        return enter(action, action->check, value, task);
    case MAKE_OF_ITEMS:
    case MAKE_PLACES:
    case MAKE_DICT:
    case MAKE_RECORD: return enter(action, action->check, value, task);
    }
    *result = checked(action->check, made, task);
    return *result != NULL ? MADE : FAILED;
}

/* ---- containers ----------------------------------------------------------------------------- */

/* A copy of n things of a size, with room for `room`: `few` are not on the heap. NULL with
 * MemoryError set. */
static COLD void *grown(void *things, const void *few, size_t n, size_t room, size_t size) {
    void *const larger =
        things == few ? PyMem_Malloc(room * size) : PyMem_Realloc(things, room * size);
    if (larger == NULL) {
        PyErr_NoMemory();
    } else if (things == few) {
        memcpy(larger, few, n * size);
    }
    return larger;
}

/* Add a frame, which has no references yet; NULL with an exception or a fault. */
static struct typed_frame *typed_frame_push(struct typed_task *task) {
    if (UNLIKELY(task->n_frames == task->frame_room)) {
        if (task->n_frames >= TYPED_MAX_DEPTH) {
            return (void *)refuse_depth(task->fault);
        }
        const int room =
            task->frame_room < TYPED_MAX_DEPTH / 4 ? 4 * task->frame_room : TYPED_MAX_DEPTH;
        struct typed_frame *const frames = grown(
            task->frames, task->few_frames, (size_t)task->n_frames, (size_t)room, sizeof *frames);
        if (frames == NULL) {
            return NULL;
        }
        task->frames = frames;
        task->frame_room = room;
    }
    struct typed_frame *const frame = &task->frames[task->n_frames++];
    *frame = (struct typed_frame){.first = task->n_values};
    return frame;
}

/* Release the last frame. */
static void typed_frame_pop(struct typed_task *task) {
    const struct typed_frame frame = task->frames[--task->n_frames];
    PyObject *const *const values = task->values + frame.first;
    for (Py_ssize_t i = 0; i < frame.n_values; i++) {
        Py_XDECREF(values[i]);
    }
    task->n_values = frame.first;
    Py_XDECREF(frame.source);
    Py_XDECREF(frame.made);
    Py_XDECREF(frame.key);
    Py_XDECREF(frame.made_key);
}

/* Room for n values of the last frame, all NULL; NULL with MemoryError set. */
static PyObject **typed_frame_add_values(struct typed_frame *frame, Py_ssize_t n,
                                         struct typed_task *task) {
    if (UNLIKELY(n > task->value_room - task->n_values)) {
        const Py_ssize_t room = 2 * task->value_room + n;
        PyObject **const values = grown(task->values, task->few_values, (size_t)task->n_values,
                                        (size_t)room, sizeof *values);
        if (values == NULL) {
            return NULL;
        }
        task->values = values;
        task->value_room = room;
    }
    PyObject **const values = task->values + frame->first;
    memset(values, 0, (size_t)n * sizeof *values);
    frame->n_values = n;
    task->n_values += n;
    return values;
}

/* Prepare what the items of a frame go into; false with an exception or a fault. */
static bool typed_frame_begin(struct typed_frame *frame, struct typed_task *task) {
    const struct typed_action *const action = frame->action;
    PyObject *const source = frame->source;
    switch (action->make) {
    case MAKE_LIST:
    case MAKE_OF_ITEMS:
        frame->made = task->is_ours ? Py_NewRef(source) : list_copy(source);
        frame->n = frame->made != NULL ? PyList_GET_SIZE(frame->made) : 0;
        return frame->made != NULL;
    case MAKE_PLACES:
        frame->n = PyList_GET_SIZE(source);
        if (frame->n < action->least || frame->n > action->n) {
            refuse_length(action->least, action->n, frame->n, task->fault);
            return false;
        }
        return typed_frame_add_values(frame, action->n, task) != NULL;
    case MAKE_DICT:
        frame->n = PyDict_GET_SIZE(source);
        frame->made = action->nodes[0] != NULL ? PyDict_New()
                      : task->is_ours          ? Py_NewRef(source)
                                               : dict_copy(source);
        return frame->made != NULL;
    case MAKE_RECORD: {
        PyObject **const values = typed_frame_add_values(frame, action->record->n_fields, task);
        frame->n = PyDict_GET_SIZE(source);
        return values != NULL &&
               place_values(action->record, source, values, &frame->n_known, task);
    }
    case MAKE_NOTHING:
    case MAKE_SAME:
    case MAKE_FLOAT:
    case MAKE_MAPPED:
    case MAKE_CALL:
    case MAKE_KEY:
    case MAKE_NODE:
    case MAKE_DATE:
    case MAKE_DATETIME:
    case MAKE_UUID:
    case MAKE_TAGGED: break; /* not of a frame: see make_otherwise */
    }
    Py_UNREACHABLE();
}

/* Begin to make a container. */
static enum outcome enter(const struct typed_action *action, PyObject *check, PyObject *given,
                          struct typed_task *task) {
    struct typed_frame *const frame = typed_frame_push(task);
    if (UNLIKELY(frame == NULL)) {
        return FAILED;
    }
    frame->action = action;
    frame->check = check;
    frame->source = unshared(given, task);
    if (frame->source != NULL && LIKELY(typed_frame_begin(frame, task))) {
        return ENTERED;
    }
    typed_frame_pop(task);
    return FAILED;
}

/* Add the step to the item that is being made. */
static COLD void typed_frame_add_step(const struct typed_frame *frame, struct typed_task *task) {
    if (frame->key != NULL) {
        fault_add_step(task->fault, Py_NewRef(frame->key));
    } else if (frame->action->make == MAKE_RECORD) {
        fault_add_step(task->fault, Py_NewRef(frame->action->record->fields[frame->at].key));
    } else {
        fault_add_index(task->fault, frame->at);
    }
}

/* The dict whose items a frame of a dict takes. */
static PyObject *typed_frame_dict(const struct typed_frame *frame) {
    return frame->action->nodes[0] != NULL ? frame->source : frame->made;
}

/* Put the pair that was made into a dict. */
static bool put_pair(struct typed_frame *frame, PyObject *item, struct typed_task *task) {
    PyObject *const dict = typed_frame_dict(frame);
    bool is_put = !dict_has_changed(dict, frame->n);
    if (is_put && PyDict_SetItem(frame->made, frame->made_key, item) != 0) {
        refuse_by_exception(task->fault); /* the key cannot be hashed */
        is_put = false;
    }
    Py_DECREF(item);
    Py_CLEAR(frame->made_key);
    Py_CLEAR(frame->key);
    return is_put && !dict_has_changed(dict, frame->n);
}

/* Put the item that was made, which is stolen, where it belongs, and go on to the next one; false
 * with an exception or a fault. */
static ALWAYS_INLINE bool typed_frame_put(struct typed_frame *frame, PyObject *item,
                                          struct typed_task *task) {
    if (frame->made == NULL) {
        PyObject **const place = &task->values[frame->first + frame->at++];
        Py_XSETREF(*place, item);
        return frame->action->make == MAKE_RECORD || !list_has_changed(frame->source, frame->n);
    }
    if (PyDict_CheckExact(frame->made)) {
        return put_pair(frame, item, task);
    }
    if (list_has_changed(frame->made, frame->n)) {
        Py_DECREF(item);
        return false;
    }
    PyList_SetItem(frame->made, frame->at++, item);
    return true;
}

/* Make an item of a frame, which is held here meanwhile, and put it where it belongs. */
static ALWAYS_INLINE enum outcome typed_frame_make(struct typed_frame *frame,
                                                   const struct type_node *node, PyObject *item,
                                                   struct typed_task *task) {
    Py_INCREF(item);
    PyObject *result;
    const enum outcome outcome = make(node, item, task, &result);
    Py_DECREF(item);
    if (outcome == MADE) {
        return typed_frame_put(frame, result, task) ? MADE : FAILED;
    }
    if (outcome == FAILED) {
        typed_frame_add_step(frame, task);
    }
    return outcome;
}

/* Make the items that are left of a list, into a list or into values. */
static enum outcome make_items(struct typed_frame *frame, struct typed_task *task) {
    const struct type_node *const *const nodes = frame->action->nodes;
    const bool has_places = frame->action->make == MAKE_PLACES;
    PyObject *const list = has_places ? frame->source : frame->made;
    while (frame->at < PyList_GET_SIZE(list)) {
        const struct type_node *const node = nodes[has_places ? frame->at : 0];
        PyObject *const item = PyList_GET_ITEM(list, frame->at);
        if (!has_places && node_keeps(node, item)) {
            frame->at++;
            continue;
        }
        const enum outcome outcome = typed_frame_make(frame, node, item, task);
        if (outcome != MADE) {
            return outcome;
        }
    }
    return MADE;
}

/* Make the pairs that are left of a dict. */
static enum outcome make_pairs(struct typed_frame *frame, struct typed_task *task) {
    const struct type_node *const *const nodes = frame->action->nodes;
    PyObject *const dict = typed_frame_dict(frame);
    PyObject *key;
    PyObject *item;
    while (PyDict_Next(dict, &frame->at, &key, &item)) {
        if (nodes[0] == NULL && node_keeps(nodes[1], item)) {
            continue;
        }
        frame->key = Py_NewRef(key);
        Py_INCREF(item);
        enum outcome outcome = make(nodes[0], key, task, &frame->made_key);
        if (outcome == MADE) {
            outcome = typed_frame_make(frame, nodes[1], item, task);
        } else {
            typed_frame_add_step(frame, task);
        }
        Py_DECREF(item);
        if (outcome != MADE) {
            return outcome;
        }
    }
    return MADE;
}

/* Make the values that are left of the fields of a record. */
static enum outcome make_fields(struct typed_frame *frame, struct typed_task *task) {
    const struct typed_record *const record = frame->action->record;
    PyObject **const values = task->values + frame->first;
    for (Py_ssize_t i = frame->at; i < record->n_fields; i++) {
        const struct typed_field *const field = &record->fields[i];
        PyObject *const value = values[i];
        if (value == NULL || LIKELY(node_keeps(field->node, value))) {
            continue;
        }
        frame->at = i;
        const enum outcome outcome = typed_frame_make(frame, field->node, value, task);
        if (outcome != MADE) {
            return outcome;
        }
    }
    return MADE;
}

/* Make what is left of the items of a frame. */
static enum outcome typed_frame_go_on(struct typed_frame *frame, struct typed_task *task) {
    return frame->action->make == MAKE_RECORD ? make_fields(frame, task)
           : frame->action->make == MAKE_DICT ? make_pairs(frame, task)
                                              : make_items(frame, task);
}

/* What a frame whose items are made becomes; NULL with an exception or a fault. */
static PyObject *typed_frame_finish(struct typed_frame *frame, struct typed_task *task) {
    const struct typed_action *const action = frame->action;
    PyObject *result;
    if (action->make == MAKE_RECORD) {
        result = record_finish(frame, task);
    } else if (action->make == MAKE_PLACES) {
        result = places_become(action, task->values + frame->first, frame->n, task);
    } else {
        result = frame->made;
        frame->made = NULL;
        if (action->make == MAKE_OF_ITEMS) {
            result = call_with(action->callable, result, task);
        }
    }
    return checked(frame->check, result, task);
}

/* Make all that was entered: there is no recursion, so that documents take none of the C stack. */
static PyObject *make_all(struct typed_task *task) {
    PyObject *result = NULL;
    bool is_good = true;
    while (is_good && task->n_frames > 0) {
        struct typed_frame *const frame = &task->frames[task->n_frames - 1];
        const enum outcome outcome = typed_frame_go_on(frame, task);
        if (outcome == ENTERED) {
            continue;
        }
        result = outcome == MADE ? typed_frame_finish(frame, task) : NULL;
        is_good = result != NULL;
        typed_frame_pop(task);
        if (LIKELY(is_good) && task->n_frames > 0) {
            is_good = typed_frame_put(&task->frames[task->n_frames - 1], result, task);
            if (!is_good) {
                typed_frame_pop(task);
            }
        }
    }
    while (task->n_frames > 0) {
        typed_frame_add_step(&task->frames[task->n_frames - 1], task);
        typed_frame_pop(task);
    }
    return is_good ? result : NULL;
}

PyObject *type_plan_make(const struct type_plan *plan, PyObject *value, bool is_ours,
                         struct typed_fault *fault) {
    struct typed_frame few_frames[FEW_FRAMES];
    PyObject *few_values[FEW_VALUES];
    struct typed_task task = {.fault = fault,
                              .is_ours = is_ours,
                              .reads_in_place = KNOWS_LAYOUTS && layouts_hold(),
                              .frame_room = FEW_FRAMES,
                              .frames = few_frames,
                              .few_frames = few_frames,
                              .value_room = FEW_VALUES,
                              .values = few_values,
                              .few_values = few_values};
    /* the parser did not collect either: until now nothing is garbage */
    const bool was_collecting = !plan->runs_code && collector_pause();
    PyObject *result = NULL;
    if (make(&plan->nodes[0], value, &task, &result) == ENTERED) {
        result = make_all(&task);
    }
    collector_go_on(was_collecting);
    if (task.frames != few_frames) {
        PyMem_Free(task.frames);
    }
    if (task.values != few_values) {
        PyMem_Free(task.values);
    }
    if (UNLIKELY(result == NULL)) {
        if (PyErr_Occurred()) { /* of code that ran after a fault was found */
            typed_fault_clear(fault);
        } else if (fault->reason == NULL) {
            PyErr_NoMemory();
        }
    }
    return result;
}
