/* SPDX-License-Identifier: MIT */
/* How objects of one class are written: which attribute under which key. Python code says it once
 * for a class (ssrjson_web._models); here it is kept until the class changes. */
#ifndef SSRJSON_ENCODE_MODEL_PLAN_H
#define SSRJSON_ENCODE_MODEL_PLAN_H

#include "encode/model/rule.h"
#include "pyobject/python.h"

/* How a class keeps what is written. */
enum plan_kind {
    PLAN_ATTRIBUTES, /* in slots or wherever attributes are: dataclasses, attrs, msgspec */
    PLAN_DICT,       /* pydantic: fields in __dict__, in the order of that */
    PLAN_ORDERED,    /* the same, in the order of the plan */
    PLAN_ROOT,       /* pydantic: the field root in __dict__ stands for the object */
    PLAN_OPAQUE,     /* only the library knows */
    PLAN_NONE,       /* not a model, as far as the options go */
};

/* What makes JSON's own types of a value. */
struct converter {
    PyObject *call;    /* owned callable; NULL: there is none */
    bool is_to_python; /* it is to_python of a pydantic serializer, else as models.plan.Convert */
};

struct plan_field {
    PyObject *attribute;        /* owned interned str */
    PyObject *key;              /* owned str */
    PyObject *alias;            /* owned str: the key where by_alias is asked for */
    struct rule *rule;          /* owned; NULL: anything is written as it is */
    struct converter converter; /* of a value that does not fit; none: the object's is for it */
    PyObject *default_value;    /* owned: what exclude_defaults leaves out; or NULL */
    Py_ssize_t slot; /* where in the object the value's pointer is; -1: ask for the attribute */
    bool is_excluded;
};

struct plan {
    enum plan_kind kind;
    struct converter converter; /* of whole objects */
    PyObject *unset;            /* owned: a value that stands for no field; or NULL */
    PyObject *places;           /* owned dict: places of fields by attribute */
    Py_ssize_t extra_slot;      /* of __pydantic_extra__; -1: there is none */
    Py_ssize_t fields_set_slot; /* of __pydantic_fields_set__; -1: there is none */
    bool runs_python;           /* to get an attribute, a property for one */
    bool is_renamed;            /* by_alias makes a difference */
    bool by_alias;              /* where the options leave that to the class */
    bool has_excluded;
    Py_ssize_t n_fields;
    Py_ssize_t n_computed; /* properties, written behind the fields */
    struct plan_field fields[];
};

#define PLAN_CACHE_SETS 256
#define PLAN_CACHE_WAYS 4

/* Which libraries' models are known: plans of one class differ by it. */
enum models_option {
    MODELS_OFF, /* dataclasses at most, by their fields */
    MODELS_ALL,
    MODELS_PYDANTIC, /* pydantic's BaseModel only, and dataclasses as with MODELS_OFF */
};

/* Plans of the classes met last. A class is known by its address and its version tag, which no
 * other class gets and which goes when the class or a base of it changes. Its place is one of a few
 * that its address names, the one that came last first. */
struct plan_slot {
    const PyTypeObject *type; /* never followed */
    unsigned version;
    enum models_option models;
    PyObject *plan; /* owned capsule */
};

struct plan_cache {
    struct plan_slot sets[PLAN_CACHE_SETS][PLAN_CACHE_WAYS];
};

/* The plan in a capsule. */
static inline const struct plan *plan_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, "ssrjson_web.plan");
}

static ALWAYS_INLINE size_t plan_cache_set(const PyTypeObject *type) {
    return ((uintptr_t)type >> 4 ^ (uintptr_t)type >> 11) % PLAN_CACHE_SETS;
}

/* The plan of a class, a capsule, borrowed from the cache; NULL where it is not there. Runs no
 * Python code. */
static ALWAYS_INLINE PyObject *plan_cache_find(const struct plan_cache *cache,
                                               const PyTypeObject *type,
                                               enum models_option models) {
    const struct plan_slot *const slots = cache->sets[plan_cache_set(type)];
    for (size_t way = 0; !IS_FREE_THREADED && way < PLAN_CACHE_WAYS; way++) {
        if (slots[way].type == type && slots[way].version == type->tp_version_tag &&
            slots[way].models == models) {
            return slots[way].plan;
        }
    }
    return NULL;
}

/* Whether the plan of a class is there and is pydantic's. */
static ALWAYS_INLINE bool plan_cache_has_dict(const struct plan_cache *cache,
                                              const PyTypeObject *type, enum models_option models) {
    PyObject *const plan = plan_cache_find(cache, type, models);
    return plan != NULL && plan_of(plan)->kind == PLAN_DICT;
}

/* Make the plan of a class from what ssrjson_web._models.plan.Plan describes, or None, and keep it
 * if the class has still the version that was described: a new reference, NULL with an exception
 * set.
 */
PyObject *plan_cache_add(struct plan_cache *cache, PyTypeObject *type, enum models_option models,
                         unsigned version, PyObject *description);

void plan_cache_clear(struct plan_cache *cache);

#endif
