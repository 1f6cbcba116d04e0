/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field: reads one value out of an answer. If the value is missing or has another type, the result
 * is an empty text or the given default, so an electd of another version cannot break a verb.
 */
#ifndef ELECTCTL_FIELD_H
#define ELECTCTL_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* object[key], or object[key][inner] if `inner` is not NULL. Never NULL. */
const char *field_text(const json_t *object, const char *key, const char *inner);
/* A JSON number, or digits in a string. */
int64_t field_number(const json_t *object, const char *key, const char *inner, int64_t missing);
/* The length of the longest such text in a list, at least `least`. */
unsigned field_widest(const json_t *list, const char *key, const char *inner, unsigned least);
bool field_true(const json_t *object, const char *key, const char *inner);

/*
 * True if the status says that this host leads, is followed and runs no demotion, so that new work
 * of a leader may begin (elect_view_may_begin()).
 */
bool field_may_begin(const json_t *status);

/* Cleans all texts in it for a terminal (shown_clean()). Only the output of scripts keeps lines. */
void field_clean(json_t *value);

#endif
