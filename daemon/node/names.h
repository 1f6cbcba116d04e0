/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names: host ids → names, for lines and outputs that people read.
 *
 * Remembers hosts that are gone too, for they are often the cause of what is told. No part of
 * the election: forgetting a name changes a word, nothing else.
 */
#ifndef ELECTD_NODE_NAMES_H
#define ELECTD_NODE_NAMES_H

#include "core/elect.h"

enum {
	NODE_NAMES_MAX = 2048,	    /* slots, a power of two */
	NODE_NAMES_USED_MAX = 1536, /* then all are forgotten, and the living learned anew */
};

struct node_name {
	struct elect_id id; /* zero: free */
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
/* The name, else the first 8 hex digits of the id, valid until the next call. */
const char *node_names_text(struct node_names *names, const struct elect_id *id);

#endif
