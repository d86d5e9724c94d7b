/* SPDX-License-Identifier: MIT */
/* Classes that were seen before, so that their objects are read without Python code and without
 * another look at the class: Enum classes, whose members are replaced by what they have under
 * _value_ or _name_, and uuid.UUID. */
#ifndef SSRJSON_CACHE_KNOWN_CLASSES_H
#define SSRJSON_CACHE_KNOWN_CLASSES_H

#include "cache/hash.h"
#include "pyobject/instance.h"
#include "pyobject/object.h"
#include "pyobject/long.h"
#include "pyobject/snapshot.h"
#include "pyobject/type.h"

#define ENUM_CLASS_BITS 4
#define ENUM_CLASSES (1 << ENUM_CLASS_BITS)
/* Only the first attributes of a member are searched for the one that replaces it. */
#define ENUM_PLACES 4

/* What is known of an Enum class. Any change of the class changes its version tag. */
struct enum_class {
    PyObject *reference; /* owned weak reference to the class; NULL: none was noted */
    unsigned version;
    uint32_t place;       /* index of the attribute among those of a member */
    const PyObject *name; /* of the attribute; compared only */
};

/* A class has one slot, which its address selects. */
struct enum_classes {
    struct enum_class slot[ENUM_CLASSES];
};

static ALWAYS_INLINE struct enum_class *enum_classes_slot(struct enum_classes *classes,
                                                          const PyTypeObject *type) {
    return &classes->slot[hash_of_address(type, ENUM_CLASS_BITS)];
}

/* Note that members of a class are replaced by this attribute of theirs. */
static inline void enum_classes_note(struct enum_classes *classes, PyObject *member,
                                     PyObject *name) {
    PyTypeObject *const type = Py_TYPE(member);
    if (type_has_builtin_base(type)) { /* its members may be written as what they are */
        return;
    }
    const bool was_on = collector_pause(); /* the walk borrows */
    PyObject *const reference = PyWeakref_NewRef((PyObject *)type, NULL);
    collector_go_on(was_on);
    if (reference == NULL) {
        PyErr_Clear();
        return;
    }
    for (uint32_t place = 0; place < ENUM_PLACES; place++) {
        if (object_own_value(member, name, place) != NULL) {
            struct enum_class *const slot = enum_classes_slot(classes, type);
            PyObject *const before = slot->reference;
            *slot = (struct enum_class){.reference = Py_NewRef(reference),
                                        .version = type_version(type),
                                        .place = place,
                                        .name = name};
            Py_XDECREF(before);
            break;
        }
    }
    Py_DECREF(reference);
}

static inline void enum_classes_clear(struct enum_classes *classes) {
    for (size_t i = 0; i < ENUM_CLASSES; i++) {
        Py_CLEAR(classes->slot[i].reference);
    }
}

/* The attribute of a member of a class that was noted, borrowed; otherwise NULL. */
static ALWAYS_INLINE PyObject *enum_classes_value(struct enum_classes *classes, PyObject *member,
                                                  PyObject *name) {
    PyTypeObject *const type = Py_TYPE(member);
    const struct enum_class *const known = enum_classes_slot(classes, type);
    return known->reference != NULL && weak_object(known->reference) == (PyObject *)type &&
                   known->version != 0 && known->version == type_version(type) &&
                   known->name == name
               ? object_own_value(member, name, known->place)
               : NULL;
}

/* The slot of uuid.UUID that holds its int, found once for each version of the class. The class
 * needs no reference here: struct native_types owns it. */
struct uuid_slot {
    unsigned version; /* of the class; 0: not found yet */
    Py_ssize_t offset;
};

static inline void uuid_slot_note(struct uuid_slot *slot, const PyTypeObject *type,
                                  Py_ssize_t offset) {
    *slot = (struct uuid_slot){.version = type_version(type), .offset = offset};
}

/* Read the bits of an object of exactly uuid.UUID, without Python code; false where the slot is not
 * known, or holds no such int. */
static ALWAYS_INLINE bool uuid_slot_read(const struct uuid_slot *slot, PyObject *uuid,
                                         unsigned __int128 *bits) {
    if (slot->version == 0 || slot->version != type_version(Py_TYPE(uuid))) {
        return false;
    }
    PyObject *const number = snapshot_slot(uuid, slot->offset);
    const bool is_read = number != NULL && PyLong_Check(number) && long_as_u128(number, bits);
    snapshot_release(number);
    return is_read;
}

#endif
