/* SPDX-License-Identifier: MIT */
#include "inspect/inspect.h"

#include <stdlib.h>

#define CACHE_SCAN_FIRST_HOLDERS 64
#define CACHE_SCAN_FIRST_PENDING 1024

/* The UTF-8 caches of the strings that objects of one type hold. */
struct cache_holder {
    PyTypeObject *type;          /* owned; NULL: strings that are roots */
    Py_ssize_t n_cached_strings; /* 0: a free entry of the table */
    Py_ssize_t n_bytes;
};

struct cache_scan {
    struct object_walk walk;
    PyObject *const *roots; /* borrowed */
    Py_ssize_t n_roots;
    PyObject **pending; /* owned array, borrowed objects: visited, but not yet their contents */
    size_t n_pending;
    size_t pending_capacity;
    struct cache_holder *holders; /* owned, a hash table by type */
    size_t n_holders;
    size_t holders_capacity;   /* a power of two */
    PyTypeObject *holder_type; /* of the object whose contents are visited */
    struct cache_holder
        *holder;          /* its entry in the table; NULL while no UTF-8 cache was found in it */
    Py_ssize_t n_strings; /* among the visited objects */
};

static void cache_scan_clear(struct cache_scan *scan) {
    for (size_t i = 0; i < scan->holders_capacity; i++) {
        Py_XDECREF(scan->holders[i].type);
    }
    PyMem_Free(scan->holders);
    PyMem_Free(scan->pending);
    object_walk_clear(&scan->walk);
    *scan = (struct cache_scan){0};
}

/* ---- the counts ---------------------------------------------------------------------------- */

/* The entry of a type among holders, or the free one where it belongs. */
static struct cache_holder *cache_holder_find(struct cache_holder *holders, size_t capacity,
                                              const PyTypeObject *type) {
    size_t i = object_walk_hash(type) & (capacity - 1);
    while (holders[i].n_cached_strings != 0 && holders[i].type != type) {
        i = (i + 1) & (capacity - 1);
    }
    return &holders[i];
}

static int cache_scan_grow_holders(struct cache_scan *scan) {
    const size_t capacity =
        scan->holders != NULL ? 2 * scan->holders_capacity : CACHE_SCAN_FIRST_HOLDERS;
    struct cache_holder *const grown = PyMem_Calloc(capacity, sizeof *grown);
    if (grown == NULL) {
        return -1;
    }
    for (size_t i = 0; i < scan->holders_capacity; i++) {
        if (scan->holders[i].n_cached_strings != 0) {
            *cache_holder_find(grown, capacity, scan->holders[i].type) = scan->holders[i];
        }
    }
    PyMem_Free(scan->holders);
    scan->holders = grown;
    scan->holders_capacity = capacity;
    return 0;
}

/* Count a UTF-8 cache for the object whose contents are visited; -1 where memory is short. */
static int cache_scan_count_copy(struct cache_scan *scan, Py_ssize_t n_bytes) {
    if (scan->holder == NULL) {
        if (2 * scan->n_holders >= scan->holders_capacity && cache_scan_grow_holders(scan) != 0) {
            return -1;
        }
        scan->holder = cache_holder_find(scan->holders, scan->holders_capacity, scan->holder_type);
        if (scan->holder->n_cached_strings == 0) {
            scan->holder->type = scan->holder_type;
            Py_XINCREF(scan->holder_type);
            scan->n_holders++;
        }
    }
    scan->holder->n_cached_strings++;
    scan->holder->n_bytes += n_bytes;
    return 0;
}

/* ---- the walk ------------------------------------------------------------------------------ */

static NOINLINE int cache_scan_grow_pending(struct cache_scan *scan) {
    const size_t capacity =
        scan->pending != NULL ? 2 * scan->pending_capacity : CACHE_SCAN_FIRST_PENDING;
    PyObject **const grown = PyMem_Realloc(scan->pending, capacity * sizeof *grown);
    if (grown == NULL) {
        return -1;
    }
    scan->pending = grown;
    scan->pending_capacity = capacity;
    return 0;
}

/* Visit an object whose type is neither a leaf nor a part of the program; -1 where the scan has to
 * stop. */
static ALWAYS_INLINE int cache_scan_visit_kind(struct cache_scan *scan, PyObject *object,
                                               enum type_kind kind) {
    const int is_new = object_walk_visit(&scan->walk, object);
    if (is_new <= 0) {
        return is_new;
    }
    if (kind == TYPE_STRING || kind == TYPE_STRING_HOLDER) {
        scan->n_strings++;
        const Py_ssize_t n_bytes = unicode_cache_bytes(object);
        if (n_bytes != 0 && cache_scan_count_copy(scan, n_bytes) != 0) {
            return object_walk_stop(&scan->walk, OBJECT_WALK_NO_MEMORY);
        }
        if (kind == TYPE_STRING) {
            return 0;
        }
    }
    if (UNLIKELY(scan->n_pending == scan->pending_capacity) && cache_scan_grow_pending(scan) != 0) {
        return object_walk_stop(&scan->walk, OBJECT_WALK_NO_MEMORY);
    }
    scan->pending[scan->n_pending++] = object;
    return 0;
}

/* A visitproc for what an object holds. */
static int cache_scan_visit(PyObject *object, void *arg) {
    struct cache_scan *const scan = arg;
    if (PyUnicode_CheckExact(object)) {
        return cache_scan_visit_kind(scan, object, TYPE_STRING);
    }
    const enum type_kind kind = object_walk_kind(&scan->walk, Py_TYPE(object));
    return kind == TYPE_LEAF || kind == TYPE_PROGRAM ? 0
                                                     : cache_scan_visit_kind(scan, object, kind);
}

static int cache_scan_look_into(struct cache_scan *scan, PyObject *object) {
    scan->holder_type = Py_TYPE(object);
    scan->holder = NULL;
    if (PyObject_IS_GC(object)) {
        /* attributes count for the instance, whether or not it has a dict for them at present */
        PyObject *const own = object_own_dict(object);
        if (own != NULL && PyDict_CheckExact(own)) {
            const int is_new = object_walk_visit(&scan->walk, own);
            if (is_new < 0 || (is_new && referents_visit_dict(own, cache_scan_visit, scan) != 0)) {
                return -1;
            }
        }
    }
    return referents_visit(object, cache_scan_visit, scan);
}

/* Visit the roots. The contents of every kind of root are visited, those of classes and modules as
 * well. */
static int cache_scan_visit_roots(struct cache_scan *scan, PyObject *const *roots,
                                  Py_ssize_t n_roots) {
    for (Py_ssize_t i = 0; i < n_roots; i++) {
        const enum type_kind kind = type_kind(Py_TYPE(roots[i]));
        if (kind != TYPE_LEAF && cache_scan_visit_kind(scan, roots[i], kind) != 0) {
            return -1;
        }
    }
    return object_walk_leave_out_builtins(&scan->walk, roots, n_roots);
}

static void cache_scan_walk(void *arg) {
    struct cache_scan *const scan = arg;
    int status = cache_scan_visit_roots(scan, scan->roots, scan->n_roots);
    while (status == 0 && scan->n_pending > 0) {
        status = cache_scan_look_into(scan, scan->pending[--scan->n_pending]);
    }
    assert(status == 0 || scan->walk.end != OBJECT_WALK_DONE);
}

static enum object_walk_end cache_scan_run(struct cache_scan *scan, PyObject *const *roots,
                                           Py_ssize_t n_roots) {
    scan->roots = roots;
    scan->n_roots = n_roots;
    object_walk_run_alone(cache_scan_walk, scan);
    return scan->walk.end;
}

/* ---- the report ---------------------------------------------------------------------------- */

struct cache_line {
    PyObject *name; /* owned str */
    Py_ssize_t n_cached_strings;
    Py_ssize_t n_bytes;
};

static int cache_line_compare_names(const void *left, const void *right) {
    const struct cache_line *const a = left;
    const struct cache_line *const b = right;
    return PyUnicode_Compare(a->name, b->name);
}

/* Sort by bytes, the largest number first. */
static int cache_line_compare(const void *left, const void *right) {
    const struct cache_line *const a = left;
    const struct cache_line *const b = right;
    return a->n_bytes != b->n_bytes ? (a->n_bytes < b->n_bytes ? 1 : -1)
                                    : cache_line_compare_names(left, right);
}

/* Merge lines of the same name: several classes have one name where a class is made in a function
 * or was loaded again. Returns the number of lines that are left. */
static size_t cache_lines_merge(struct cache_line *lines, size_t n) {
    qsort(lines, n, sizeof *lines, cache_line_compare_names);
    size_t n_merged = 0;
    for (size_t i = 0; i < n; i++) {
        if (n_merged > 0 && cache_line_compare_names(&lines[n_merged - 1], &lines[i]) == 0) {
            lines[n_merged - 1].n_cached_strings += lines[i].n_cached_strings;
            lines[n_merged - 1].n_bytes += lines[i].n_bytes;
            Py_DECREF(lines[i].name);
        } else {
            lines[n_merged++] = lines[i];
        }
    }
    return n_merged;
}

/* The report by type, a new dict: {name: {"bytes": ..., "cached_strings": ...}}. */
static PyObject *cache_lines_dict(const struct cache_line *lines, size_t n) {
    PyObject *const dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < n; i++) {
        PyObject *const counts = Py_BuildValue("{s:n,s:n}", "bytes", lines[i].n_bytes,
                                               "cached_strings", lines[i].n_cached_strings);
        const int status = counts != NULL ? PyDict_SetItem(dict, lines[i].name, counts) : -1;
        Py_XDECREF(counts);
        if (status != 0) {
            Py_DECREF(dict);
            return NULL;
        }
    }
    return dict;
}

static PyObject *cache_scan_holders(const struct cache_scan *scan) {
    struct cache_line *const lines = PyMem_Calloc(scan->n_holders + 1, sizeof *lines);
    if (lines == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *dict = NULL;
    size_t n = 0;
    for (size_t i = 0; i < scan->holders_capacity; i++) {
        const struct cache_holder *const holder = &scan->holders[i];
        if (holder->n_cached_strings != 0) {
            lines[n].name =
                holder->type != NULL ? type_full_name(holder->type) : PyUnicode_FromString("root");
            if (lines[n].name == NULL) {
                goto done;
            }
            lines[n].n_cached_strings = holder->n_cached_strings;
            lines[n++].n_bytes = holder->n_bytes;
        }
    }
    n = cache_lines_merge(lines, n);
    qsort(lines, n, sizeof *lines, cache_line_compare);
    dict = cache_lines_dict(lines, n);
done:
    for (size_t i = 0; i < n; i++) {
        Py_DECREF(lines[i].name);
    }
    PyMem_Free(lines);
    return dict;
}

static PyObject *cache_scan_report(const struct cache_scan *scan) {
    PyObject *const holders = cache_scan_holders(scan);
    if (holders == NULL) {
        return NULL;
    }
    Py_ssize_t n_bytes = 0;
    Py_ssize_t n_cached_strings = 0;
    for (size_t i = 0; i < scan->holders_capacity; i++) {
        n_bytes += scan->holders[i].n_bytes;
        n_cached_strings += scan->holders[i].n_cached_strings;
    }
    return Py_BuildValue("{s:n,s:n,s:n,s:n,s:N}", "bytes", n_bytes, "cached_strings",
                         n_cached_strings, "strings", scan->n_strings, "objects",
                         scan->walk.n_objects, "by_holder", holders);
}

const char scan_utf8_cache_doc[] = PyDoc_STR(
    "scan_utf8_cache($module, /, *roots)\n--\n\n"
    "The UTF-8 caches of all strings that can be reached from the roots, as a dict.\n\n"
    "bytes is the size of the caches, cached_strings the number of strings that have one. strings\n"
    "and objects are the numbers of visited ones, without numbers and other objects that hold\n"
    "nothing. by_holder gives bytes and cached_strings for each type of object that holds such\n"
    "strings, the largest first. Each object is visited once: a string counts for the first\n"
    "holder that leads to it, or for \"root\" if it is a root itself.\n\n"
    "The scan follows containers, attributes, slots and all other references that the garbage\n"
    "collector can follow, so not those in numpy's arrays. It enters classes, modules, functions,\n"
    "frames and generators only where they are roots. It runs no code of the objects, and makes\n"
    "and changes none. It takes a few bytes of memory for each object. Other threads wait\n"
    "meanwhile: the GIL is held, or in a build without a GIL all other threads are stopped.");

PyObject *core_scan_utf8_cache(PyObject *module, PyObject *const *roots, Py_ssize_t n_roots) {
    (void)module;
    struct cache_scan scan = {.walk = {.is_interruptible = true}};
    enum object_walk_end end = cache_scan_run(&scan, roots, n_roots);
    if (end == OBJECT_WALK_INTERRUPTED) {
        cache_scan_clear(&scan);
        if (object_walk_handle_interrupt() != 0) {
            return NULL;
        }
        end = cache_scan_run(&scan, roots, n_roots);
    }
    PyObject *const report = end == OBJECT_WALK_DONE ? cache_scan_report(&scan) : PyErr_NoMemory();
    cache_scan_clear(&scan);
    return report;
}
