/* SPDX-License-Identifier: MIT */
/* Template: parse one document of one kind of source text.
 * Parameters: SOURCE, one of utf8, latin1, ucs2 and ucs4, and SOURCE_BITS, the width of its unit.
 * Defines parse_<source>.
 *
 * The parser goes from step to step: it reads a value, then the separator after it, then a key and
 * its colon. An opening bracket pushes a container onto the stack of containers. A closing one pops
 * it and builds a list or a dict of its values, which is a value of the container around it. */

#define SOURCE_IS_UTF8 (CONCAT(SOURCE_NUMBER, SOURCE) == SOURCE_NUMBER_utf8)
#define NAME(noun) CONCAT(noun, SOURCE)
#define unit_t CONCAT(SOURCE_UNIT, SOURCE)

/* The text that is parsed, and the decoder that records errors in it. */
struct NAME(reader) {
    struct decoder *decoder;
    const unit_t *begin;
    const unit_t *end;
};

/* Record an error at a place of the text. */
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

#include "decode/read_number_array.tmpl.h"

/* Record that a value or a key was expected at p, after a comma. The comma is in the text, with
 * only white space between it and p: of a paused document the text is kept from there on (see
 * last_token in pause.h). */
static COLD void NAME(fail_after_comma)(const struct NAME(reader) * reader, const unit_t *p,
                                        bool is_object) {
    const bool is_closed = p < reader->end && *p == (is_object ? '}' : ']');
    const struct decode_options *const options = reader->decoder->options;
    if (is_closed && options->quirks.names_trailing_comma && !options->is_jsonc) {
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

#if SOURCE_IS_UTF8
/* The last unit of the well-formed comment at p. */
static COLD const unit_t *NAME(comment_end)(const struct NAME(reader) * reader, const unit_t *p) {
    size_t position = (size_t)(p - reader->begin);
    skip_comments(&reader->decoder->source->text, &position, false);
    const unit_t *const after = reader->begin + position;
    return after > p ? after - 1 : p; /* after a hook has changed the source, there is none */
}
#endif

/* Record that key i of the well-formed object at p repeats an earlier one. */
static COLD void NAME(fail_repeated_key)(const struct NAME(reader) * reader, const unit_t *p,
                                         Py_ssize_t i) {
    size_t depth = 0;
    bool is_key = false; /* the next string is one of the object's keys */
    /* the end is checked, because a hook may have changed the source */
    for (; p < reader->end; p++) {
        if (*p == '{' || *p == '[') {
            depth++;
            is_key = depth == 1;
        } else if (*p == '}' || *p == ']') {
            depth--;
        } else if (*p == ',') {
            is_key = depth == 1;
#if SOURCE_IS_UTF8
        } else if (*p == '/') { /* a comment, because the text is well-formed */
            p = NAME(comment_end)(reader, p);
#endif
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

/* The state of the parser. The compiler keeps it in registers, because only inlined functions take
 * its address. A function that is not inlined is given the values that it needs. */
struct NAME(parser) {
    const struct NAME(reader) * reader;
    struct decoder *decoder;
    const unit_t *p; /* the next unit to read */
    const unit_t *end;
    const unit_t *shared_end;        /* strings that begin before it may be looked up in the string
                                        cache: enough units follow for a comparison */
    struct container *container;     /* the innermost one that is open */
    PyObject **top;                  /* the place of the next value */
    PyObject **limit;                /* the end of the array of values */
    struct shape_node **expectation; /* the pointer in the shape tree (next or nested) to the node
                                        of the key that is expected next; push_key changes it
                                        where another key comes. NULL: no key is expected */
};

/* Record an error at a place of the text, and end the parsing. */
static ALWAYS_INLINE enum step NAME(fail_at)(const struct NAME(parser) * parser,
                                             enum error_kind kind, const unit_t *at) {
    NAME(fail)(parser->reader, kind, at);
    return STEP_FAIL;
}

/* The step at p, after white space, where a value must begin. */
static ALWAYS_INLINE enum step NAME(expect_value)(const struct NAME(parser) * parser) {
    return LIKELY(parser->p < parser->end)
               ? STEP_VALUE
               : NAME(fail_at)(parser, ERROR_EXPECTING_VALUE, parser->p);
}

/* The step at p, after a comma and white space, where a key must begin. */
static ALWAYS_INLINE enum step NAME(expect_next_key)(struct NAME(parser) * parser) {
    if (UNLIKELY(parser->p == parser->end || *parser->p != '"')) {
        NAME(fail_after_comma)(parser->reader, parser->p, true);
        return STEP_FAIL;
    }
    struct container *const container = parser->container;
    parser->expectation = container_is_shaped(container) ? &container->node->next : NULL;
    return STEP_KEY;
}

/* Put a value or a key into the innermost container, and steal it. NULL: an error was recorded, or
 * an exception is set. */
static ALWAYS_INLINE enum step NAME(push)(struct NAME(parser) * parser, PyObject *value) {
    if (UNLIKELY(value == NULL)) {
        return STEP_FAIL;
    }
    if (UNLIKELY(parser->top == parser->limit)) {
        struct decoder *const decoder = parser->decoder;
        const size_t n = (size_t)(parser->top - decoder->values);
        if (!decoder_grow_values(decoder)) {
            Py_DECREF(value);
            return STEP_FAIL;
        }
        parser->top = decoder->values + n;
        parser->limit = decoder->values + decoder->values_capacity;
    }
    *parser->top++ = value;
    return STEP_SEPARATOR;
}

#include "decode/read_key.tmpl.h"

#include "decode/read_value.tmpl.h"

/* Read the comma after a value, or the closing bracket of its container, with any white space
 * before and after it. */
static ALWAYS_INLINE enum step NAME(read_any_separator)(struct NAME(parser) * parser) {
    const unit_t *const end = parser->end;
    const unit_t *const p = NAME(skip_space)(parser->p, end);
    const bool is_list = parser->container->kind == CONTAINER_LIST;
    if (LIKELY(p < end && *p == ',')) {
        parser->p = NAME(skip_space)(p + 1, end);
        return is_list ? NAME(expect_value)(parser) : NAME(expect_next_key)(parser);
    }
    if (LIKELY(p < end && *p == (is_list ? ']' : '}'))) {
        parser->p = p + 1;
        return STEP_CLOSE;
    }
    return NAME(fail_at)(parser, is_list ? ERROR_EXPECTING_COMMA : ERROR_EXPECTING_COMMA_IN_OBJECT,
                         p);
}

/* Check what is after the document's value, which ends at p: only white space may be there. */
static ALWAYS_INLINE enum step NAME(end_document)(const struct NAME(parser) * parser) {
    size_t *const value_length = parser->decoder->source->value_length;
    if (value_length != NULL) {
        *value_length = (size_t)(parser->p - parser->reader->begin);
        return STEP_END;
    }
    if (LIKELY(parser->p == parser->end)) {
        return STEP_END;
    }
    const unit_t *const p = NAME(skip_space)(parser->p, parser->end);
    return p == parser->end ? STEP_END : NAME(fail_at)(parser, ERROR_EXTRA_DATA, p);
}

/* Read what is after a value: a comma, the closing bracket of its container, or the end of the
 * document. Compact text, and text with one space after each comma, have a fast path. */
static ALWAYS_INLINE enum step NAME(read_separator)(struct NAME(parser) * parser) {
    const unit_t *const p = parser->p;
    struct container *const container = parser->container;
    const bool may_be_compact = LIKELY(parser->end - p > 2) && *p == ',';
    if (container->kind == CONTAINER_LIST) {
        if (may_be_compact && LIKELY(p[1] > ' ')) {
            parser->p = p + 1;
            return STEP_VALUE;
        }
        if (may_be_compact && p[1] == ' ' && p[2] > ' ') {
            parser->p = p + 2;
            return STEP_VALUE;
        }
    } else if (container_is_shaped(container)) {
        parser->expectation = &container->node->next;
        if (may_be_compact && LIKELY(p[1] == '"')) {
            parser->p = p + 1;
            return STEP_KEY;
        }
        if (may_be_compact && p[1] == ' ' && p[2] == '"') {
            parser->p = p + 2;
            return STEP_KEY;
        }
    } else if (UNLIKELY(container->kind == CONTAINER_DOCUMENT)) {
        return NAME(end_document)(parser);
    }
    return NAME(read_any_separator)(parser);
}

/* Build the innermost container from its values, and put it into the one around it. */
static ALWAYS_INLINE enum step NAME(close_container)(struct NAME(parser) * parser) {
    struct decoder *const decoder = parser->decoder;
    struct container *const container = parser->container;
    PyObject **const values = decoder->values + container->first_value;
    const size_t n = (size_t)(parser->top - values);
    const bool holds_containers = container->holds_containers || decoder->options->has_scalar_hooks;
    PyObject *hook = decoder->object_hook;
    PyObject *value;
    if (container->kind == CONTAINER_LIST) {
        value = build_list(values, n);
        hook = decoder->options->array_hook;
    } else if (LIKELY(container_is_shaped(container))) {
        value = build_shaped_dict(container->node, values, holds_containers);
    } else {
        Py_ssize_t repeated;
        value = build_keyed_object(decoder->options, values, n / 2, holds_containers, &repeated);
        if (UNLIKELY(repeated >= 0)) {
            NAME(fail_repeated_key)(parser->reader, parser->reader->begin + container->begin,
                                    repeated);
        }
    }
    if (UNLIKELY(value == NULL)) {
        return STEP_FAIL;
    }
    parser->top = values;
    parser->container--;
    parser->container->holds_containers = true;
    return NAME(push)(parser, UNLIKELY(hook != NULL) ? call_hook(hook, value) : value);
}

#if SOURCE_IS_UTF8
/* The first step in the next part of a paused document: at the place where the parser stopped. */
static ALWAYS_INLINE enum step NAME(resumed_step)(struct NAME(parser) * parser) {
    const struct pause *const pause = parser->decoder->source->pause;
    parser->container += pause->n_open;
    parser->top += pause->n_values;
    parser->p = NAME(skip_space)(parser->p + pause->position, parser->end);
    assert(!container_is_shaped(parser->container));
    switch (pause->place) {
    case PLACE_FIRST_ITEM:
    case PLACE_FIRST_KEY:
        if (parser->p < parser->end &&
            *parser->p == (pause->place == PLACE_FIRST_ITEM ? ']' : '}')) {
            parser->container--;
            return NAME(push)(parser, NAME(read_empty)(parser));
        }
        return pause->place == PLACE_FIRST_ITEM ? NAME(expect_value)(parser)
                                                : NAME(expect_next_key)(parser);
    case PLACE_KEY: return NAME(expect_next_key)(parser);
    case PLACE_COLON: return STEP_COLON;
    case PLACE_AFTER_VALUE: return STEP_SEPARATOR;
    default: return NAME(expect_value)(parser);
    }
}
#endif

/* The first step of a document, or of a part of one. */
static ALWAYS_INLINE enum step NAME(first_step)(struct NAME(parser) * parser) {
    const struct source *const source = parser->decoder->source;
#if SOURCE_IS_UTF8
    if (UNLIKELY(source->pause != NULL)) {
        return NAME(resumed_step)(parser);
    }
#endif
    if (LIKELY(source->value_length == NULL)) {
        parser->p = NAME(skip_space)(parser->p, parser->end);
    }
    return NAME(expect_value)(parser);
}

#if SOURCE_IS_UTF8
/* Comments are skipped in UTF-8 alone: in the other parsers this would cost documents without
 * comments 2 % (see decode_source_otherwise in module/call.h). */

/* Where the parsing goes on after an error, and how; STEP_FAIL: it does not. */
struct NAME(next) {
    enum step step;
    const unit_t *p; /* STEP_CLOSE: at the bracket */
};

/* Where the parsing goes on after comments, which were skipped before `position`: at what the error
 * says was expected there. */
static COLD struct NAME(next) NAME(next_after_comments)(const struct NAME(reader) * reader,
                                                        bool is_in_list, size_t position) {
    struct error *const error = &reader->decoder->error;
    const unit_t *const p = reader->begin + position;
    const unit_t unit = p < reader->end ? *p : 0;
    struct NAME(next) next = {.step = STEP_FAIL, .p = p};
    switch (error->kind) {
    case ERROR_EXPECTING_VALUE:
        if (is_in_list && unit == ']') {
            next.step = STEP_CLOSE;
        } else if (p < reader->end && position > error->position) {
            next.step = STEP_VALUE;
        }
        break;
    case ERROR_EXPECTING_NAME:
        if (unit == '}') {
            next.step = STEP_CLOSE;
        } else if (unit == '"') {
            next.step = STEP_KEY;
        }
        break;
    case ERROR_EXPECTING_COLON: next.step = unit == ':' ? STEP_COLON : STEP_FAIL; break;
    default:
        if (position > error->position) {
            next.step = STEP_SEPARATOR;
        }
    }
    *error = (struct error){.kind = next.step != STEP_FAIL ? ERROR_NONE : error->kind,
                            .position = position};
    return next;
}

/* With the option jsonc: where the parsing goes on after an error, because there are comments, or
 * because a container is closed after a comma. */
static COLD struct NAME(next)
    NAME(next_after_error)(const struct NAME(reader) * reader, const struct container *container) {
    struct decoder *const decoder = reader->decoder;
    const struct source *const source = decoder->source;
    const bool is_in_list = container->kind == CONTAINER_LIST;
    const struct NAME(next) failure = {.step = STEP_FAIL};
    switch (decoder->error.kind) {
    case ERROR_EXPECTING_VALUE:
        if (container->kind == CONTAINER_DOCUMENT && source->value_length != NULL) {
            return failure; /* no white space may be there */
        }
        break;
    case ERROR_EXPECTING_NAME:
    case ERROR_EXPECTING_COLON:
    case ERROR_EXPECTING_COMMA:
    case ERROR_EXPECTING_COMMA_IN_OBJECT:
    case ERROR_EXTRA_DATA: break;
    default: return failure;
    }
    size_t position = decoder->error.position;
    switch (skip_comments(&source->text, &position, decoder->may_pause)) {
    case COMMENT_END_TOKEN: return NAME(next_after_comments)(reader, is_in_list, position);
    case COMMENT_END_FAULT:
        decoder_fail(decoder, PyErr_Occurred() ? ERROR_RAISED : ERROR_INVALID_UTF8, 0);
        return failure;
    default: break;
    }
    decoder->error.position = position;
    if (!decoder->may_pause) {
        decoder->error.kind = ERROR_UNTERMINATED_COMMENT;
        return failure;
    }
    source->pause->is_in_comment = true;
    if (decoder->error.kind != ERROR_EXTRA_DATA) {
        return failure;
    }
    decoder->error.kind = ERROR_NONE;
    source->pause->position = position;
    return (struct NAME(next)){.step = STEP_END, .p = reader->end};
}
#endif

/* Complete the error of a failed call; returns NULL. If the document has only not ended yet, so
 * that more text could make it valid, the call pauses, with the containers up to the given one and
 * n_values values. */
static COLD PyObject *NAME(end_in_error)(const struct NAME(reader) * reader,
                                         const struct container *container, size_t n_values) {
    struct decoder *const decoder = reader->decoder;
    if (decoder->error.kind == ERROR_NONE) {
        decoder_fail(decoder, ERROR_RAISED, 0); /* an exception is set */
    }
    decoder->n_values = n_values;
#if SOURCE_IS_UTF8
    struct pause *const pause = decoder->source->pause;
    if (decoder->may_pause &&
        pause_find(pause, &decoder->error, reader->begin, (size_t)(reader->end - reader->begin),
                   container, n_values)) {
        decoder->error.kind = ERROR_UNFINISHED;
        pause->n_open = (size_t)(container - decoder->containers);
    }
#else
    (void)container;
#endif
    return NULL;
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
    struct NAME(parser) parser = {
        .reader = &reader,
        .decoder = decoder,
        .p = reader.begin,
        .end = reader.end,
        .shared_end = decoder->string_cache != NULL
                          ? reader.end - STRING_CACHE_BYTES / sizeof *reader.end
                          : reader.begin,
        .container = decoder->containers,
        .top = decoder->values,
        .limit = decoder->values + decoder->values_capacity,
    };
    /* Labels, because what comes after a step is known at each of its ends, so the compiler makes a
     * jump of each `goto`. A loop around a switch takes up to 10 % more instructions, one around
     * a condition for each step 3 to 5 %. */
    switch (NAME(first_step)(&parser)) {
    case STEP_KEY: goto key;
    case STEP_COLON: goto colon;
    case STEP_SEPARATOR: goto separator;
    case STEP_VALUE: goto value;
    default: goto fail;
    }
key:
    if (NAME(read_key)(&parser) == STEP_FAIL) {
        goto fail;
    }
colon:
    if (NAME(read_colon)(&parser) == STEP_FAIL) {
        goto fail;
    }
value:
    switch (NAME(read_value)(&parser)) {
    case STEP_VALUE: goto value;
    case STEP_KEY: goto key;
    case STEP_FAIL: goto fail;
    default: break;
    }
separator:
    switch (NAME(read_separator)(&parser)) {
    case STEP_VALUE: goto value;
    case STEP_KEY: goto key;
    case STEP_END: return parser.top[-1];
    case STEP_FAIL: goto fail;
    default: break;
    }
#if SOURCE_IS_UTF8
close:
#endif
    if (NAME(close_container)(&parser) != STEP_FAIL) {
        goto separator;
    }
fail:
#if SOURCE_IS_UTF8
    if (decoder->options->is_jsonc) {
        const struct NAME(next) next = NAME(next_after_error)(&reader, parser.container);
        if (next.step != STEP_FAIL) {
            parser.p = next.p;
            parser.expectation =
                container_is_shaped(parser.container) ? &parser.container->node->next : NULL;
        }
        switch (next.step) {
        case STEP_VALUE: goto value;
        case STEP_KEY: goto key;
        case STEP_COLON: goto colon;
        case STEP_SEPARATOR: goto separator;
        case STEP_CLOSE: /* after a comma, or after comments and nothing else */
            if (parser.top > decoder->values + parser.container->first_value) {
                parser.p++;
                goto close;
            }
            parser.container--;
            if (NAME(push)(&parser, NAME(read_empty)(&parser)) != STEP_FAIL) {
                goto separator;
            }
            goto fail;
        case STEP_END: return parser.top[-1];
        default: break;
        }
    }
#endif
    return NAME(end_in_error)(&reader, parser.container, (size_t)(parser.top - decoder->values));
}

#undef SOURCE_IS_UTF8
#undef NAME
#undef unit_t
