/* SPDX-License-Identifier: MIT */
#include "encode/model/plan.h"

#include <string.h>

#include "pyobject/snapshot.h"
#include "pyobject/type.h"
#include "schema/description.h"

void plan_dealloc(PyObject *object) {
    struct plan *const plan = (struct plan *)object;
    PyTypeObject *const plan_type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (plan->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    for (Py_ssize_t i = 0; i < plan->n_fields + plan->n_computed; i++) {
        struct plan_field *const field = &plan->fields[i];
        Py_XDECREF(field->attribute);
        Py_XDECREF(field->key);
        Py_XDECREF(field->alias);
        Py_XDECREF(field->convert);
        Py_XDECREF(field->default_value);
    }
    schema_clear(&plan->schema);
    Py_XDECREF(plan->convert);
    Py_XDECREF(plan->dump);
    Py_XDECREF(plan->unset);
    Py_XDECREF(plan->places);
    Py_XDECREF(plan->type);
    plan_type->tp_free(object);
    Py_DECREF(plan_type);
}

/* There is no plan_clear: whatever leads back to a plan does so through its class, or a frame. */
int plan_traverse(PyObject *object, visitproc visit, void *arg) {
    const struct plan *const plan = (const struct plan *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(plan->type);
    Py_VISIT(plan->convert);
    Py_VISIT(plan->dump);
    Py_VISIT(plan->unset);
    Py_VISIT(plan->places);
    for (Py_ssize_t i = 0; i < plan->n_fields + plan->n_computed; i++) {
        const struct plan_field *const field = &plan->fields[i];
        Py_VISIT(field->convert);
        Py_VISIT(field->default_value);
    }
    return schema_traverse(&plan->schema, visit, arg);
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

/* The fields of the named tuples of ssrjson_web/_models/plan.py, in their order. */
static const char *const NAMES_OF_PLAN_FIELD[] = {
    "attribute", "key", "alias", "rule", "convert", "is_excluded", "default", "is_of_root"};
static const char *const NAMES_OF_PLAN[] = {"kind", "fields", "computed", "convert",
                                            "dump", "unset",  "by_alias", "is_of_root"};

/* Fill in from a PlanField; false with an exception set. */
static bool plan_field_init(struct plan_field *field, PyObject *description,
                            const struct surroundings *around) {
    PyObject *attribute;
    PyObject *key;
    PyObject *alias;
    PyObject *rule;
    PyObject *convert;
    int is_excluded;
    PyObject *defaults;
    int is_of_root;
    if (!HAS_FIELDS(description, NAMES_OF_PLAN_FIELD) ||
        !PyArg_ParseTuple(description, "UUUOOpO!p", &attribute, &key, &alias, &rule, &convert,
                          &is_excluded, &PyTuple_Type, &defaults, &is_of_root)) {
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
    field->is_of_root = is_of_root != 0;
    if (PyTuple_GET_SIZE(defaults) != 0) {
        field->default_value = Py_NewRef(PyTuple_GET_ITEM(defaults, 0));
    }
    return take_callable(convert, &field->convert) && node_new(rule, around, &field->rule);
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

/* Fill in from (kind, fields, computed, convert, dump, unset, by_alias, is_of_root); false with an
 * exception set. */
static bool plan_init(struct plan *plan, PyTypeObject *type, PyObject *description,
                      const struct surroundings *around) {
    PyObject *kind;
    PyObject *fields;
    PyObject *computed;
    PyObject *convert;
    PyObject *dump;
    PyObject *unset;
    int by_alias;
    int is_of_root;
    if (!PyArg_ParseTuple(description, "UO!O!OOOpp", &kind, &PyTuple_Type, &fields, &PyTuple_Type,
                          &computed, &convert, &dump, &unset, &by_alias, &is_of_root) ||
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
    plan->is_of_root = is_of_root != 0;
    const Py_ssize_t n_fields = PyTuple_GET_SIZE(fields);
    const Py_ssize_t n_computed = PyTuple_GET_SIZE(computed);
    while (plan->n_fields < n_fields) {
        const Py_ssize_t i =
            plan->n_fields++; /* counted first, so that an incomplete field is freed too */
        if (!plan_field_init(&plan->fields[i], PyTuple_GET_ITEM(fields, i), around)) {
            return false;
        }
    }
    while (plan->n_computed < n_computed) {
        const Py_ssize_t i = plan->n_computed++;
        struct plan_field *const field = &plan->fields[n_fields + i];
        if (!plan_field_init(field, PyTuple_GET_ITEM(computed, i), around)) {
            return false;
        }
        if (field->rule != NULL && field->convert == NULL) {
            PyErr_SetString(PyExc_TypeError, "a computed field needs a callable to convert by");
            return false;
        }
    }
    return plan_finish(plan, type);
}

static struct plan *plan_new(PyTypeObject *plan_type, PyTypeObject *type, PyObject *description) {
    Py_ssize_t n = 0;
    if (description != Py_None) {
        if (!HAS_FIELDS(description, NAMES_OF_PLAN)) {
            return NULL;
        }
        for (int i = 1; i <= 2; i++) { /* fields and computed */
            PyObject *const fields = PyTuple_GET_ITEM(description, i);
            n += PyTuple_Check(fields) ? PyTuple_GET_SIZE(fields) : 0;
        }
    }
    struct plan *const plan = (struct plan *)plan_type->tp_alloc(plan_type, n); /* zeros */
    if (plan == NULL) {
        return NULL;
    }
    plan->kind = PLAN_NONE;
    plan->extra_slot = plan->fields_set_slot = -1;
    if (description != Py_None) {
        plan->type = (PyTypeObject *)Py_NewRef((PyObject *)type);
        struct schema schema = {.nodes = NULL}; /* nobody sees it before it is whole */
        const struct surroundings around = {.schema = &schema, .use = TO_FIT_VALUES};
        const bool is_made = plan_init(plan, type, description, &around);
        plan->schema = schema;
        if (!is_made) {
            Py_DECREF(plan);
            return NULL;
        }
    }
    return plan;
}

/* The name under which a class keeps its plans, a list: one by the models_option, and without the
 * GIL by the thread caches, too. A list, because whatever changes the class itself changes its
 * version. */
#define PLANS_OF_CLASS "__ssrjson_plans__"

/* Whether a list of plans is that of a class: a copy of the namespace of another class has the list
 * of that one. */
static bool is_list_of_class(PyObject *plans, PyTypeObject *plan_type, const PyTypeObject *type) {
    if (plans == NULL || !PyList_CheckExact(plans)) {
        return false;
    }
    PyObject *const first = list_get(plans, 0);
    const bool is_its =
        first != NULL && Py_IS_TYPE(first, plan_type) && ((struct plan *)first)->type == type;
    Py_XDECREF(first);
    return is_its;
}

/* The place in a list of plans of one that a new one replaces; -1 where there is none. */
static Py_ssize_t place_of_plan(PyObject *plans, const struct plan *plan) {
    PyObject *one = NULL;
    Py_ssize_t place = 0;
    for (; (one = list_get(plans, place)) != NULL; place++) {
        const struct plan *const known = (struct plan *)one;
        const bool is_same = Py_TYPE(one) == Py_TYPE((PyObject *)plan) &&
                             known->models == plan->models && known->cache == plan->cache;
        Py_DECREF(one);
        if (is_same) {
            return place;
        }
    }
    return -1;
}

/* Whether a class takes attributes. */
static bool type_can_be_changed(const PyTypeObject *type) {
    return type->tp_flags & Py_TPFLAGS_HEAPTYPE && !(type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE);
}

/* Give a class its first plan, in a new list. Returns the version that the class has then, 0 where
 * it has changed otherwise, or cannot be changed; an exception may be set. */
static unsigned class_own_first_plan(PyTypeObject *type, struct plan *plan, PyObject *name,
                                     unsigned version) {
    PyObject *const plans = PyList_New(1);
    if (plans == NULL) {
        return 0;
    }
    PyList_SET_ITEM(plans, 0, Py_NewRef((PyObject *)plan));
    /* not by a __setattr__ of a metaclass; and making the list may have run Python code */
    const bool is_set = version == type_version(type) &&
                        PyType_Type.tp_setattro((PyObject *)type, name, plans) == 0;
    Py_DECREF(plans);
    /* a look-up gives the changed class its version. Another thread may have changed it, too, and
     * then the plan that is made next counts */
    return is_set && !IS_FREE_THREADED && type_look_up(type, name) == plans ? type_version(type)
                                                                            : 0;
}

/* Make a class own a plan, instead of an older one. Returns the version of the class for which the
 * plan counts; 0 where the class does not own it. May run Python code. */
static unsigned class_own_plan(PyTypeObject *type, struct plan *plan, unsigned version) {
    PyObject *const name = PyUnicode_InternFromString(PLANS_OF_CLASS);
    if (name == NULL) {
        PyErr_Clear();
        return 0;
    }
    PyObject *const plans =
        dict_get(type->tp_dict, name); /* kept alive until the class has its version */
    unsigned owned_version = 0;
    if (!is_list_of_class(plans, Py_TYPE(plan), type)) {
        owned_version = class_own_first_plan(type, plan, name, version);
    } else {
        const Py_ssize_t place = place_of_plan(plans, plan);
        const int status = place < 0 ? PyList_Append(plans, (PyObject *)plan)
                                     : PyList_SetItem(plans, place, Py_NewRef((PyObject *)plan));
        owned_version = status == 0 ? version : 0;
    }
    PyErr_Clear();
    Py_XDECREF(plans);
    Py_DECREF(name);
    return owned_version;
}

struct plan *plan_cache_add(struct plan_cache *cache, PyTypeObject *plan_type, PyTypeObject *type,
                            enum models_option models, unsigned version, PyObject *description) {
    struct plan *const plan = plan_new(plan_type, type, description);
    if (plan == NULL) {
        return NULL;
    }
    plan->models = models;
    plan->cache = cache;
    if (cache == NULL || version == 0 || version != type_version(type)) {
        return plan;
    }
    const bool is_owned_by_class = plan->kind != PLAN_NONE && type_can_be_changed(type);
    if (is_owned_by_class) {
        version = class_own_plan(type, plan, version);
        plan->own_version = plan->own_version != 0 ? version : 0;
    }
    PyObject *const known = is_owned_by_class ? (PyObject *)plan : (PyObject *)type;
    PyObject *const reference = version != 0 ? PyWeakref_NewRef(known, NULL) : NULL;
    if (reference == NULL) {
        PyErr_Clear();
        return plan;
    }
    plan_cache_put(cache, &(struct plan_slot){
                              .reference = reference,
                              .type = type,
                              .version = version,
                              .models = models,
                              .plan = plan,
                              .owned = is_owned_by_class ? NULL : Py_NewRef((PyObject *)plan),
                          });
    return plan;
}
