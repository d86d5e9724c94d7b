/* SPDX-License-Identifier: MIT */
#include "inspect/inspect.h"

#define CACHE_AUDIT_FIRST_OBJECTS 1024

/* An object that was visited, and whose contents are still to be visited. */
struct audited_object {
    PyObject *object; /* borrowed */
    uint32_t place;
};

struct audited_level {
    struct audited_object *objects; /* owned */
    size_t n;
    size_t capacity;
};

struct cache_audit {
    struct object_walk walk;
    PyObject *root; /* borrowed */
    struct cache_places tree;
    struct audited_level next;
    PyTypeObject
        *holder; /* type of the object whose contents are visited; NULL: the root is visited */
    uint32_t holder_place;
    enum place_step step; /* from that object to the one that is visited */
    PyObject *name;       /* borrowed, exact str or NULL */
    uint32_t place; /* the place that the step leads to; NO_PLACE until something was found there */
    Py_ssize_t n_strings;
};

static void cache_audit_clear(struct cache_audit *audit) {
    object_walk_clear(&audit->walk);
    cache_places_clear(&audit->tree);
    PyMem_Free(audit->next.objects);
    audit->next = (struct audited_level){0};
    audit->n_strings = 0;
}

/* ---- what is found ------------------------------------------------------------------------- */

static COLD int cache_audit_no_memory(struct cache_audit *audit) {
    return object_walk_stop(&audit->walk, OBJECT_WALK_NO_MEMORY);
}

static ALWAYS_INLINE void cache_audit_step(struct cache_audit *audit, enum place_step step,
                                           PyObject *name) {
    audit->step = step;
    audit->name = name;
    audit->place = NO_PLACE;
}

/* Find or make the place of the current step; -1 where memory is short. */
static ALWAYS_INLINE int cache_audit_find_place(struct cache_audit *audit) {
    if (audit->place == NO_PLACE) {
        audit->place = cache_places_step(&audit->tree, audit->holder_place, audit->step,
                                         audit->name, audit->holder);
    }
    return audit->place != NO_PLACE ? 0 : cache_audit_no_memory(audit);
}

/* Size of the UTF-8 cache that a str without one would get, its terminator included; 0 where it
 * would get none. */
static Py_ssize_t unicode_wanted_cache_bytes(PyObject *string) {
    if (!unicode_has_form(string) || PyUnicode_IS_ASCII(string)) {
        return 0;
    }
    const struct text text = unicode_text(string);
    const size_t n = (size_t)text.length;
    const size_t n_bytes = text.form == TEXT_UCS4   ? utf8_size_of_ucs4(text.data, n)
                           : text.form == TEXT_UCS2 ? utf8_size_of_ucs2(text.data, n)
                                                    : utf8_size_of_latin1(text.data, n);
    return n_bytes != 0 ? (Py_ssize_t)n_bytes + 1 : 0;
}

static int cache_audit_count(struct cache_audit *audit, PyObject *string) {
    audit->n_strings++;
    const Py_ssize_t cached_bytes = unicode_cache_bytes(string);
    const Py_ssize_t plain_bytes = cached_bytes != 0 ? 0 : unicode_wanted_cache_bytes(string);
    if (cached_bytes + plain_bytes == 0) {
        return 0;
    }
    if (cache_audit_find_place(audit) != 0) {
        return -1;
    }
    struct cache_counts *const counts = &audit->tree.places[audit->place].counts;
    counts->n_cached_strings += cached_bytes != 0;
    counts->cached_bytes += cached_bytes;
    counts->n_plain_strings += plain_bytes != 0;
    counts->plain_bytes += plain_bytes;
    return 0;
}

static int cache_audit_keep(struct cache_audit *audit, PyObject *object) {
    struct audited_level *const level = &audit->next;
    if (level->n == level->capacity) {
        const size_t capacity =
            level->capacity != 0 ? 2 * level->capacity : CACHE_AUDIT_FIRST_OBJECTS;
        struct audited_object *const grown =
            PyMem_Realloc(level->objects, capacity * sizeof *grown);
        if (grown == NULL) {
            return cache_audit_no_memory(audit);
        }
        level->objects = grown;
        level->capacity = capacity;
    }
    level->objects[level->n++] = (struct audited_object){object, audit->place};
    return 0;
}

/* Visit an object whose type is neither a leaf nor a part of the program; -1 where the audit has to
 * stop. */
static int cache_audit_visit_kind(struct cache_audit *audit, PyObject *object,
                                  enum type_kind kind) {
    const int is_new = object_walk_visit(&audit->walk, object);
    if (is_new <= 0) {
        return is_new;
    }
    if ((kind == TYPE_STRING || kind == TYPE_STRING_HOLDER) &&
        cache_audit_count(audit, object) != 0) {
        return -1;
    }
    if (kind == TYPE_STRING) {
        return 0;
    }
    return cache_audit_find_place(audit) == 0 ? cache_audit_keep(audit, object) : -1;
}

/* A visitproc for what an object holds. */
static int cache_audit_visit(PyObject *object, void *arg) {
    struct cache_audit *const audit = arg;
    const enum type_kind kind = object_walk_kind(&audit->walk, Py_TYPE(object));
    return kind == TYPE_LEAF || kind == TYPE_PROGRAM ? 0
                                                     : cache_audit_visit_kind(audit, object, kind);
}

/* ---- what an object holds, by name ---------------------------------------------------------- */

static int cache_audit_visit_named(struct cache_audit *audit, enum place_step step, PyObject *name,
                                   PyObject *value) {
    cache_audit_step(audit, step, name);
    return cache_audit_visit(value, audit);
}

static int cache_audit_visit_dict(struct cache_audit *audit, PyObject *dict, bool is_attributes) {
    const bool is_table = !is_attributes && PyDict_GET_SIZE(dict) > audit->tree.max_keys;
    audit->tree.places[audit->holder_place].is_table |= is_table;
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *value;
    int status = 0;
    while (status == 0 && PyDict_Next(dict, &position, &key, &value)) {
        status = cache_audit_visit_named(audit, PLACE_DICT_KEYS, NULL, key);
        if (status == 0) {
            const bool has_name = !is_table && PyUnicode_CheckExact(key);
            status = cache_audit_visit_named(audit,
                                             !has_name       ? PLACE_ITEM
                                             : is_attributes ? PLACE_ATTRIBUTE
                                                             : PLACE_KEY,
                                             has_name ? key : NULL, value);
        }
    }
    return status;
}

/* Visit the attributes of an instance, in its dict or beside it. */
static int cache_audit_visit_attributes(struct cache_audit *audit, PyObject *object) {
    PyObject *const own = object_own_dict(object);
    if (own != NULL && PyDict_CheckExact(own)) {
        const int is_new = object_walk_visit(&audit->walk, own);
        return is_new > 0 ? cache_audit_visit_dict(audit, own, true) : is_new;
    }
    const struct dict_entries entries = object_inline_attributes(object);
    int status = 0;
    for (Py_ssize_t i = 0; i < entries.n && status == 0; i++) {
        PyObject *name;
        PyObject *value;
        if (dict_entry(entries.first, entries.entry_bytes, entries.values, i, &name, &value)) {
            status = cache_audit_visit_named(audit, PLACE_ATTRIBUTE, name, value);
        }
    }
    return status;
}

/* Visit the slots of an object by name. The class keeps the names as C strings, so each has to be
 * made a str. */
static int cache_audit_visit_slots(struct cache_audit *audit, PyObject *object) {
    int status = 0;
    for (const PyTypeObject *type = Py_TYPE(object); type != NULL; type = type->tp_base) {
        for (const PyMemberDef *member = type->tp_members;
             status == 0 && member != NULL && member->name != NULL; member++) {
            PyObject *const value =
                member->type == T_OBJECT_EX
                    ? *(PyObject *const *)((const char *)object + member->offset)
                    : NULL;
            if (value == NULL) {
                continue;
            }
            PyObject *const name = PyUnicode_FromString(member->name);
            if (name == NULL) {
                PyErr_Clear();
                return cache_audit_no_memory(audit);
            }
            status = cache_audit_visit_named(audit, PLACE_ATTRIBUTE, name, value);
            Py_DECREF(name);
        }
    }
    return status;
}

static bool type_has_items(PyTypeObject *type) {
    return (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_item != NULL) ||
           PyType_FastSubclass(type, Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS) ||
           PyType_IsSubtype(type, &PySet_Type) || PyType_IsSubtype(type, &PyFrozenSet_Type);
}

static int cache_audit_look_into(struct cache_audit *audit, PyObject *object, uint32_t place) {
    PyTypeObject *const type = Py_TYPE(object);
    audit->holder = type;
    audit->holder_place = place;
    int status = 0;
    if (!PyList_CheckExact(object) && !PyTuple_CheckExact(object) && !PyDict_CheckExact(object)) {
        status = PyObject_IS_GC(object) ? cache_audit_visit_attributes(audit, object) : 0;
        status = status == 0 ? cache_audit_visit_slots(audit, object) : status;
    }
    if (status == 0 && PyDict_Check(object)) {
        status = cache_audit_visit_dict(audit, object, false);
    }
    if (status == 0 && !PyDict_CheckExact(object)) {
        cache_audit_step(audit, type_has_items(type) ? PLACE_ITEM : PLACE_HELD, NULL);
        status = referents_visit(object, cache_audit_visit, audit);
    }
    return status;
}

static void cache_audit_walk(void *arg) {
    struct cache_audit *const audit = arg;
    PyObject *const root = audit->root;
    audit->holder = NULL;
    audit->holder_place = 0;
    cache_audit_step(audit, PLACE_ROOT, NULL);
    /* the root always has a place */
    int status = cache_audit_find_place(audit);
    const enum type_kind kind = type_kind(Py_TYPE(root));
    if (status == 0 && kind != TYPE_LEAF) {
        status = cache_audit_visit_kind(audit, root, kind);
    }
    if (status == 0) {
        status = object_walk_leave_out_builtins(&audit->walk, &root, 1);
    }
    while (status == 0 && audit->next.n > 0) {
        const struct audited_level level = audit->next;
        audit->next = (struct audited_level){0};
        for (size_t i = 0; i < level.n && status == 0; i++) {
            status = cache_audit_look_into(audit, level.objects[i].object, level.objects[i].place);
        }
        PyMem_Free(level.objects);
    }
}

static enum object_walk_end cache_audit_run(struct cache_audit *audit, PyObject *root) {
    audit->root = root;
    object_walk_run_alone(cache_audit_walk, audit);
    return audit->walk.end;
}

/* ---- the report ---------------------------------------------------------------------------- */

static PyObject *cache_place_row(const struct cache_place *place) {
    PyObject *const holder =
        place->holder != NULL ? type_full_name(place->holder) : PyUnicode_FromString("root");
    if (holder == NULL) {
        return NULL;
    }
    return Py_BuildValue("(IsONOnnnn)", place->parent, PLACE_STEP_NAMES[place->step],
                         place->name != NULL ? place->name : Py_None, holder,
                         place->is_table ? Py_True : Py_False, place->counts.n_cached_strings,
                         place->counts.cached_bytes, place->counts.n_plain_strings,
                         place->counts.plain_bytes);
}

static PyObject *cache_audit_report(const struct cache_audit *audit) {
    PyObject *const rows = PyList_New(audit->tree.n);
    for (uint32_t i = 0; rows != NULL && i < audit->tree.n; i++) {
        PyObject *const row = cache_place_row(&audit->tree.places[i]);
        if (row == NULL) {
            Py_DECREF(rows);
            return NULL;
        }
        PyList_SET_ITEM(rows, i, row);
    }
    return rows != NULL ? Py_BuildValue("(nnN)", audit->n_strings, audit->walk.n_objects, rows)
                        : NULL;
}

const char audit_utf8_cache_doc[] = PyDoc_STR(
    "_audit_utf8_cache($module, root, max_depth, max_keys, /)\n--\n\n"
    "(strings, objects, rows): the numbers visited under the root, and a row for each place with\n"
    "strings that have a UTF-8 cache or could get one. See ssrjson_web.audit.");

PyObject *core_audit_utf8_cache(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *root;
    struct cache_audit audit = {.walk = {.is_interruptible = true}};
    if (!PyArg_ParseTuple(args, "OII", &root, &audit.tree.max_depth, &audit.tree.max_keys)) {
        return NULL;
    }
    enum object_walk_end end = cache_audit_run(&audit, root);
    if (end == OBJECT_WALK_INTERRUPTED) {
        cache_audit_clear(&audit);
        if (object_walk_handle_interrupt() != 0) {
            return NULL;
        }
        end = cache_audit_run(&audit, root);
    }
    PyObject *const report =
        end == OBJECT_WALK_DONE ? cache_audit_report(&audit) : PyErr_NoMemory();
    cache_audit_clear(&audit);
    return report;
}
