/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity: the domain, id and name of this host, kept next to the phase. A demotion that is owed
 * at the start is played before electd is heard, and its scripts need them.
 */
#ifndef ELECTD_HOOKD_LINK_IDENTITY_H
#define ELECTD_HOOKD_LINK_IDENTITY_H

#include "lib/event.h"

#define IDENTITY_FILE_NAME "identity"

struct identity {
	char domain[EVENT_NAME_SIZE];
	struct event_host node;
};

/* Reads the file; without one the domain is "default", and the other members are empty. */
void identity_load(const char *dir, struct identity *ret_identity);
/* Replaces the file by rename. 0 or -errno. */
int identity_save(const char *dir, const struct identity *identity);

#endif
