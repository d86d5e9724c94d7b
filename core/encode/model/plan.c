/* SPDX-License-Identifier: MIT */
#include "encode/model/plan.h"

#include <string.h>

#include "encode/model/description.h"
#include "pyobject/type.h"

static void plan_free(PyObject *capsule) {
    struct plan *const plan = PyCapsule_GetPointer(capsule, "ssrjson_web.plan");
    for (Py_ssize_t i = 0; i < plan->n_fields + plan->n_computed; i++) {
        struct plan_field *const field = &plan->fields[i];
        Py_XDECREF(field->attribute);
        Py_XDECREF(field->key);
        Py_XDECREF(field->alias);
        Py_XDECREF(field->convert);
        Py_XDECREF(field->default_value);
        rule_free(field->rule);
    }
    Py_XDECREF(plan->convert);
    Py_XDECREF(plan->dump);
    Py_XDECREF(plan->unset);
    Py_XDECREF(plan->places);
    PyMem_Free(plan);
}

/* Find out how an attribute is read. A slot is read in place. A value in the object itself, or a
 * plain default in the class, is found without Python code; any other attribute may run Python
 * code. Returns whether a value in the object itself counts for good: a default of a class written
 * in Python may become a descriptor. */
static bool plan_field_look_up(struct plan *plan, struct plan_field *field, PyTypeObject *type) {
    PyObject *const found = type_look_up(type, field->attribute); /* borrowed */
    if (found == NULL) {
        return true;
    }
    field->slot = type_slot_offset(type, field->attribute);
    const PyTypeObject *const its_type = Py_TYPE(found);
    plan->runs_python |= field->slot < 0 && its_type->tp_descr_get != NULL;
    return (its_type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
}

/* Take a callable, or None for NULL; false with TypeError set. */
static bool take_callable(PyObject *object, PyObject **callable) {
    if (object == Py_None) {
        return true;
    }
    if (!PyCallable_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a plan converts by a callable");
        return false;
    }
    *callable = Py_NewRef(object);
    return true;
}

/* Fill in a field from (attribute, key, alias, rule, convert, is_excluded, default); false with an
 * exception set. */
static bool plan_field_init(struct plan_field *field, PyObject *description) {
    PyObject *attribute;
    PyObject *key;
    PyObject *alias;
    PyObject *rule;
    PyObject *convert;
    int is_excluded;
    PyObject *defaults;
    if (!PyTuple_Check(description)) {
        PyErr_SetString(PyExc_TypeError, "a plan's field is a tuple");
        return false;
    }
    if (!PyArg_ParseTuple(description, "UUUOOpO!", &attribute, &key, &alias, &rule, &convert,
                          &is_excluded, &PyTuple_Type, &defaults)) {
        return false;
    }
    if (!PyUnicode_CheckExact(attribute) || !PyUnicode_CheckExact(key) ||
        !PyUnicode_CheckExact(alias)) {
        PyErr_SetString(PyExc_TypeError, "a plan's names are strs, of no subclass");
        return false;
    }
    field->attribute = Py_NewRef(attribute);
    field->key = Py_NewRef(key);
    field->alias = Py_NewRef(alias);
    field->slot = -1;
    field->is_excluded = is_excluded != 0;
    if (PyTuple_GET_SIZE(defaults) != 0) {
        field->default_value = Py_NewRef(PyTuple_GET_ITEM(defaults, 0));
    }
    return take_callable(convert, &field->convert) && rule_new(rule, &field->rule);
}

static bool type_is_only_model(PyTypeObject *type) {
    return !type_has_builtin_base(type) &&
           type_look_up_named(type, "_member_map_") == NULL; /* an Enum */
}

static bool find_kind(PyObject *name, enum plan_kind *kind) {
    static const char *const names[] = {"attributes", "dict", "ordered-dict", "root", "opaque"};
    const int place = NAME_PLACE(name, names, "there is no plan of kind");
    *kind = (enum plan_kind)place;
    return place >= 0;
}

/* Set what follows from the fields; false with an exception set. */
static bool plan_finish(struct plan *plan, PyTypeObject *type) {
    const Py_ssize_t n = plan->n_fields + plan->n_computed;
    bool has_own_values = true;
    bool has_plain_fields = true;
    plan->is_only_model = type_is_only_model(type);
    for (Py_ssize_t i = 0; i < n; i++) {
        struct plan_field *const field = &plan->fields[i];
        plan->is_renamed |= field->key != field->alias;
        plan->has_excluded |= field->is_excluded;
        if (plan->kind == PLAN_ATTRIBUTES) {
            if (field->rule != NULL && field->convert == NULL) {
                PyErr_SetString(PyExc_TypeError, "an attribute needs a callable to convert by");
                return false;
            }
            PyUnicode_InternInPlace(&field->attribute);
            has_own_values &= plan_field_look_up(plan, field, type);
            has_plain_fields &= field->slot < 0 && field->rule == NULL &&
                                PyUnicode_Compare(field->key, field->attribute) == 0;
        }
    }
    if (plan->kind == PLAN_ATTRIBUTES) {
        plan->runs_python |= !type_has_usual_attributes(type);
        plan->own_version = has_own_values && !plan->runs_python ? type_version(type) : 0;
        plan->has_plain_fields = has_plain_fields && n != 0 && plan->own_version != 0 &&
                                 plan->unset == NULL && plan->is_only_model;
        for (Py_ssize_t i = 0; i < n && plan->runs_python; i++) {
            plan->fields[i].slot = -1; /* an overridden __getattribute__ applies to slots too */
        }
        return true;
    }
    plan->extra_slot = type_slot_named(type, "__pydantic_extra__");
    plan->fields_set_slot = type_slot_named(type, "__pydantic_fields_set__");
    plan->places = PyDict_New();
    for (Py_ssize_t i = 0; plan->places != NULL && i < plan->n_fields; i++) {
        PyObject *const place = PyLong_FromSsize_t(i);
        const int status =
            place != NULL ? PyDict_SetItem(plan->places, plan->fields[i].attribute, place) : -1;
        Py_XDECREF(place);
        if (status != 0) {
            return false;
        }
    }
    return plan->places != NULL;
}

/* Fill in from (kind, fields, computed, convert, dump, unset, by_alias); false with an
 * exception set. */
static bool plan_init(struct plan *plan, PyTypeObject *type, PyObject *description) {
    PyObject *kind;
    PyObject *fields;
    PyObject *computed;
    PyObject *convert;
    PyObject *dump;
    PyObject *unset;
    int by_alias;
    if (!PyArg_ParseTuple(description, "UO!O!OOOp", &kind, &PyTuple_Type, &fields, &PyTuple_Type,
                          &computed, &convert, &dump, &unset, &by_alias) ||
        !find_kind(kind, &plan->kind) || !take_callable(convert, &plan->convert) ||
        !take_callable(dump, &plan->dump)) {
        return false;
    }
    if (plan->kind != PLAN_ATTRIBUTES && plan->convert == NULL) {
        PyErr_SetString(PyExc_TypeError, "a plan of this kind needs a callable to convert by");
        return false;
    }
    plan->unset = unset != Py_None ? Py_NewRef(unset) : NULL;
    plan->by_alias = by_alias != 0;
    const Py_ssize_t n_fields = PyTuple_GET_SIZE(fields);
    const Py_ssize_t n_computed = PyTuple_GET_SIZE(computed);
    while (plan->n_fields < n_fields) {
        const Py_ssize_t i =
            plan->n_fields++; /* counted first, so that an incomplete field is freed too */
        if (!plan_field_init(&plan->fields[i], PyTuple_GET_ITEM(fields, i))) {
            return false;
        }
    }
    while (plan->n_computed < n_computed) {
        const Py_ssize_t i = plan->n_computed++;
        struct plan_field *const field = &plan->fields[n_fields + i];
        if (!plan_field_init(field, PyTuple_GET_ITEM(computed, i))) {
            return false;
        }
        if (field->rule != NULL && field->convert == NULL) {
            PyErr_SetString(PyExc_TypeError, "a computed field needs a callable to convert by");
            return false;
        }
    }
    return plan_finish(plan, type);
}

static PyObject *plan_new(PyTypeObject *type, PyObject *description) {
    Py_ssize_t n = 0;
    if (PyTuple_Check(description) && PyTuple_GET_SIZE(description) == 7) {
        for (int i = 1; i <= 2; i++) {
            PyObject *const fields = PyTuple_GET_ITEM(description, i);
            n += PyTuple_Check(fields) ? PyTuple_GET_SIZE(fields) : 0;
        }
    } else if (description != Py_None) {
        PyErr_SetString(PyExc_TypeError, "a plan is a tuple of seven, or None");
        return NULL;
    }
    struct plan *const plan = PyMem_Calloc(1, sizeof *plan + (size_t)n * sizeof *plan->fields);
    if (plan == NULL) {
        return PyErr_NoMemory();
    }
    plan->kind = PLAN_NONE;
    plan->extra_slot = plan->fields_set_slot = -1;
    PyObject *const capsule = PyCapsule_New(plan, "ssrjson_web.plan", plan_free);
    if (capsule == NULL) {
        PyMem_Free(plan);
        return NULL;
    }
    if (description != Py_None && !plan_init(plan, type, description)) {
        Py_DECREF(capsule);
        return NULL;
    }
    return capsule;
}

PyObject *plan_cache_add(struct plan_cache *cache, PyTypeObject *type, enum models_option models,
                         unsigned version, PyObject *description) {
    PyObject *const capsule = plan_new(type, description);
    if (capsule != NULL && cache != NULL && version != 0 && version == type_version(type)) {
        struct plan_slot *const slots = cache->sets[plan_cache_set(type)];
        size_t way = 0; /* the plan to replace: an older one of the class, otherwise the one that
                           was added first */
        while (way < PLAN_CACHE_WAYS - 1 &&
               !(slots[way].type == type && slots[way].models == models)) {
            way++;
        }
        PyObject *const before = slots[way].capsule;
        memmove(&slots[1], &slots[0], way * sizeof *slots);
        slots[0] = (struct plan_slot){.type = type,
                                      .version = version,
                                      .models = models,
                                      .capsule = Py_NewRef(capsule),
                                      .plan = plan_of(capsule)};
        Py_XDECREF(before); /* may run Python code */
    }
    return capsule;
}

void plan_cache_clear(struct plan_cache *cache) {
    for (size_t set = 0; set < PLAN_CACHE_SETS; set++) {
        for (size_t way = 0; way < PLAN_CACHE_WAYS; way++) {
            cache->sets[set][way].type = NULL;
            Py_CLEAR(cache->sets[set][way].capsule);
        }
    }
}
