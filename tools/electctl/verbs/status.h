/* SPDX-License-Identifier: Apache-2.0 */
/* status: the answer of GetStatus as a page for people; also the first thing `watch` shows. */
#ifndef ELECTCTL_VERBS_STATUS_H
#define ELECTCTL_VERBS_STATUS_H

#include <jansson.h>

#include "electctl/electctl.h"

/* Who leads, in one sentence: "web2 leads \"default\"; this host, web1, follows." */
void status_headline(const json_t *status, char *ret_text, size_t size);
void status_print(const struct options *o, const json_t *status);
/* Without what a table of the members shows, and without trust. */
void status_print_short(const struct options *o, const json_t *status);
/* One line per value, name and value separated by a tab. */
void status_print_plain(const struct options *o, const json_t *status);

#endif
