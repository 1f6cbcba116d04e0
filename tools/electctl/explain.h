/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain: what a host is called, and why things are as they are: in electd's own words, so that
 * status, watch, history and the journal say the same. No printing.
 */
#ifndef ELECTCTL_EXPLAIN_H
#define ELECTCTL_EXPLAIN_H

#include <jansson.h>
#include <stdbool.h>

#include "core/line.h"

/* Why the state of `status` is as it is: "web3, the previous leader, fell silent". Never NULL. */
const char *explain_reason(const json_t *status);

/* A host object's name, or the first 8 digits of its id. Never NULL; "?" when there is neither. */
const char *explain_name(const json_t *host, char ret_text[9]);

/*
 * How much longer its coordinator is waited for: "600 ms (3 false alarms about web2)", of this host
 * itself without a name. False, and nothing is added, where nobody was wrong about it.
 */
bool explain_patience(const json_t *status, struct line *line);

#endif
