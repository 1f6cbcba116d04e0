/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names: finds the name of a host id, for log lines and output.
 *
 * Names of hosts that are gone are kept too, because such a host is often the cause of an event.
 * Names have no part in the election: a forgotten name changes only a text.
 */
#ifndef ELECTD_NODE_NAMES_H
#define ELECTD_NODE_NAMES_H

#include "core/elect.h"

enum {
	NODE_NAMES_MAX = 2048,	    /* slots, a power of two */
	NODE_NAMES_USED_MAX = 1536, /* then all are forgotten, and living hosts learned anew */
};

struct node_name {
	struct elect_id id; /* zero: the slot is free */
	char name[ELECT_NAME_MAX + 1];
};

/* All zero: empty. Only touched pages cost memory. */
struct node_names {
	unsigned used;
	char unknown[ELECT_ID_SHORT];
	struct node_name slots[NODE_NAMES_MAX];
};

void node_names_learn(struct node_names *names, const struct elect_id *id, const char *name);
/* NULL: not known. */
const char *node_names_find(const struct node_names *names, const struct elect_id *id);
/* Returns the name, else the first 8 hex digits of the id, valid until the next call. */
const char *node_names_text(struct node_names *names, const struct elect_id *id);

#endif
