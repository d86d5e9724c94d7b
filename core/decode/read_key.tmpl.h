/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read one key of one kind of source text, and the colon after it.
 * Defines read_key_<source> and read_colon_<source>. */

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

/* Put a key that is not the expected one into its object, and steal it. If the shape tree knows the
 * key at this place, the object has a shape from here on; otherwise it holds its keys itself. */
static ALWAYS_INLINE enum step NAME(push_key)(struct NAME(parser) * parser, PyObject *key) {
    struct decoder *const decoder = parser->decoder;
    struct container *const container = parser->container;
    const bool is_shaped = container_is_shaped(container);
    if (parser->expectation != NULL) {
        struct shape_tree *const shapes = decoder->options->shapes;
        struct shape_node *const node =
            shape_tree_find(shapes, is_shaped ? container->node : &shapes->root, key);
        if (node != NULL) {
            Py_DECREF(key);
            *parser->expectation = node;
            container->kind = CONTAINER_SHAPED;
            container->node = node;
            return STEP_COLON;
        }
    }
    if (is_shaped) {
        const size_t n_keys = container->node->n_keys;
        const bool has_left = NAME(leave_shape)(decoder, container, n_keys);
        parser->top = decoder->values + container->first_value + (has_left ? 2 * n_keys : n_keys);
        parser->limit = decoder->values + decoder->values_capacity;
        if (UNLIKELY(!has_left)) {
            Py_DECREF(key);
            return STEP_FAIL;
        }
    }
    return NAME(push)(parser, key) == STEP_FAIL ? STEP_FAIL : STEP_COLON;
}

/* Read the key whose quote is at p. Most keys are the expected ones: they are compared with the
 * text, and not read. */
static ALWAYS_INLINE enum step NAME(read_key)(struct NAME(parser) * parser) {
    const unit_t *const p = parser->p + 1;
    if (LIKELY(parser->expectation != NULL)) {
        struct shape_node *const expected = *parser->expectation;
        const size_t n = LIKELY(expected != NULL) ? NAME(match_key)(p, parser->end, expected) : 0;
        if (LIKELY(n > 0)) {
            parser->container->kind = CONTAINER_SHAPED;
            parser->container->node = expected;
            parser->p = p + n;
            return STEP_COLON;
        }
    }
    PyObject *key;
    parser->p = NAME(read_string)(parser->reader, p, true, &key);
    return LIKELY(key != NULL) ? NAME(push_key)(parser, key) : STEP_FAIL;
}

/* Read the colon after a key. */
static ALWAYS_INLINE enum step NAME(read_colon)(struct NAME(parser) * parser) {
    const unit_t *const end = parser->end;
    const unit_t *const p = NAME(skip_space)(parser->p, end);
    if (UNLIKELY(p == end || *p != ':')) {
        return NAME(fail_at)(parser, ERROR_EXPECTING_COLON, p);
    }
    parser->p = NAME(skip_space)(p + 1, end);
    return NAME(expect_value)(parser);
}
