/* SPDX-License-Identifier: Apache-2.0 */
/* status: prints the answer of GetStatus for readers; `watch` prints it first, too. */
#ifndef ELECTCTL_VERBS_STATUS_H
#define ELECTCTL_VERBS_STATUS_H

#include <jansson.h>

#include "electctl/electctl.h"

/* The leader in one sentence: "web2 leads \"default\"; this host, web1, follows." */
void status_headline(const json_t *status, char *ret_text, size_t size);
void status_print(const struct options *o, const json_t *status);
/* Without the rows that a table of members already shows, and without trust. */
void status_print_short(const struct options *o, const json_t *status);
/* One line for each value: name, tab, value. */
void status_print_plain(const struct options *o, const json_t *status);

#endif
