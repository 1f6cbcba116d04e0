/* SPDX-License-Identifier: Apache-2.0 */
/* members: the hosts of this host's group, one line for each, in succession order. */
#ifndef ELECTCTL_VERBS_MEMBERS_H
#define ELECTCTL_VERBS_MEMBERS_H

#include <jansson.h>

#include "electctl/electctl.h"

/* Prints the table with its head, in at most `rows` lines; members that do not fit are counted. */
void members_print(
	const struct options *o, const json_t *members, const json_t *status, unsigned rows);

#endif
