/* SPDX-License-Identifier: Apache-2.0 */
/* host_names: the names of hosts, for log lines and output. */
#include "inside.h"
#include "words/log.h"

#include <string.h>

/* The core forgets hosts that are gone; node_names does not. */
const char *node_name_of(void *user, const struct elect_id *id)
{
	const struct node *n = user;
	const char *name = elect_name(host_elect(n->host), id);

	return name ? name : node_names_find(n->names, id);
}

void node_learn_name(struct node *n, const struct elect_id *id, const char *name)
{
	const char *former = node_names_find(n->names, id);

	if (former && strcmp(former, name) != 0)
		log_notice("node", "%s is called %s now", former, name);
	node_names_learn(n->names, id, name);
}
