/* SPDX-License-Identifier: Apache-2.0 */
/*
 * craft: bytes of fields, with plausible values or with the worst ones. The formats come from the
 * codec (wire_fields()), so a new field needs nothing here unless its format has a new kind of
 * part. Knows nothing of messages, hosts or the LAN.
 */
#ifndef ELECTSIM_LAN_CRAFT_H
#define ELECTSIM_LAN_CRAFT_H

#include "core/elect.h"
#include "core/rng.h"

enum {
	CRAFT_NUMBERS = 24,
	CRAFT_IDS = 6,
	CRAFT_ADDRESSES = 6,
	CRAFT_ROOM = 1100,   /* longest field in bytes */
	CRAFT_DRAWS = 4,     /* extra values, for which all parts are drawn */
	CRAFT_PLAUSIBLE = -1 /* instead of a value */
};

/* The values for the parts of fields. */
struct craft {
	struct rng rng;
	/* The worst values; u8, u16 and u32 have tables of their own. */
	uint64_t numbers[CRAFT_NUMBERS];
	struct elect_id ids[CRAFT_IDS];
	struct elect_address addresses[CRAFT_ADDRESSES];
	/* Plausible values, by the name of the part. */
	struct elect_id id, other;
	uint64_t session, incarnation, counter, to_one, to_all;
	struct elect_address address;
	char name[ELECT_NAME_MAX + 1];
};

/* Number of worst values of a field; 0: its format has an unknown kind of part. */
unsigned craft_values(unsigned field);
/* Writes the field with that value or CRAFT_PLAUSIBLE; returns its size. */
size_t craft_field(struct craft *c, unsigned field, int value, uint8_t ret_bytes[CRAFT_ROOM]);

#endif
