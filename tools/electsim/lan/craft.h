/* SPDX-License-Identifier: Apache-2.0 */
/*
 * craft: the bytes of fields, at plausible values or at their worst ones. They are made from the
 * formats that the codec gives (wire_fields()), so a new field needs nothing here unless its format
 * has a part of a new kind. Knows nothing of messages, hosts or the LAN.
 */
#ifndef ELECTSIM_LAN_CRAFT_H
#define ELECTSIM_LAN_CRAFT_H

#include "core/elect.h"
#include "core/rng.h"

enum {
	CRAFT_NUMBERS = 24,
	CRAFT_IDS = 6,
	CRAFT_ADDRESSES = 6,
	CRAFT_ROOM = 1100,   /* bytes of the longest field */
	CRAFT_DRAWS = 4,     /* values of a field in which all parts are drawn */
	CRAFT_PLAUSIBLE = -1 /* in place of a value */
};

/* Values that the parts of fields are filled with. */
struct craft {
	struct rng rng;
	/* The worst of each kind; u8, u16 and u32 have tables of their own. */
	uint64_t numbers[CRAFT_NUMBERS];
	struct elect_id ids[CRAFT_IDS];
	struct elect_address addresses[CRAFT_ADDRESSES];
	/* A plausible value, by the name of a part. */
	struct elect_id id, other;
	uint64_t session, incarnation, counter, to_one, to_all;
	struct elect_address address;
	char name[ELECT_NAME_MAX + 1];
};

/* How many worst values that field has; 0: its format has a part that is not known here. */
unsigned craft_values(unsigned field);
/* The value, or CRAFT_PLAUSIBLE; the size. */
size_t craft_field(struct craft *c, unsigned field, int value, uint8_t ret_bytes[CRAFT_ROOM]);

#endif
