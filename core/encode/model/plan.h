/* SPDX-License-Identifier: MIT */
/* How objects of one class are written: which attribute under which key. Python code determines it
 * once for a class (ssrjson_web._models); the plan is kept here until the class changes. */
#ifndef SSRJSON_ENCODE_MODEL_PLAN_H
#define SSRJSON_ENCODE_MODEL_PLAN_H

#include "encode/model/rule.h"
#include "pyobject/type.h"

/* Where the objects of a class keep their fields. */
enum plan_kind {
    PLAN_ATTRIBUTES, /* in slots or other attributes: dataclasses, attrs, msgspec */
    PLAN_DICT,       /* pydantic: in __dict__, written in the order of the dict */
    PLAN_ORDERED,    /* pydantic: in __dict__, written in the order of the plan */
    PLAN_ROOT,       /* pydantic: the field root in __dict__ replaces the object */
    PLAN_OPAQUE,     /* known to the library only */
    PLAN_NONE,       /* not a model with these options */
};

struct plan_field {
    PyObject *attribute; /* owned interned str */
    PyObject *key;       /* owned str */
    PyObject *alias;     /* owned str: the key where by_alias is asked for */
    struct rule *rule;   /* owned; NULL: any value is written directly */
    PyObject *convert;   /* owned callable, a models.plan.Convert, for a value that does not fit;
                            NULL: the whole object is converted */
    PyObject *default_value; /* owned: a value that exclude_defaults leaves out; or NULL */
    Py_ssize_t slot; /* offset of the value's pointer in the object; -1: read the attribute */
    bool is_excluded;
};

struct plan {
    enum plan_kind kind;
    PyObject *convert;     /* owned callable, a models.plan.Convert, for whole objects; or NULL */
    PyObject *dump;        /* owned callable: the same, with the library's warnings; or NULL */
    PyObject *unset;       /* owned: the value of a field that is not set; or NULL */
    PyObject *places;      /* owned dict: places of fields by attribute */
    Py_ssize_t extra_slot; /* offset of __pydantic_extra__; -1: there is none */
    Py_ssize_t fields_set_slot; /* offset of __pydantic_fields_set__; -1: there is none */
    bool runs_python;           /* reading an attribute may run Python code, as for a property */
    /* the version tag of a class none of whose attributes is a descriptor, so that what an object
     * itself has under their names is their value; 0: there is none */
    unsigned own_version;
    bool is_only_model; /* objects of the class are never taken for anything other than a model */
    bool has_plain_fields; /* each is written as it is, under the name of the attribute, in which
                              the object itself has it; see simple_value.c */
    bool is_renamed;       /* by_alias makes a difference */
    bool by_alias;         /* the class's choice where the options leave it to the class */
    bool has_excluded;
    Py_ssize_t n_fields;
    Py_ssize_t n_computed; /* properties, written after the fields */
    struct plan_field fields[];
};

#define PLAN_CACHE_SETS 256
#define PLAN_CACHE_WAYS 4

/* The libraries whose models are known: the plans of one class differ by it. */
enum models_option {
    MODELS_OFF, /* dataclasses only, by their fields */
    MODELS_ALL,
    MODELS_PYDANTIC, /* pydantic's BaseModel, and dataclasses as with MODELS_OFF */
};

/* The plans of the classes that were used last. A class is known by its address and its version
 * tag, which no other class gets, and which changes with the class or a base of it. A plan has one
 * of a few slots, which the address selects; the most recently added plan is first. No two calls
 * use a cache at the same time: without the GIL each call has one for itself. */
struct plan_slot {
    const PyTypeObject *type; /* compared only, never dereferenced */
    unsigned version;
    enum models_option models;
    PyObject *capsule;       /* owned */
    const struct plan *plan; /* in the capsule */
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

/* The slot with the plan of a class; NULL where it is not cached, or where there is no cache. Runs
 * no Python code. */
static ALWAYS_INLINE const struct plan_slot *plan_cache_find(const struct plan_cache *cache,
                                                             const PyTypeObject *type,
                                                             enum models_option models) {
    if (IS_FREE_THREADED && UNLIKELY(cache == NULL)) {
        return NULL;
    }
    const struct plan_slot *const slots = cache->sets[plan_cache_set(type)];
    for (size_t way = 0; way < PLAN_CACHE_WAYS; way++) {
        if (slots[way].type == type && slots[way].version == type_version(type) &&
            slots[way].models == models) {
            return &slots[way];
        }
    }
    return NULL;
}

/* Whether the plan of a class is cached and is pydantic's. */
static ALWAYS_INLINE bool plan_cache_has_dict(const struct plan_cache *cache,
                                              const PyTypeObject *type, enum models_option models) {
    const struct plan_slot *const slot = plan_cache_find(cache, type, models);
    return slot != NULL && slot->plan->kind == PLAN_DICT;
}

/* Make the plan of a class from a description, a ssrjson_web._models.plan.Plan or None. It is
 * cached if there is a cache and the class still has the version that was described. A new
 * reference, NULL with an exception set. */
PyObject *plan_cache_add(struct plan_cache *cache, PyTypeObject *type, enum models_option models,
                         unsigned version, PyObject *description);

void plan_cache_clear(struct plan_cache *cache);

#endif
