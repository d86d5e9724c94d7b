/* SPDX-License-Identifier: MIT */
/* Enum classes that were seen before, whose members are replaced by what they have under _value_ or
 * _name_: without Python code, and without looking at the class again. */
#ifndef SSRJSON_ENCODE_NATIVE_ENUM_CLASSES_H
#define SSRJSON_ENCODE_NATIVE_ENUM_CLASSES_H

#include "pyobject/instance.h"

#define ENUM_CLASSES 16
#define ENUM_PLACES 4 /* of the attributes of a member that are searched */

/* A class is known by its address and its version tag, as in struct plan_slot. */
struct enum_class {
    const PyTypeObject *type; /* compared only, never dereferenced */
    unsigned version;
    uint32_t place;       /* of the attribute among those of a member */
    const PyObject *name; /* of the attribute; compared only */
};

/* A class has one slot, which its address selects. */
struct enum_classes {
    struct enum_class slot[ENUM_CLASSES];
};

static ALWAYS_INLINE struct enum_class *enum_classes_slot(struct enum_classes *classes,
                                                          const PyTypeObject *type) {
    return &classes->slot[((uintptr_t)type >> 4 ^ (uintptr_t)type >> 11) % ENUM_CLASSES];
}

/* Note that members of a class are replaced by this attribute of theirs. */
static inline void enum_classes_note(struct enum_classes *classes, PyObject *member,
                                     PyObject *name) {
    PyTypeObject *const type = Py_TYPE(member);
    if (type_has_builtin_base(type)) { /* its members may be written as what they are */
        return;
    }
    for (uint32_t place = 0; place < ENUM_PLACES; place++) {
        if (object_own_value(member, name, place) != NULL) {
            *enum_classes_slot(classes, type) = (struct enum_class){
                .type = type, .version = type_version(type), .place = place, .name = name};
            return;
        }
    }
}

/* The attribute of a member of a class that was noted, borrowed; otherwise NULL. */
static ALWAYS_INLINE PyObject *enum_classes_value(struct enum_classes *classes, PyObject *member,
                                                  PyObject *name) {
    const PyTypeObject *const type = Py_TYPE(member);
    const struct enum_class *const known = enum_classes_slot(classes, type);
    return known->type == type && known->version != 0 && known->version == type_version(type) &&
                   known->name == name
               ? object_own_value(member, name, known->place)
               : NULL;
}

#endif
