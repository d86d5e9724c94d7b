/* SPDX-License-Identifier: MIT */
#include "schema/typed.h"

#include "pyobject/type.h"
#include "schema/description.h"

static const char *const MAKES[] = {
#define MAKE(IDENTIFIER, NAME, ...) NAME,
    TYPED_MAKES(MAKE)
#undef MAKE
};

/* The kinds that can be made like that. */
static const unsigned char KINDS_OF_MAKES[] = {
#define MAKE(IDENTIFIER, NAME, KINDS, MEANING) KINDS,
    TYPED_MAKES(MAKE)
#undef MAKE
};

static const char *const STYLES[] = {
#define STYLE(IDENTIFIER, NAME, ...) NAME,
    RECORD_STYLES(STYLE)
#undef STYLE
};

static const char *const NAMES_OF_NODE[] = {"expected", "actions"};
static const char *const NAMES_OF_ACTION[] = {"make",   "call",  "mapping", "expected", "tag_key",
                                              "record", "least", "nodes",   "check"};
static const char *const NAMES_OF_RECORD[] = {"style",           "cls",          "fields",
                                              "forbids_unknown", "n_positional", "has_post_init"};
static const char *const NAMES_OF_FIELD[] = {"key",      "name",    "node",
                                             "required", "default", "factory"};

/* ---- release and visits ---------------------------------------------------------------------- */

static int typed_record_traverse(const struct typed_record *record, visitproc visit, void *arg) {
    if (record == NULL) {
        return 0;
    }
    Py_VISIT(record->class);
    Py_VISIT(record->place_of);
    Py_VISIT(record->later_names);
    for (int i = 0; i < N_OWN_METHODS; i++) {
        Py_VISIT(record->own[i]);
    }
    for (Py_ssize_t i = 0; i < record->n_fields; i++) {
        const struct typed_field *const field = &record->fields[i];
        Py_VISIT(field->key);
        Py_VISIT(field->last);
        Py_VISIT(field->name);
        Py_VISIT(field->absent);
        Py_VISIT(field->factory);
    }
    return 0;
}

static int typed_action_traverse(const struct typed_action *action, visitproc visit, void *arg) {
    Py_VISIT(action->check);
    Py_VISIT(action->callable);
    Py_VISIT(action->mapping);
    Py_VISIT(action->expected);
    Py_VISIT(action->tag_key);
    const int answer = text_validator_traverse(action->text, visit, arg);
    return answer != 0 ? answer : typed_record_traverse(action->record, visit, arg);
}

int type_plan_traverse(const struct type_plan *plan, visitproc visit, void *arg) {
    for (Py_ssize_t i = 0; plan != NULL && i < plan->n; i++) {
        Py_VISIT(plan->nodes[i].expected);
        for (int kind = 0; kind < N_JSON_KINDS; kind++) {
            const int answer = typed_action_traverse(&plan->nodes[i].actions[kind], visit, arg);
            if (answer != 0) {
                return answer;
            }
        }
    }
    return 0;
}

void type_plan_free(struct type_plan *plan) {
    if (plan != NULL) {
        type_plan_traverse(plan, visit_to_release, NULL);
        blocks_free(plan->blocks);
        PyMem_Free(plan);
    }
}

/* ---- compiling ------------------------------------------------------------------------------ */

/* Whether an object is None or has a type; false with TypeError set. */
static bool is_optional(PyObject *object, PyTypeObject *type) {
    if (object == Py_None || Py_IS_TYPE(object, type)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "a typed plan has %.100s in place of %.100s",
                 Py_TYPE(object)->tp_name, type->tp_name);
    return false;
}

/* A str that is no None, a new reference, in `place`; false with TypeError set where it is another
 * object. */
static bool take_str(PyObject *object, PyObject **place) {
    *place = object != Py_None ? Py_NewRef(object) : NULL;
    return is_optional(object, &PyUnicode_Type);
}

/* A copy of a dict that is no None, so that nobody else can change it; false with an exception
 * set. */
static bool take_mapping(PyObject *object, PyObject **place) {
    if (!is_optional(object, &PyDict_Type)) {
        return false;
    }
    *place = object != Py_None ? PyDict_Copy(object) : NULL;
    return object == Py_None || *place != NULL;
}

/* The node of a number, borrowed; -1 is any value. False with ValueError set. */
static bool find_node(const struct type_plan *plan, PyObject *number,
                      const struct type_node **node) {
    const Py_ssize_t i = PyLong_AsSsize_t(number);
    if (i < -1 || i >= plan->n || (i == -1 && PyErr_Occurred())) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "a typed plan has no node %R", number);
        return false;
    }
    *node = i >= 0 ? &plan->nodes[i] : NULL;
    return true;
}

static bool typed_field_init(struct typed_field *field, PyObject *description,
                             const struct type_plan *plan) {
    PyObject *key;
    PyObject *name;
    PyObject *node;
    PyObject *absent;
    PyObject *factory;
    int is_required;
    if (!HAS_FIELDS(description, NAMES_OF_FIELD) ||
        !PyArg_ParseTuple(description, "O!OOpO!O", &PyUnicode_Type, &key, &name, &node,
                          &is_required, &PyTuple_Type, &absent, &factory) ||
        !take_str(key, &field->key) || !take_str(name, &field->name) ||
        !take_callable(factory, &field->factory) || !find_node(plan, node, &field->node)) {
        return false;
    }
    PyUnicode_InternInPlace(&field->key);
    if (field->name != NULL) {
        PyUnicode_InternInPlace(&field->name);
    }
    field->absent = PyTuple_GET_SIZE(absent) != 0 ? Py_NewRef(PyTuple_GET_ITEM(absent, 0)) : NULL;
    field->is_required = is_required != 0;
    field->slot = -1;
    return true;
}

PyObject *own_method_of(PyTypeObject *type, enum own_method method) {
    static const char *const names[] = {"__init__", "__new__", "__setattr__", "__post_init__"};
    return type_look_up_named(type, names[method]);
}

/* The places of the keys, and the names of the parameters; false with an exception set. */
static bool typed_record_index(struct typed_record *record) {
    record->place_of = PyDict_New();
    for (Py_ssize_t i = 0; record->place_of != NULL && i < record->n_fields; i++) {
        const struct typed_field *const field = &record->fields[i];
        PyObject *const place = PyLong_FromSsize_t(i);
        const int status = place != NULL ? PyDict_SetItem(record->place_of, field->key, place) : -1;
        Py_XDECREF(place);
        if (status != 0) {
            return false;
        }
        if ((record->style == RECORD_BY_PLACE || record->style == RECORD_STORED) &&
            field->name != NULL && !field->is_required && field->absent == NULL &&
            field->factory == NULL) {
            PyErr_SetString(PyExc_ValueError, "a field is neither required nor has a default");
            return false;
        }
        if (field->name != NULL && record->n_passed != i) {
            PyErr_SetString(PyExc_ValueError, "the fields without a name come last");
            return false;
        }
        record->n_passed += field->name != NULL;
        if (record->style == RECORD_STORED && field->name != NULL) {
            record->fields[i].slot = type_slot_offset((PyTypeObject *)record->class, field->name);
        }
    }
    if (record->place_of == NULL) {
        return false;
    }
    if (record->n_positional < 0 || record->n_positional > record->n_passed) {
        PyErr_SetString(PyExc_ValueError, "a record has fewer positional parameters");
        return false;
    }
    if (PyDict_GET_SIZE(record->place_of) != record->n_fields) {
        PyErr_SetString(PyExc_ValueError, "two fields of a record have one key");
        return false;
    }
    const Py_ssize_t n_later =
        record->style == RECORD_BY_PLACE ? record->n_passed - record->n_positional : 0;
    if (n_later != 0) {
        record->later_names = PyTuple_New(n_later);
        for (Py_ssize_t i = 0; record->later_names != NULL && i < n_later; i++) {
            PyTuple_SET_ITEM(record->later_names, i,
                             Py_NewRef(record->fields[record->n_positional + i].name));
        }
        return record->later_names != NULL;
    }
    return true;
}

/* Compile the record of an action; false with an exception set. */
static bool typed_action_init_record(struct typed_action *action, PyObject *description,
                                     struct type_plan *plan) {
    PyObject *style;
    PyObject *class;
    PyObject *fields;
    int forbids_unknown;
    Py_ssize_t n_positional;
    int has_post_init;
    if (!HAS_FIELDS(description, NAMES_OF_RECORD) ||
        !PyArg_ParseTuple(description, "OO!O!pnp", &style, &PyType_Type, &class, &PyTuple_Type,
                          &fields, &forbids_unknown, &n_positional, &has_post_init)) {
        return false;
    }
    const int place = NAME_PLACE(style, STYLES, "a record has no style");
    const Py_ssize_t n = PyTuple_GET_SIZE(fields);
    struct typed_record *const record =
        place >= 0 ? blocks_add(&plan->blocks, sizeof *record + (size_t)n * sizeof *record->fields)
                   : NULL;
    if (record == NULL) {
        return false;
    }
    action->record = record; /* which releases it, whole or not */
    record->style = (enum record_style)place;
    record->class = Py_NewRef(class);
    record->forbids_unknown = forbids_unknown != 0;
    record->n_positional = n_positional;
    record->has_post_init = has_post_init != 0;
    record->n_fields = n;
    bool is_made = true;
    for (Py_ssize_t i = 0; is_made && i < n; i++) {
        is_made = typed_field_init(&record->fields[i], PyTuple_GET_ITEM(fields, i), plan);
    }
    if (!is_made || !typed_record_index(record)) {
        return false;
    }
    for (int i = 0; i < N_OWN_METHODS; i++) {
        record->own[i] = Py_XNewRef(own_method_of((PyTypeObject *)class, (enum own_method)i));
    }
    return true;
}

/* Whether the record of places is a NamedTuple, and all fields after the least number of items have
 * a default. What no class can be derived from may be a tuple that is laid out in another way. */
static bool places_fit_record(const struct typed_action *action) {
    const struct typed_record *const record = action->record;
    PyTypeObject *const class = (PyTypeObject *)record->class;
    if (record->style != RECORD_TUPLE || action->n != record->n_fields ||
        !PyType_IsSubtype(class, &PyTuple_Type) || !PyType_HasFeature(class, Py_TPFLAGS_BASETYPE)) {
        return false;
    }
    for (Py_ssize_t i = action->least < 0 ? 0 : action->least; i < record->n_fields; i++) {
        if (record->fields[i].absent == NULL) {
            return false;
        }
    }
    return true;
}

/* Whether an action has what it is made with. */
static bool action_is_whole(const struct typed_action *action) {
    switch (action->make) {
    case MAKE_MAPPED:
        return action->mapping != NULL && action->expected != NULL &&
               (action->n == 0 || (action->n == 1 && action->nodes[0] != NULL));
    case MAKE_CALL: return action->callable != NULL;
    case MAKE_DATE:
    case MAKE_DATETIME:
    case MAKE_UUID: return action->text != NULL;
    case MAKE_KEY: return action->callable != NULL && action->n == 1 && action->nodes[0] != NULL;
    case MAKE_NODE: return action->n == 1 && action->nodes[0] != NULL;
    case MAKE_LIST: return action->n == 1;
    case MAKE_OF_ITEMS: return action->n == 1 && action->callable != NULL;
    case MAKE_PLACES: return action->record == NULL || places_fit_record(action);
    case MAKE_DICT: return action->n == 2;
    case MAKE_RECORD: return action->record != NULL && action->record->style != RECORD_TUPLE;
    case MAKE_TAGGED:
        return action->mapping != NULL && action->tag_key != NULL && action->expected != NULL;
    case MAKE_NOTHING:
    case MAKE_SAME:
    case MAKE_FLOAT: return true;
    }
    return false;
}

/* The nodes of an action; false with an exception set. */
static bool typed_action_init_nodes(struct typed_action *action, PyObject *numbers,
                                    struct type_plan *plan) {
    const Py_ssize_t n = PyTuple_GET_SIZE(numbers);
    action->nodes = blocks_add(&plan->blocks, (size_t)n * sizeof *action->nodes);
    if (action->nodes == NULL) {
        return false;
    }
    action->n = n;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!find_node(plan, PyTuple_GET_ITEM(numbers, i), &action->nodes[i])) {
            return false;
        }
    }
    return true;
}

static bool makes_text_value(enum typed_make make) {
    return make == MAKE_DATE || make == MAKE_DATETIME || make == MAKE_UUID;
}

/* Whether the values of MAKE_TAGGED's mapping are places of its nodes; false with ValueError. */
static bool tags_have_nodes(const struct typed_action *action) {
    Py_ssize_t position = 0;
    PyObject *place;
    while (PyDict_Next(action->mapping, &position, NULL, &place)) {
        const Py_ssize_t i = PyLong_CheckExact(place) ? PyLong_AsSsize_t(place) : -1;
        if (i < 0 || i >= action->n || action->nodes[i] == NULL) {
            PyErr_Clear();
            PyErr_SetString(PyExc_ValueError, "a tag has no node");
            return false;
        }
    }
    return true;
}

static bool typed_action_init(struct typed_action *action, PyObject *description,
                              enum json_kind kind, struct type_plan *plan) {
    PyObject *make;
    PyObject *callable;
    PyObject *mapping;
    PyObject *expected;
    PyObject *tag_key;
    PyObject *record;
    Py_ssize_t least;
    PyObject *nodes;
    PyObject *check;
    if (!HAS_FIELDS(description, NAMES_OF_ACTION) ||
        !PyArg_ParseTuple(description, "OOOOOOnO!O", &make, &callable, &mapping, &expected,
                          &tag_key, &record, &least, &PyTuple_Type, &nodes, &check)) {
        return false;
    }
    const int place = NAME_PLACE(make, MAKES, "a typed plan makes no");
    if (place < 0 || !take_callable(check, &action->check) ||
        !take_callable(callable, &action->callable) || !take_mapping(mapping, &action->mapping) ||
        !take_str(expected, &action->expected) || !take_str(tag_key, &action->tag_key) ||
        !typed_action_init_nodes(action, nodes, plan)) {
        return false;
    }
    action->make = (enum typed_make)place;
    action->least = least;
    if (makes_text_value(action->make) && action->callable != NULL) {
        const enum text_value of = action->make == MAKE_DATE       ? TEXT_OF_DATE
                                   : action->make == MAKE_DATETIME ? TEXT_OF_DATETIME
                                                                   : TEXT_OF_UUID;
        action->text = text_validator_new(&plan->blocks, of, action->callable);
    }
    if ((record != Py_None && !typed_action_init_record(action, record, plan)) ||
        PyErr_Occurred()) {
        return false;
    }
    const bool suits = (KINDS_OF_MAKES[action->make] & 1U << kind) != 0;
    if (!suits || !action_is_whole(action)) {
        PyErr_Format(PyExc_TypeError, "a typed plan cannot make %R of %s", make,
                     JSON_KIND_NAMES[kind]);
        return false;
    }
    return action->make != MAKE_TAGGED || tags_have_nodes(action);
}

/* Note types whose values stay as they are. */
static void type_node_note_kept(struct type_node *node) {
    static const enum json_kind kinds[] = {KIND_OF_STR,  KIND_OF_INT,  KIND_OF_FLOAT,
                                           KIND_OF_BOOL, KIND_OF_NULL, KIND_OF_OBJECT,
                                           KIND_OF_ARRAY};
    const PyTypeObject *const types[] = {&PyUnicode_Type, &PyLong_Type,     &PyFloat_Type,
                                         &PyBool_Type,    Py_TYPE(Py_None), &PyDict_Type,
                                         &PyList_Type};
    int n = 0;
    for (int i = 0; n < N_KEPT_TYPES && i < N_JSON_KINDS; i++) {
        const struct typed_action *const action = &node->actions[kinds[i]];
        if (action->make == MAKE_SAME && action->check == NULL) {
            node->kept[n++] = types[i];
        }
    }
}

/* Compile the actions, by their kinds; false with an exception set. */
static bool take_actions(struct type_node *node, PyObject *actions, struct type_plan *plan) {
    /* a copy: code of a value that is converted may change the dict */
    PyObject *const now = PyDict_Copy(actions);
    Py_ssize_t position = 0;
    PyObject *kind;
    PyObject *description;
    bool is_made = now != NULL;
    while (is_made && PyDict_Next(now, &position, &kind, &description)) {
        const int place = NAME_PLACE(kind, JSON_KIND_NAMES, "JSON has no kind");
        struct typed_action *const action = place >= 0 ? &node->actions[place] : NULL;
        if (action != NULL && action->nodes != NULL) {
            PyErr_Format(PyExc_ValueError, "a typed plan names the kind %R twice", kind);
            is_made = false;
        } else {
            is_made = action != NULL &&
                      typed_action_init(action, description, (enum json_kind)place, plan);
        }
    }
    Py_XDECREF(now);
    return is_made;
}

static bool type_node_init(struct type_node *node, PyObject *description, struct type_plan *plan) {
    PyObject *expected;
    PyObject *actions;
    if (!HAS_FIELDS(description, NAMES_OF_NODE) ||
        !PyArg_ParseTuple(description, "O!O!", &PyUnicode_Type, &expected, &PyDict_Type,
                          &actions) ||
        !take_actions(node, actions, plan)) {
        return false;
    }
    node->expected = Py_NewRef(expected);
    type_node_note_kept(node);
    return true;
}

/* Whether what an action makes of a container is made by this action alone. */
static bool makes_container(const struct typed_action *action) {
    return action->check == NULL && (action->make == MAKE_LIST || action->make == MAKE_OF_ITEMS ||
                                     action->make == MAKE_PLACES || action->make == MAKE_DICT ||
                                     action->make == MAKE_RECORD);
}

/* Whether what an action leaves to another node is made there, without asking a third one. */
static bool leads_to_scalar(const struct typed_action *action, enum json_kind kind) {
    const struct typed_action *const found = &action->nodes[0]->actions[kind];
    return found->make != MAKE_NOTHING && found->n == 0;
}

/* Whether the node of what keys are converted to makes scalars, and converts no keys itself. */
static bool is_node_of_key(const struct type_node *node) {
    return node->actions[KIND_OF_ARRAY].make == MAKE_NOTHING &&
           node->actions[KIND_OF_OBJECT].make == MAKE_NOTHING &&
           node->actions[KIND_OF_STR].make != MAKE_KEY;
}

/* Whether a node that tags lead to makes dicts; it may leave that to one other node. */
static bool tag_leads_to_container(const struct type_node *node) {
    const struct typed_action *const action = &node->actions[KIND_OF_OBJECT];
    return makes_container(action) || (action->make == MAKE_NODE && action->check == NULL);
}

/* Whether the nodes that an action leaves a value to make it. */
static bool action_leads_somewhere(const struct typed_action *action, enum json_kind kind) {
    switch (action->make) {
    case MAKE_NODE: return makes_container(&action->nodes[0]->actions[kind]);
    case MAKE_MAPPED: return action->n == 0 || leads_to_scalar(action, kind);
    case MAKE_KEY: return action->check == NULL && is_node_of_key(action->nodes[0]);
    case MAKE_TAGGED:
        for (Py_ssize_t i = 0; i < action->n; i++) {
            if (action->nodes[i] != NULL && !tag_leads_to_container(action->nodes[i])) {
                return false;
            }
        }
        return true;
    case MAKE_NOTHING:
    case MAKE_SAME:
    case MAKE_FLOAT:
    case MAKE_CALL:
    case MAKE_DATE:
    case MAKE_DATETIME:
    case MAKE_UUID:
    case MAKE_LIST:
    case MAKE_OF_ITEMS:
    case MAKE_PLACES:
    case MAKE_DICT:
    case MAKE_RECORD: return true;
    }
    return false;
}

/* Whether each node that an action leads to makes something, and no check is passed over; false
 * with TypeError. */
static bool nodes_lead_somewhere(const struct type_plan *plan) {
    for (Py_ssize_t i = 0; i < plan->n; i++) {
        for (int kind = 0; kind < N_JSON_KINDS; kind++) {
            if (!action_leads_somewhere(&plan->nodes[i].actions[kind], (enum json_kind)kind)) {
                PyErr_SetString(PyExc_TypeError, "a typed plan has a node that leads nowhere");
                return false;
            }
        }
    }
    return true;
}

struct type_plan *type_plan_new(PyObject *nodes, bool runs_code) {
    if (!PyTuple_CheckExact(nodes) || PyTuple_GET_SIZE(nodes) == 0) {
        PyErr_SetString(PyExc_TypeError, "a typed plan is a tuple of nodes");
        return NULL;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(nodes);
    struct type_plan *const plan = PyMem_Calloc(1, sizeof *plan + (size_t)n * sizeof *plan->nodes);
    if (plan == NULL) {
        return (void *)PyErr_NoMemory();
    }
    plan->n = n;
    plan->runs_code = runs_code;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!type_node_init(&plan->nodes[i], PyTuple_GET_ITEM(nodes, i), plan)) {
            type_plan_free(plan);
            return NULL;
        }
    }
    if (!nodes_lead_somewhere(plan)) {
        type_plan_free(plan);
        return NULL;
    }
    return plan;
}
