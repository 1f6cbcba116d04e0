/* SPDX-License-Identifier: Apache-2.0 */
/* settings: see settings.h. */
#include "settings.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)PLAN_MAX >= (int)CONF_OWNED_MAX, "each address of the configuration has a row");

static void take(struct site *to, const struct conf_owned_address *from, const struct conf *conf)
{
	const char *interface = from->interface[0] ? from->interface : conf->address_interface;

	to->address = from->address;
	to->prefix = from->prefix;
	snprintf(to->interface, sizeof(to->interface), "%s", interface);
}

int settings_load(const char *path, struct settings *ret, struct conf_error *ret_error)
{
	static struct conf conf;
	int r = conf_load_guarded(path, &conf, ret_error);

	if (r)
		return r;
	*ret = (struct settings){
		.count = conf.addresses.count,
		.lease_s = (conf.address_lease_ms + 999) / 1000,
		.announce_us = (uint64_t)conf.address_announce_s * 1000000,
		.resigns = !strcmp(conf.address_conflict, "resign"),
	};
	for (unsigned i = 0; i < ret->count; i++)
		take(&ret->list[i], &conf.addresses.list[i], &conf);
	return 0;
}
