/* SPDX-License-Identifier: Apache-2.0 */
/* names: see node/names.h. The codec has checked the names; they are not checked again. */
#include "names.h"

#include <stdio.h>
#include <string.h>

/* Returns the slot of this id, or the free slot that it would get. */
static unsigned slot_of(const struct node_names *names, const struct elect_id *id)
{
	unsigned slot = elect_id_hash(id) % NODE_NAMES_MAX;

	while (!elect_id_is_zero(&names->slots[slot].id) &&
		!elect_id_equal(&names->slots[slot].id, id))
		slot = (slot + 1) % NODE_NAMES_MAX;
	return slot;
}

void node_names_learn(struct node_names *names, const struct elect_id *id, const char *name)
{
	struct node_name *slot;

	if (elect_id_is_zero(id) || !*name)
		return;
	slot = &names->slots[slot_of(names, id)];
	if (elect_id_is_zero(&slot->id)) {
		if (names->used == NODE_NAMES_USED_MAX) {
			memset(names, 0, sizeof(*names));
			slot = &names->slots[slot_of(names, id)];
		}
		slot->id = *id;
		names->used++;
	}
	snprintf(slot->name, sizeof(slot->name), "%s", name);
}

const char *node_names_find(const struct node_names *names, const struct elect_id *id)
{
	const struct node_name *slot = &names->slots[slot_of(names, id)];

	return elect_id_is_zero(&slot->id) ? NULL : slot->name;
}

const char *node_names_text(struct node_names *names, const struct elect_id *id)
{
	const char *name = node_names_find(names, id);

	return name ? name : elect_id_text(id, names->unknown, sizeof(names->unknown));
}
