/* SPDX-License-Identifier: MIT */
/* The slot of uuid.UUID that holds its int, found once for a version of the class. */
#ifndef SSRJSON_CACHE_UUID_SLOT_H
#define SSRJSON_CACHE_UUID_SLOT_H

#include "pyobject/long.h"
#include "pyobject/snapshot.h"
#include "pyobject/type.h"

/* The class is the one that struct native_types owns. */
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
    PyObject *const number = snapshot_slot(uuid, slot->offset); /* borrowed */
    return number != NULL && PyLong_Check(number) && long_as_u128(number, bits);
}

#endif
