/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain: what electd's words mean, in sentences. One table of reasons; no printing.
 */
#ifndef ELECTCTL_EXPLAIN_H
#define ELECTCTL_EXPLAIN_H

#include <jansson.h>
#include <stddef.h>

enum { EXPLAIN_MAX = 256 };

/*
 * The "reason" and "cause" of `object` (a status or an event) as half a sentence: "web3, the
 * coordinator before, fell silent". `status` is the state of the host that says so. A reason that
 * this electctl does not know is given as it is.
 */
void explain_reason(const json_t *object, const json_t *status, char *ret_text, size_t size);

/* A host object's name, or the first 8 digits of its id. Never NULL; "?" when there is neither. */
const char *explain_name(const json_t *host, char ret_text[9]);

#endif
