/* SPDX-License-Identifier: Apache-2.0 */
/* settings: what electd-address needs of the configuration (electd.conf(5)). */
#ifndef ELECTD_ADDRESS_SETTINGS_H
#define ELECTD_ADDRESS_SETTINGS_H

#include "conf/conf.h"
#include "site.h"

struct settings {
	unsigned count;
	struct site list[PLAN_MAX];
	uint32_t lease_s; /* what the kernel gets */
	uint64_t announce_us;
	bool resigns; /* on a conflict */
};

/* As conf_load_guarded(). */
int settings_load(const char *path, struct settings *ret, struct conf_error *ret_error);

#endif
