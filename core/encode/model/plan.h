/* SPDX-License-Identifier: MIT */
/* How objects of one class are written: which attribute under which key. Python code determines it
 * once for a class (ssrjson_web._models). The class owns the plan, so that both end together. */
#ifndef SSRJSON_ENCODE_MODEL_PLAN_H
#define SSRJSON_ENCODE_MODEL_PLAN_H

#include "cache/plans.h"
#include "encode/options.h"
#include "pyobject/snapshot.h"
#include "pyobject/object.h"
#include "pyobject/python.h"
#include "schema/fits.h"
#include "schema/schema.h"

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
    PyObject *attribute;     /* owned interned str */
    PyObject *key;           /* owned str */
    PyObject *alias;         /* owned str: the key where by_alias is asked for */
    const struct node *rule; /* borrowed of the plan; NULL: any value is written directly */
    PyObject *convert; /* owned callable, a models.plan.Convert, for a value that does not fit;
                          NULL: the whole object is converted */
    PyObject *default_value; /* owned: a value that exclude_defaults leaves out; or NULL */
    Py_ssize_t slot; /* offset of the value's pointer in the object; -1: read the attribute */
    bool is_excluded;
    bool is_of_root; /* only the serializer of the outermost value converts as the library does */
};

/* An object of Python, because it refers to the class that owns it: through types, serializers and
 * defaults. The garbage collector must see that circle. */
struct plan {
    PyObject_VAR_HEAD PyObject *weakrefs; /* for CPython: the weak references to it */
    PyTypeObject *type;                   /* owned; NULL where the class is no model */
    const struct plan_cache *cache; /* compared only: of which thread caches, without the GIL */
    enum models_option models;
    enum plan_kind kind;
    struct schema schema;  /* owned: the rules of the fields */
    PyObject *convert;     /* owned callable, a models.plan.Convert, for whole objects; or NULL */
    PyObject *dump;        /* owned callable: the same, with the library's warnings; or NULL */
    bool is_of_root;       /* as of a field: of whole objects */
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
                              the object itself has it; see plain_fields.h */
    bool is_renamed;       /* by_alias makes a difference */
    bool by_alias;         /* the class's choice where the options leave it to the class */
    bool has_excluded;
    Py_ssize_t n_fields;
    Py_ssize_t n_computed; /* properties, written after the fields */
    struct plan_field fields[];
};

/* Make the plan of a class from a description, a ssrjson_web._models.plan.Plan or None. It is
 * cached if there is a cache and the class still has the version that was described. A new
 * reference, NULL with an exception set. `plan_type` is the type of plans. */
struct plan *plan_cache_add(struct plan_cache *cache, PyTypeObject *plan_type, PyTypeObject *type,
                            enum models_option models, unsigned version, PyObject *description);

/* The functions of the type of plans. */
int plan_traverse(PyObject *plan, visitproc visit, void *arg);
void plan_dealloc(PyObject *plan);

/* An object that must be written by the plan of a base of its class: a field is declared as Base
 * and holds a Derived, of which pydantic writes the fields of Base. Python code never gets this
 * wrapper. */

struct model_as {
    PyObject_HEAD PyObject *object; /* owned */
    PyTypeObject *base;             /* owned */
};

/* A new reference; NULL with an exception set. */
static inline PyObject *model_as_new(PyTypeObject *type, PyObject *object, PyTypeObject *base) {
    struct model_as *const self = (struct model_as *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->object = Py_NewRef(object);
        self->base = (PyTypeObject *)Py_NewRef((PyObject *)base);
    }
    return (PyObject *)self;
}

#endif
