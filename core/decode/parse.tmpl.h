/* SPDX-License-Identifier: MIT */
/* Template: parse one document of one kind of source text.
 * Parameters: SOURCE, one of utf8, latin1, ucs2, ucs4, and its SOURCE_BITS a unit. Defines
 * parse_<source>. */

#define SOURCE_IS_UTF8 (CONCAT(SOURCE_NUMBER, SOURCE) == SOURCE_NUMBER_utf8)
#define NAME(noun) CONCAT(noun, SOURCE)
#define unit_t CONCAT(SOURCE_UNIT, SOURCE)
/* strings with escapes are built as UTF-8, or as code points */
#if SOURCE_IS_UTF8
#define scratch_unit_t uint8_t
#else
#define scratch_unit_t uint32_t
#endif

struct NAME(reader) {
    struct decoder *decoder;
    const unit_t *begin;
    const unit_t *end;
};

static ALWAYS_INLINE void NAME(fail)(const struct NAME(reader) * reader, enum error_kind kind,
                                     const unit_t *at) {
    decoder_fail(reader->decoder, kind, (size_t)(at - reader->begin));
}

static ALWAYS_INLINE const unit_t *NAME(skip_space)(const unit_t *p, const unit_t *end) {
    return CONCAT(skip_space, SOURCE_BITS)(p, end);
}

#include "decode/read_string.tmpl.h"

#include "decode/read_number.tmpl.h"

#include "decode/read_literal.tmpl.h"

/* Read a value that is at the place of a number but is none: -Infinity, or an error. */
static COLD const unit_t *NAME(read_no_number)(const struct NAME(reader) * reader, const unit_t *p,
                                               PyObject **value) {
    if (NAME(is_literal)(p, reader->end, "-Infinity", 9)) {
        *value = NAME(build_constant)(reader, p, "-Infinity");
        return p + 9;
    }
    NAME(fail)(reader, ERROR_EXPECTING_VALUE, p);
    *value = NULL;
    return p;
}

/* Record that a value or a key was expected at p, after a comma. Relies on the text that was kept:
 * it holds the comma before p, with nothing but white space between (see pause.last_token). */
static COLD void NAME(fail_after_comma)(const struct NAME(reader) * reader, const unit_t *p,
                                        bool is_object) {
    const bool is_closed = p < reader->end && *p == (is_object ? '}' : ']');
    if (is_closed && reader->decoder->options->quirks.names_trailing_comma) {
        const unit_t *comma = p;
        do {
            assert(comma > reader->begin);
            comma--;
        } while (comma > reader->begin && *comma != ',');
        NAME(fail)(reader, is_object ? ERROR_TRAILING_COMMA_OBJECT : ERROR_TRAILING_COMMA_ARRAY,
                   comma);
        return;
    }
    NAME(fail)(reader, is_object ? ERROR_EXPECTING_NAME : ERROR_EXPECTING_VALUE, p);
}

/* Record that key i of the well-formed object at p repeats an earlier one. */
static COLD void NAME(fail_repeated_key)(const struct NAME(reader) * reader, const unit_t *p,
                                         Py_ssize_t i) {
    size_t depth = 0;
    bool is_key = false; /* the next string is one of the object's keys */
    for (; p < reader->end;
         p++) { /* a hook may have changed the source, so its end must be checked */
        if (*p == '{' || *p == '[') {
            depth++;
            is_key = depth == 1;
        } else if (*p == '}' || *p == ']') {
            depth--;
        } else if (*p == ',') {
            is_key = depth == 1;
        } else if (*p == '"') {
            if (is_key && i-- == 0) {
                break;
            }
            is_key = false;
            while (++p < reader->end && *p != '"') {
                p += *p == '\\';
            }
        }
    }
    NAME(fail)(reader, ERROR_DUPLICATE_KEY, p < reader->end ? p : reader->end);
}

/* The number of units of a node's key and its closing quote if they are at p, otherwise 0. */
#if SOURCE_IS_UTF8
static ALWAYS_INLINE size_t NAME(match_key)(const unit_t *p, const unit_t *end,
                                            const struct shape_node *node) {
    const size_t n = node->n_text;
    if (LIKELY(end - p >= SHAPE_TEXT_BYTES)) {
        if (UNLIKELY(!shape_node_is_at(node, p))) {
            return 0;
        }
        if (LIKELY(n <= SHAPE_TEXT_BYTES)) {
            return n;
        }
    }
    if (n == 0 || (size_t)(end - p) < n || p[n - 1] != '"') {
        return 0;
    }
    const void *const text =
        n <= SHAPE_TEXT_BYTES ? (const void *)node->text : (PyASCIIObject *)node->key + 1;
    return memcmp(p, text, n - 1) == 0 ? n : 0;
}
#else
static inline size_t NAME(match_key)(const unit_t *p, const unit_t *end,
                                     const struct shape_node *node) {
    const struct text key = unicode_text(node->key);
    const size_t n = (size_t)key.length;
    const size_t key_unit = text_form_unit_bytes(key.form);
    if ((size_t)(end - p) <= n || p[n] != '"') {
        return 0;
    }
    if (key_unit == sizeof *p) {
        return memcmp(p, key.data, n * sizeof *p) == 0 ? n + 1 : 0;
    }
    uint32_t difference = key_unit > sizeof *p;
    if (key_unit == 1) {
        for (size_t i = 0; i < n; i++) {
            difference |= (uint32_t)p[i] ^ ((const uint8_t *)key.data)[i];
        }
    } else if (difference == 0) {
        for (size_t i = 0; i < n; i++) {
            difference |= (uint32_t)p[i] ^ ((const uint16_t *)key.data)[i];
        }
    }
    return difference == 0 ? n + 1 : 0;
}
#endif

/* Turn a shaped object of n values, the last in the array of values, into one of keys and values in
 * turn; false with the error recorded. */
static NOINLINE bool NAME(leave_shape)(struct decoder *decoder, struct container *container,
                                       size_t n) {
    while (decoder->values_capacity - container->first_value < 2 * n) {
        if (!decoder_grow_values(decoder)) {
            return false;
        }
    }
    PyObject **const pairs = decoder->values + container->first_value;
    const struct shape_node *node = container->node;
    for (size_t i = n; i > 0; i--) {
        pairs[2 * i - 1] = pairs[i - 1];
        pairs[2 * i - 2] = Py_NewRef(node->key);
        node = node->parent;
    }
    container->kind = CONTAINER_KEYED;
    return true;
}

/* Parse the document: its value, a new reference, or NULL with the error recorded. */
#if SIMD_LEVEL == SIMD_LEVEL_sse42 && !SOURCE_IS_UTF8 /* for CPUs from before 2013 */
SMALL
#endif
static NOINLINE PyObject *NAME(parse)(struct decoder *decoder, const struct source *source) {
    const struct NAME(reader) reader = {
        .decoder = decoder,
        .begin = source->text.data,
        .end = (const unit_t *)source->text.data + source->text.length,
    };
    const unit_t *const end = reader.end;
    /* strings before it may be shared */
    const unit_t *const shared_end =
        decoder->string_cache != NULL ? end - STRING_CACHE_BYTES / sizeof *end : reader.begin;
    const unit_t *p = reader.begin;
    struct container *container = decoder->containers;
    PyObject **top = decoder->values;
    PyObject **limit = top + decoder->values_capacity;
    PyObject *value;
    /* the node after which a key was read, NULL: none, and the place that should have expected the
     * key */
    const struct shape_node *parent;
    struct shape_node **expectation = NULL;

    if (LIKELY(source->value_length == NULL)) {
        p = NAME(skip_space)(p, end);
    }
    if (SOURCE_IS_UTF8 && UNLIKELY(source->pause != NULL)) {
        const struct pause *const pause = source->pause;
        p = NAME(skip_space)(reader.begin + pause->position, end);
        container += pause->n_open;
        top += pause->n_values;
        switch (pause->place) {
        case PLACE_FIRST_ITEM:
        case PLACE_FIRST_KEY:
            if (p < end && *p == (pause->place == PLACE_FIRST_ITEM ? ']' : '}')) {
                container--;
                goto empty;
            }
            if (pause->place == PLACE_FIRST_ITEM) {
                goto value;
            }
            goto next_key;
        case PLACE_KEY: goto next_key;
        case PLACE_COLON: goto colon;
        case PLACE_AFTER_VALUE: goto after_value;
        case PLACE_VALUE: break;
        }
    }

value:
    if (UNLIKELY(p == end)) {
        NAME(fail)(&reader, ERROR_EXPECTING_VALUE, p);
        goto fail;
    }
value_here:
    if (*p == '"') {
        PyObject *string;
        p++;
        const bool looks =
            KNOWS_LAYOUTS && p < shared_end && habit_looks(&container->node->string_habit);
#if SOURCE_IS_UTF8
        p = looks ? NAME(find_string)(&reader, p, &container->node->string_habit, &string)
                  : NAME(read_string)(&reader, p, false, &string);
#else
        const unit_t *const begin = p;
        size_t n_bytes = 0;
        string = looks ? decoder_find_string(decoder, p, sizeof *p, &container->node->string_habit,
                                             &n_bytes)
                       : NULL;
        if (string != NULL) {
            p += n_bytes / sizeof *p + 1;
        } else {
            p = NAME(read_string)(&reader, p, false, &string);
            if (UNLIKELY(looks) && LIKELY(string != NULL)) {
                decoder_remember_string(decoder, begin, (size_t)(p - begin - 1) * sizeof *p,
                                        sizeof *p, string);
            }
        }
#endif
        value = string;
    } else if ((uint32_t)*p - '-' <= '9' - '-') {
        /* digits and signs take one case without a branch; the two characters between them begin no
         * number */
    number_here:;
        const unit_t *const begin = p;
        PyObject *number;
        p = NAME(read_number)(&reader, p, &number);
        value = number;
        if (LIKELY(value != NULL)) {
            /* in a list, numbers follow each other */
            if (container->kind == CONTAINER_LIST && end - p > 2 && p[0] == ',' &&
                LIKELY(top != limit)) {
#if SOURCE_BITS == 8
                if (!container->has_no_short_ints && limit - top > SHORT_INTS_MOST &&
                    (size_t)(top - decoder->values) >= container->first_value + 2) {
                    if (PyLong_CheckExact(value) && decoder->options->parse_int == NULL) {
                        PyObject **to = top;
                        *to++ = value;
                        const unit_t *const before = p;
                        p = read_short_ints(&decoder->long_stock, p, end, &to, limit);
                        top = to;
                        if (UNLIKELY(p == NULL)) {
                            goto fail;
                        }
                        container->has_no_short_ints = p == before;
                        value = *--top;
                        goto made_value;
                    }
                    container->has_no_short_ints = true;
                }
#endif
                if (LIKELY((uint32_t)p[1] - '-' <= '9' - '-')) {
                    *top++ = value;
                    p++;
                    goto number_here;
                }
                if (p[1] == ' ' && LIKELY((uint32_t)p[2] - '-' <= '9' - '-')) {
                    *top++ = value;
                    p += 2;
                    goto number_here;
                }
            }
        } else if (p == begin && !PyErr_Occurred() && decoder->error.kind == ERROR_NONE) {
            p = NAME(read_no_number)(&reader, begin, &number);
            value = number;
        }
    } else if (*p == '{' || *p == '[') {
        goto open;
    } else {
        const struct literal *const literal = NAME(find_literal)(reader.begin, p, end);
        if (LIKELY(literal != NULL)) {
            p += 4 + (*p == 'f'); /* the length is known sooner than the literal */
            value = Py_NewRef(literal_object(literal));
            const bool may_follow = end - p >= 10 && (p[1] >= 'f' || p[2] >= 'f');
            if (may_follow && container->kind == CONTAINER_LIST && top < limit) {
                PyObject **to = top;
                *to++ = value;
                p = NAME(read_literals)(p, end, &to, limit);
                value = *--to;
                top = to;
            }
        } else if (*p == ']' && container->kind == CONTAINER_LIST) {
            NAME(fail_after_comma)(&reader, p, false);
            goto fail;
        } else {
            PyObject *rare;
            p = NAME(read_rare_literal)(&reader, p, &rare);
            value = rare;
        }
    }

made_value:
    if (UNLIKELY(value == NULL)) {
        goto fail;
    }
    if (UNLIKELY(top == limit)) {
        const size_t n = (size_t)(top - decoder->values);
        if (!decoder_grow_values(decoder)) {
            Py_DECREF(value);
            goto fail;
        }
        top = decoder->values + n;
        limit = decoder->values + decoder->values_capacity;
    }
    *top++ = value;

    /* compact text is checked first, white space of any length next */
    if (container->kind == CONTAINER_LIST) {
        if (LIKELY(end - p > 2 && p[0] == ',')) {
            if (LIKELY(p[1] > ' ')) {
                p++;
                goto value_here;
            }
            if (p[1] == ' ' && p[2] > ' ') {
                p += 2;
                goto value_here;
            }
        }
    } else if (container_is_shaped(container)) {
        if (LIKELY(end - p > 2 && p[0] == ',')) {
            if (LIKELY(p[1] == '"')) {
                p++;
                goto shaped_key;
            }
            if (p[1] == ' ' && p[2] == '"') {
                p += 2;
                goto shaped_key;
            }
        }
    } else if (UNLIKELY(container->kind == CONTAINER_DOCUMENT)) {
        if (source->value_length != NULL) {
            *source->value_length = (size_t)(p - reader.begin);
            return value;
        }
        if (LIKELY(p == end)) {
            return value;
        }
        p = NAME(skip_space)(p, end);
        if (p == end) {
            return value;
        }
        NAME(fail)(&reader, ERROR_EXTRA_DATA, p);
        goto fail;
    }
after_value:
    p = NAME(skip_space)(p, end);
    if (LIKELY(p < end && *p == ',')) {
        p = NAME(skip_space)(p + 1, end);
        if (container->kind == CONTAINER_LIST) {
            goto value;
        }
    next_key:
        if (UNLIKELY(p == end || *p != '"')) {
            NAME(fail_after_comma)(&reader, p, true);
            goto fail;
        }
        if (LIKELY(container_is_shaped(container))) {
            goto shaped_key;
        }
        goto key;
    }
    if (LIKELY(p < end && *p == (container->kind == CONTAINER_LIST ? ']' : '}'))) {
        goto close;
    }
    NAME(fail)(&reader,
               container->kind == CONTAINER_LIST ? ERROR_EXPECTING_COMMA
                                                 : ERROR_EXPECTING_COMMA_IN_OBJECT,
               p);
    goto fail;

open: {
    const unit_t *const begin = p;
    if (UNLIKELY(container + 1 == decoder->containers + decoder->containers_capacity)) {
        const size_t depth = (size_t)(container - decoder->containers);
        if (!decoder_grow_containers(decoder)) {
            decoder->error.position = (size_t)(p - reader.begin);
            goto fail;
        }
        container = decoder->containers + depth;
    }
    const bool is_list = *begin == '[';
    p = NAME(skip_space)(begin + 1, end);
    if (p < end && *p == (is_list ? ']' : '}')) {
    empty:;
        const bool is_empty_list = *p++ == ']';
        value = is_empty_list || decoder->options->object_pairs_hook != NULL ? PyList_New(0)
                                                                             : PyDict_New();
        container->holds_containers = true;
        PyObject *const hook = is_empty_list ? decoder->options->array_hook : decoder->object_hook;
        if (UNLIKELY(hook != NULL) && value != NULL) {
            value = call_hook(hook, value);
        }
        goto made_value;
    }
    struct shape_node *const context = container_context(container);
    container++;
    *container = (struct container){
        .first_value = (size_t)(top - decoder->values),
        .node = context,
        .begin = (size_t)(begin - reader.begin),
        .kind = is_list ? CONTAINER_LIST : CONTAINER_KEYED,
    };
    if (is_list) {
        goto value;
    }
    if (UNLIKELY(p == end || *p != '"')) {
        NAME(fail)(&reader, ERROR_EXPECTING_NAME, p);
        goto fail;
    }
    if (context == NULL) {
        goto key;
    }
    struct shape_node *const expected = context->nested;
    const size_t n = LIKELY(expected != NULL) ? NAME(match_key)(p + 1, end, expected) : 0;
    if (LIKELY(n > 0)) {
        container->kind = CONTAINER_SHAPED;
        container->node = expected;
        p += 1 + n;
        goto colon;
    }
    parent = &decoder->options->shapes->root;
    expectation = &context->nested;
    goto unexpected_key;
}

shaped_key: {
    struct shape_node *const expected = container->node->next;
    const size_t n = LIKELY(expected != NULL) ? NAME(match_key)(p + 1, end, expected) : 0;
    if (LIKELY(n > 0)) {
        container->node = expected;
        p += 1 + n;
        goto colon;
    }
    parent = container->node;
    expectation = &container->node->next;
    goto unexpected_key;
}

key:
    parent = NULL;

unexpected_key: {
    PyObject *string;
    p = NAME(read_string)(&reader, p + 1, true, &string);
    value = string;
    if (UNLIKELY(value == NULL)) {
        goto fail;
    }
    if (parent != NULL) {
        struct shape_node *const found = shape_tree_find(decoder->options->shapes, parent, value);
        if (found != NULL) {
            Py_DECREF(value);
            *expectation = found;
            container->kind = CONTAINER_SHAPED;
            container->node = found;
            goto colon;
        }
    }
    if (container_is_shaped(container)) {
        const size_t n_keys = container->node->n_keys;
        const bool has_left = NAME(leave_shape)(decoder, container, n_keys);
        top = decoder->values + container->first_value + (has_left ? 2 * n_keys : n_keys);
        limit = decoder->values + decoder->values_capacity;
        if (UNLIKELY(!has_left)) {
            Py_DECREF(value);
            goto fail;
        }
    }
}
    if (UNLIKELY(top == limit)) {
        const size_t n = (size_t)(top - decoder->values);
        if (!decoder_grow_values(decoder)) {
            Py_DECREF(value);
            goto fail;
        }
        top = decoder->values + n;
        limit = decoder->values + decoder->values_capacity;
    }
    *top++ = value;

colon:
    p = NAME(skip_space)(p, end);
    if (UNLIKELY(p == end || *p != ':')) {
        NAME(fail)(&reader, ERROR_EXPECTING_COLON, p);
        goto fail;
    }
    p = NAME(skip_space)(p + 1, end);
    goto value;

close: {
    PyObject **const values = decoder->values + container->first_value;
    const size_t n = (size_t)(top - values);
    const bool holds_containers = container->holds_containers || decoder->options->has_scalar_hooks;
    PyObject *hook;
    p++;
    if (container->kind == CONTAINER_LIST) {
        value = build_list(values, n);
        hook = decoder->options->array_hook;
    } else {
        if (LIKELY(container_is_shaped(container))) {
            value = build_shaped_dict(container->node, values, holds_containers);
        } else {
            Py_ssize_t repeated;
            value =
                build_keyed_object(decoder->options, values, n / 2, holds_containers, &repeated);
            if (UNLIKELY(repeated >= 0)) {
                NAME(fail_repeated_key)(&reader, reader.begin + container->begin, repeated);
            }
        }
        hook = decoder->object_hook;
    }
    if (UNLIKELY(value == NULL)) {
        goto fail;
    }
    top = values;
    container--;
    container->holds_containers = true;
    if (UNLIKELY(hook != NULL)) {
        value = call_hook(hook, value);
    }
    goto made_value;
}

fail:
    if (decoder->error.kind == ERROR_NONE) {
        decoder_fail(decoder, ERROR_RAISED, 0); /* an exception is set */
    }
    decoder->n_values = (size_t)(top - decoder->values);
#if SOURCE_IS_UTF8
    if (decoder->may_pause &&
        pause_find(source->pause, &decoder->error, reader.begin, (size_t)(end - reader.begin),
                   container, decoder->n_values)) {
        decoder->error.kind = ERROR_UNFINISHED;
        source->pause->n_open = (size_t)(container - decoder->containers);
    }
#endif
    return NULL;
}

#undef SOURCE_IS_UTF8
#undef NAME
#undef unit_t
#undef scratch_unit_t
