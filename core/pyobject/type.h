/* SPDX-License-Identifier: MIT */
/* Classes: what they define, looked up without running Python code. */
#ifndef SSRJSON_PYOBJECT_TYPE_H
#define SSRJSON_PYOBJECT_TYPE_H

#include <structmember.h>

#include "pyobject/dict.h"

/* The attribute that the class or its bases define under an interned name, borrowed; NULL, without
 * an exception, where there is none. */
static inline PyObject *type_look_up(PyTypeObject *type, PyObject *name) {
    return _PyType_Lookup(type, name);
}

/* The attribute that the class or its bases define under a name given as a C string, borrowed;
 * NULL, without an exception, where there is none. */
static inline PyObject *type_look_up_named(PyTypeObject *type, const char *name) {
    PyObject *const interned = PyUnicode_InternFromString(name);
    if (interned == NULL) {
        PyErr_Clear();
        return NULL;
    }
    PyObject *const found = type_look_up(type, interned);
    Py_DECREF(interned);
    return found;
}

/* The offset in objects of a class of the attribute that __slots__ made under a name, to be read in
 * place; -1 where the name is no slot. An empty slot holds NULL. */
static inline Py_ssize_t type_slot_offset(PyTypeObject *type, PyObject *name) {
    PyObject *const found = type_look_up(type, name); /* borrowed */
    if (found == NULL || !Py_IS_TYPE(found, &PyMemberDescr_Type)) {
        return -1;
    }
    const PyMemberDescrObject *const member = (PyMemberDescrObject *)found;
    const bool is_slot =
        member->d_member->type == T_OBJECT_EX && PyType_IsSubtype(type, member->d_common.d_type);
    return is_slot ? member->d_member->offset : -1;
}

/* The offset of a slot by its name; -1 where there is none. */
static inline Py_ssize_t type_slot_named(PyTypeObject *type, const char *name) {
    PyObject *const interned = PyUnicode_InternFromString(name);
    if (interned == NULL) {
        PyErr_Clear();
        return -1;
    }
    const Py_ssize_t offset = type_slot_offset(type, interned);
    Py_DECREF(interned);
    return offset;
}

/* Whether a class is derived from str, int, list, tuple, dict or bytes, or its objects are classes:
 * what a flag of the class tells. */
static ALWAYS_INLINE bool type_has_flag_of_base(PyTypeObject *type) {
    return PyType_HasFeature(type, Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_LONG_SUBCLASS |
                                       Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS |
                                       Py_TPFLAGS_DICT_SUBCLASS | Py_TPFLAGS_BYTES_SUBCLASS |
                                       Py_TPFLAGS_TYPE_SUBCLASS);
}

/* Whether a class derives from one of the builtin classes that type_has_flag_of_base tells, or from
 * float. */
static inline bool type_has_builtin_base(PyTypeObject *type) {
    return type_has_flag_of_base(type) || PyType_IsSubtype(type, &PyFloat_Type);
}

/* Whether an object of a subclass is iterated by the base's own code. */
static ALWAYS_INLINE bool type_iterates_as(PyObject *object, PyTypeObject *base) {
    return Py_TYPE(object)->tp_iter == base->tp_iter;
}

/* The version tag of a class; 0: none, and then nothing that depends on the class is kept. Another
 * thread may change the class at the same time: then the plan of before or of after that is used.
 */
static ALWAYS_INLINE unsigned type_version(const PyTypeObject *type) {
    return LOAD_SHARED(type->tp_version_tag);
}

/* Whether attributes are read in the usual way, from the class and the object, without
 * overriding. */
static ALWAYS_INLINE bool type_has_usual_attributes(PyTypeObject *type) {
    /* PyObject_GenericGetAttr, whose name stands for a stub where tests run code at each call */
    return type->tp_getattro == PyBaseObject_Type.tp_getattro;
}

#if KNOWS_LAYOUTS
/* The values of an object's own attributes where it keeps them without a dict, in the order of the
 * keys of its class (Objects/object_layout.md in CPython); NULL where it does not. */
static ALWAYS_INLINE const char *object_values(PyObject *object) {
#if PY_VERSION_HEX >= 0x030d0000 /* after the object's head, with a flag for whether they count */
    const PyTypeObject *const type = Py_TYPE(object);
    const char *const values = (const char *)object + type->tp_basicsize;
    return type->tp_flags & Py_TPFLAGS_INLINE_VALUES && values[3] != 0 ? values : NULL;
#elif PY_VERSION_HEX >= 0x030b0000 /* their address is before the head */
    if (!(Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT)) {
        return NULL;
    }
    const char *const *const head = (const char *const *)(const void *)object;
#if PY_VERSION_HEX < 0x030c0000
    return head[-4];
#else
    return (uintptr_t)head[-3] & 1 ? head[-3] + 1 : NULL; /* otherwise a dict's */
#endif
#else
    (void)object;
    return NULL;
#endif
}
#endif

/* The dict that holds an object's own attributes, borrowed; NULL where they are kept without one,
 * under exact strs. False where that is unknown. */
static inline bool object_dict(PyObject *object, PyObject **dict) {
    if (IS_FREE_THREADED) { /* another thread may replace it */
        *dict = NULL;
        return false;
    }
    const PyTypeObject *const type = Py_TYPE(object);
    *dict = NULL;
#if !KNOWS_LAYOUTS && PY_VERSION_HEX >= 0x030b0000
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) { /* made now where there is none yet */
        const bool was_on = collector_pause();
        *dict = PyObject_GenericGetDict(object, NULL);
        if (*dict == NULL) {
            PyErr_Clear();
        }
        collector_go_on(was_on);
        Py_XDECREF(*dict); /* the object keeps it */
        return *dict != NULL;
    }
#elif PY_VERSION_HEX >= 0x030b0000
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) { /* before the object's head */
        const bool has_none = PY_VERSION_HEX < 0x030d0000 && object_values(object) != NULL;
        *dict = has_none ? NULL : ((PyObject *const *)object)[-3];
        return true;
    }
#endif
    if (type->tp_dictoffset > 0) {
        *dict = *(PyObject *const *)((const char *)object + type->tp_dictoffset);
    }
    return type->tp_dictoffset >= 0;
}

/* Whether reading an attribute of an object runs no Python code: no descriptor overrides it, and
 * the other keys compare without Python code. The object's class must read attributes in the usual
 * way. */
static inline bool object_attribute_is_plain(PyObject *object, PyObject *name) {
    if (IS_FREE_THREADED) { /* another thread may change both; and then frames own all they hold */
        return false;
    }
    PyObject *const found = type_look_up(Py_TYPE(object), name); /* borrowed */
    PyObject *dict;
    return (found == NULL || Py_TYPE(found)->tp_descr_get == NULL) && object_dict(object, &dict) &&
           (dict == NULL || dict_has_only_str_keys(dict));
}

/* 'dict', 'app.models.Article': a new str, made without code of a metaclass. */
static inline PyObject *type_full_name(PyTypeObject *type) {
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        return PyUnicode_FromString(
            type->tp_name); /* includes the module, except for builtin types */
    }
    PyObject *const name = ((PyHeapTypeObject *)type)->ht_qualname;
    PyObject *const key = PyUnicode_InternFromString("__module__");
    if (key == NULL) {
        return NULL;
    }
    PyObject *const module = PyDict_GetItemWithError(type->tp_dict, key); /* borrowed */
    Py_DECREF(key);
    if (module == NULL && PyErr_Occurred()) {
        return NULL;
    }
    return module != NULL && PyUnicode_CheckExact(module) &&
                   PyUnicode_CompareWithASCIIString(module, "builtins") != 0
               ? PyUnicode_FromFormat("%U.%U", module, name)
               : PyUnicode_FromFormat("%U", name);
}

#endif
