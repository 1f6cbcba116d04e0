/* SPDX-License-Identifier: Apache-2.0 */
#include "overheard.h"

#include <stdio.h>

static bool silent(uint64_t now_us, uint64_t at_us)
{
	return now_us - at_us > OVERHEARD_FORGET_US;
}

static struct overheard_host *find(struct overheard *o, const struct elect_id *id)
{
	for (unsigned i = 0; i < o->count; i++)
		if (elect_id_equal(&o->hosts[i].id, id))
			return &o->hosts[i];
	return NULL;
}

static struct overheard_host *make(struct overheard *o, const struct elect_id *id)
{
	struct overheard_host *place = &o->hosts[0];

	if (o->count < OVERHEARD_MAX)
		place = &o->hosts[o->count++];
	for (unsigned i = 0; i < o->count; i++)
		if (o->hosts[i].last_us < place->last_us)
			place = &o->hosts[i];
	*place = (struct overheard_host){ .id = *id };
	return place;
}

void overheard_take(struct overheard *o, uint64_t now_us, uint8_t family, const struct elect_msg *m)
{
	struct overheard_host *host = find(o, &m->sender);

	if (!host)
		host = make(o, &m->sender);
	if (!host->first_us || silent(now_us, host->last_us))
		host->first_us = now_us;
	host->last_us = now_us;
	host->family = family;
	if (m->name[0])
		snprintf(host->name, sizeof(host->name), "%s", m->name);
}

bool overheard_only(const struct overheard_host *host, uint64_t now_us, uint64_t heard_us)
{
	return !silent(now_us, host->last_us) && (!heard_us || silent(now_us, heard_us)) &&
		now_us - host->first_us >= OVERHEARD_FROM_US;
}
