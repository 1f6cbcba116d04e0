/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain: names hosts and gives the reasons of a state, in electd's own words, so that status,
 * watch, history and the journal agree. Prints nothing.
 */
#ifndef ELECTCTL_EXPLAIN_H
#define ELECTCTL_EXPLAIN_H

#include <jansson.h>
#include <stdbool.h>

#include "core/line.h"

/* The reason for the state in `status`: "web3, the previous leader, fell silent". Never NULL. */
const char *explain_reason(const json_t *status);

/* A host object's name, or the first 8 digits of its id. Never NULL; "?" if it has neither. */
const char *explain_name(const json_t *host, char ret_text[9]);

/*
 * Adds the adaptive timeout (`patience` in JSON) and its cause to `line`: "600 ms longer (3 false
 * suspicions of web2)"; without a name if they concern this host itself. Returns false, and adds
 * nothing, if the timeout was not raised.
 */
bool explain_patience(const json_t *status, struct line *line);

#endif
