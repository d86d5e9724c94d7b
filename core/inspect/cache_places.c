/* SPDX-License-Identifier: MIT */
#include "inspect/inspect.h"

#include "cache/hash.h"

const char *const PLACE_STEP_NAMES[] = {
    "root", "key", "attribute", "item", "keys", "held", "deeper",
};

void cache_places_clear(struct cache_places *tree) {
    for (uint32_t i = 0; i < tree->n; i++) {
        Py_XDECREF(tree->places[i].name);
        Py_XDECREF(tree->places[i].holder);
    }
    PyMem_Free(tree->places);
    PyMem_Free(tree->index);
    tree->places = NULL;
    tree->index = NULL;
    tree->n = 0;
    tree->capacity = 0;
}

/* The hash of a step. A name is an exact str; names from dicts have their hash already, and hashing
 * a str never fails. */
static size_t cache_place_hash(uint32_t parent, enum place_step step, PyObject *name,
                               const PyTypeObject *holder) {
    uint64_t hash = hash_add((uint64_t)parent << 3 | (uint64_t)step, (uintptr_t)holder);
    hash = hash_add(hash, name != NULL ? (uint64_t)PyObject_Hash(name) : 0);
    return hash >> 32;
}

static bool cache_place_is(const struct cache_place *place, uint32_t parent, enum place_step step,
                           PyObject *name, const PyTypeObject *holder) {
    return place->parent == parent && place->step == step && place->holder == holder &&
           (place->name == name ||
            (place->name != NULL && name != NULL && PyUnicode_Compare(place->name, name) == 0));
}

/* The entry of a place in the index, or the free entry where it belongs. */
static uint32_t *cache_places_find(const struct cache_places *tree, uint32_t parent,
                                   enum place_step step, PyObject *name,
                                   const PyTypeObject *holder) {
    const size_t mask = 2 * (size_t)tree->capacity - 1;
    size_t i = cache_place_hash(parent, step, name, holder) & mask;
    while (tree->index[i] != NO_PLACE &&
           !cache_place_is(&tree->places[tree->index[i]], parent, step, name, holder)) {
        i = (i + 1) & mask;
    }
    return &tree->index[i];
}

/* Double the tree and its index; -1 where memory is short, and then the tree is unchanged. */
static NOINLINE int cache_places_grow(struct cache_places *tree) {
    const uint32_t capacity = tree->capacity != 0 ? 2 * tree->capacity : PLACES_FIRST_CAPACITY;
    uint32_t *const index = PyMem_Malloc(2 * capacity * sizeof *index);
    if (index == NULL) {
        return -1;
    }
    struct cache_place *const places = PyMem_Realloc(tree->places, capacity * sizeof *places);
    if (places == NULL) {
        PyMem_Free(index);
        return -1;
    }
    memset(index, 0xff, 2 * capacity * sizeof *index);
    PyMem_Free(tree->index);
    tree->places = places;
    tree->index = index;
    tree->capacity = capacity;
    for (uint32_t i = 0; i < tree->n; i++) {
        const struct cache_place *const place = &places[i];
        *cache_places_find(tree, place->parent, place->step, place->name, place->holder) = i;
    }
    return 0;
}

uint32_t cache_places_step(struct cache_places *tree, uint32_t parent, enum place_step step,
                           PyObject *name, PyTypeObject *holder) {
    if (tree->n == tree->capacity && cache_places_grow(tree) != 0) {
        return NO_PLACE;
    }
    if (tree->n > 0 && tree->places[parent].step == PLACE_DEEPER) {
        parent = tree->places[parent].parent;
        step = PLACE_DEEPER;
    } else if (tree->n > 0 && tree->places[parent].depth == tree->max_depth) {
        step = PLACE_DEEPER;
    }
    name = step == PLACE_DEEPER ? NULL : name;
    uint32_t *found = cache_places_find(tree, parent, step, name, holder);
    if (*found == NO_PLACE && step == PLACE_KEY && tree->places[parent].n_keys >= tree->max_keys) {
        tree->places[parent].is_table = true;
        step = PLACE_ITEM;
        name = NULL;
        found = cache_places_find(tree, parent, step, name, holder);
    }
    if (*found == NO_PLACE && tree->n >= MAX_PLACES && parent != 0) {
        return cache_places_step(tree, 0, PLACE_DEEPER, NULL, holder);
    }
    if (*found == NO_PLACE) {
        *found = tree->n;
        tree->places[tree->n] = (struct cache_place){
            .name = Py_XNewRef(name),
            .holder = (PyTypeObject *)Py_XNewRef((PyObject *)holder),
            .parent = parent,
            .depth = tree->n > 0 ? tree->places[parent].depth + 1 : 0,
            .step = step,
        };
        tree->n++;
        tree->places[parent].n_keys += step == PLACE_KEY;
    }
    return *found;
}
