/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field: reads one value out of an answer. What is missing or of another kind is an empty text or
 * the given default, so no verb can stumble over an electd of another version.
 */
#ifndef ELECTCTL_FIELD_H
#define ELECTCTL_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* object[key], or object[key][inner] with an inner key. Never NULL. */
const char *field_text(const json_t *object, const char *key, const char *inner);
/* A JSON number, or digits in a string. */
int64_t field_number(const json_t *object, const char *key, const char *inner, int64_t missing);
/* The longest such text of a list, or `least`. */
unsigned field_widest(const json_t *list, const char *key, const char *inner, unsigned least);
bool field_true(const json_t *object, const char *key, const char *inner);

/*
 * A status: this host leads, knows that it is followed, and no demotion runs, so that new work of a
 * leader may begin (elect_view_may_begin()).
 */
bool field_may_begin(const json_t *status);

/* Makes every text in it fit for a terminal (shown_clean()). Only what a script said has lines. */
void field_clean(json_t *value);

#endif
