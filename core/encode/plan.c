/* SPDX-License-Identifier: MIT */
#include "encode/plan.h"

#include "pyobject/type.h"

static void plan_free(PyObject *capsule) {
    struct plan *const plan = PyCapsule_GetPointer(capsule, "ssrjson_web.plan");
    for (Py_ssize_t i = 0; i < plan->n_fields; i++) {
        Py_DECREF(plan->fields[i].attribute);
        Py_DECREF(plan->fields[i].key);
    }
    PyMem_Free(plan);
}

static size_t slot_of(const PyTypeObject *type) {
    return ((uintptr_t)type >> 6 ^ (uintptr_t)type >> 12) % PLAN_CACHE_SLOTS;
}

PyObject *plan_cache_find(const struct plan_cache *cache, const PyTypeObject *type) {
    const size_t slot = slot_of(type);
    const bool is_known = !IS_FREE_THREADED && cache->slots[slot].type == type &&
                          cache->slots[slot].version == type->tp_version_tag;
    return is_known ? cache->slots[slot].plan : NULL;
}

/* How an attribute is got. A slot is read where it lies; a value in the object itself, or a plain
 * default in the class, is found without Python code; all else may be anything. */
static void plan_field_look_up(struct plan *plan, struct plan_field *field, PyTypeObject *type) {
    PyObject *const found = type_look_up(type, field->attribute); /* borrowed */
    if (found == NULL) {
        return;
    }
    field->slot = type_slot_offset(type, field->attribute);
    plan->runs_python |= field->slot < 0 && Py_TYPE(found)->tp_descr_get != NULL;
}

/* Fill in a field from (attribute, key); false with TypeError set. */
static bool plan_field_init(struct plan_field *field, PyObject *pair) {
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 ||
        !PyUnicode_CheckExact(PyTuple_GET_ITEM(pair, 0)) ||
        !PyUnicode_CheckExact(PyTuple_GET_ITEM(pair, 1))) {
        PyErr_SetString(PyExc_TypeError, "a plan is made of pairs of str");
        return false;
    }
    field->attribute = Py_NewRef(PyTuple_GET_ITEM(pair, 0));
    PyUnicode_InternInPlace(&field->attribute);
    field->key = Py_NewRef(PyTuple_GET_ITEM(pair, 1));
    field->slot = -1;
    return true;
}

static PyObject *plan_new(PyTypeObject *type, PyObject *fields) {
    if (!PyTuple_Check(fields)) {
        PyErr_SetString(PyExc_TypeError, "a plan is a tuple of pairs of str");
        return NULL;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(fields);
    struct plan *const plan = PyMem_Calloc(1, sizeof *plan + (size_t)n * sizeof *plan->fields);
    if (plan == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *const capsule = PyCapsule_New(plan, "ssrjson_web.plan", plan_free);
    if (capsule == NULL) {
        PyMem_Free(plan);
        return NULL;
    }
    plan->runs_python = !type_has_usual_attributes(type);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!plan_field_init(&plan->fields[i], PyTuple_GET_ITEM(fields, i))) {
            Py_DECREF(capsule);
            return NULL;
        }
        plan->n_fields++;
        plan_field_look_up(plan, &plan->fields[i], type);
    }
    if (plan->runs_python) {
        for (Py_ssize_t i = 0; i < n; i++) {
            plan->fields[i].slot = -1; /* __getattribute__ has its say for slots too */
        }
    }
    return capsule;
}

PyObject *plan_cache_add(struct plan_cache *cache, PyTypeObject *type, PyObject *fields) {
    PyObject *const plan = plan_new(type, fields);
    if (plan != NULL && !IS_FREE_THREADED && type->tp_version_tag != 0) {
        const size_t slot = slot_of(type);
        cache->slots[slot].type = type;
        cache->slots[slot].version = type->tp_version_tag;
        Py_XSETREF(cache->slots[slot].plan, Py_NewRef(plan));
    }
    return plan;
}

void plan_cache_clear(struct plan_cache *cache) {
    for (size_t i = 0; i < PLAN_CACHE_SLOTS; i++) {
        cache->slots[i].type = NULL;
        Py_CLEAR(cache->slots[i].plan);
    }
}
