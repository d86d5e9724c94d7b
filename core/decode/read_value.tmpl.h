/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read one value of one kind of source text. Defines
 * read_value_<source>. */

/* Read the string whose quote is at p, a value. */
static ALWAYS_INLINE PyObject *NAME(read_string_value)(struct NAME(parser) * parser) {
    const struct NAME(reader) *const reader = parser->reader;
    const unit_t *const begin = parser->p + 1;
    PyObject *string;
    if (!KNOWS_LAYOUTS || begin >= parser->shared_end ||
        !string_misses_allow_lookup(&parser->container->node->misses)) {
        parser->p = NAME(read_string)(reader, begin, false, &string);
        return string;
    }
    string_misses *const misses = &parser->container->node->misses;
#if SOURCE_IS_UTF8
    parser->p = NAME(find_string)(reader, begin, misses, &string);
#else
    struct decoder *const decoder = parser->decoder;
    size_t n_bytes = 0;
    string = decoder_find_string(decoder, begin, sizeof *begin, misses, &n_bytes);
    if (string != NULL) {
        parser->p = begin + n_bytes / sizeof *begin + 1;
        return string;
    }
    parser->p = NAME(read_string)(reader, begin, false, &string);
    if (LIKELY(string != NULL)) {
        decoder_remember_string(decoder, begin, (size_t)(parser->p - begin - 1) * sizeof *begin,
                                sizeof *begin, string);
    }
#endif
    return string;
}

/* Read what begins like a number but is none: -Infinity, or an error. */
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

/* Read the number at p, or a constant that begins with a minus sign. */
static ALWAYS_INLINE PyObject *NAME(read_number_value)(struct NAME(parser) * parser) {
    const unit_t *const begin = parser->p;
    PyObject *number;
    parser->p = NAME(read_number)(parser->reader, begin, &number);
    if (UNLIKELY(number == NULL) && parser->p == begin && !PyErr_Occurred() &&
        parser->decoder->error.kind == ERROR_NONE) {
        parser->p = NAME(read_no_number)(parser->reader, begin, &number);
    }
    return number;
}

/* Read the literal, or another constant, at p. */
static ALWAYS_INLINE PyObject *NAME(read_literal)(struct NAME(parser) * parser) {
    const struct NAME(reader) *const reader = parser->reader;
    const unit_t *const p = parser->p;
    const struct literal *const literal = NAME(find_literal)(reader->begin, p, parser->end);
    if (LIKELY(literal != NULL)) {
        parser->p = p + 4 + (*p == 'f'); /* the length is known sooner than the literal */
        return Py_NewRef(literal_object(literal));
    }
    if (*p == ']' && parser->container->kind == CONTAINER_LIST) {
        NAME(fail_after_comma)(reader, p, false);
        return NULL;
    }
    PyObject *value;
    parser->p = NAME(read_rare_literal)(reader, p, &value);
    return value;
}

/* Read the closing bracket at p of a container without items, which is not on the stack. */
static ALWAYS_INLINE PyObject *NAME(read_empty)(struct NAME(parser) * parser) {
    const struct decode_options *const options = parser->decoder->options;
    const bool is_list = *parser->p++ == ']';
    PyObject *const value =
        is_list || options->object_pairs_hook != NULL ? PyList_New(0) : PyDict_New();
    PyObject *const hook = is_list ? options->array_hook : parser->decoder->object_hook;
    parser->container->holds_containers = true;
    return UNLIKELY(hook != NULL) && value != NULL ? call_hook(hook, value) : value;
}

/* Open the container whose bracket is at p, unless it has no items. */
static ALWAYS_INLINE enum step NAME(open_container)(struct NAME(parser) * parser) {
    struct decoder *const decoder = parser->decoder;
    const unit_t *const begin = parser->p;
    const bool is_list = *begin == '[';
    if (UNLIKELY(parser->container + 1 == decoder->containers + decoder->containers_capacity)) {
        const size_t depth = (size_t)(parser->container - decoder->containers);
        if (!decoder_grow_containers(decoder)) {
            decoder->error.position = (size_t)(begin - parser->reader->begin);
            return STEP_FAIL;
        }
        parser->container = decoder->containers + depth;
    }
    parser->p = NAME(skip_space)(begin + 1, parser->end);
    if (parser->p < parser->end && *parser->p == (is_list ? ']' : '}')) {
        return NAME(push)(parser, NAME(read_empty)(parser));
    }
    if (UNLIKELY(decoder->options->number_arrays_maker != NULL) && is_list) {
        const unit_t *after = parser->p;
        PyObject *const array = NAME(read_number_array)(
            parser->reader, &after, (size_t)(parser->container - decoder->containers));
        if (array != NULL || decoder->error.kind != ERROR_NONE) {
            parser->p = after;
            parser->container->holds_containers = true;
            return NAME(push)(parser, array);
        }
    }
    struct shape_node *const context = container_context(parser->container);
    *++parser->container = (struct container){
        .first_value = (size_t)(parser->top - decoder->values),
        .node = context,
        .begin = (size_t)(begin - parser->reader->begin),
        .kind = is_list ? CONTAINER_LIST : CONTAINER_KEYED,
    };
    if (is_list) {
        return NAME(expect_value)(parser);
    }
    if (UNLIKELY(parser->p == parser->end || *parser->p != '"')) {
        return NAME(fail_at)(parser, ERROR_EXPECTING_NAME, parser->p);
    }
    parser->expectation = context != NULL ? &context->nested : NULL;
    return STEP_KEY;
}

/* Read the value at p and put it into its container. Of a container with items only the opening
 * bracket is read; close_container puts it into the one around it. */
static ALWAYS_INLINE enum step NAME(read_value)(struct NAME(parser) * parser) {
    assert(parser->p < parser->end);
    const unit_t c = *parser->p;
    if (c == '"') {
        return NAME(push)(parser, NAME(read_string_value)(parser));
    }
    if (NAME(may_begin_number)(c)) {
        return NAME(push)(parser, NAME(read_number_value)(parser));
    }
    if (c == '{' || c == '[') {
        return NAME(open_container)(parser);
    }
    return NAME(push)(parser, NAME(read_literal)(parser));
}
