/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity: domain and names of this host, kept beside the phase. A demotion that is owed at the
 * start is played before electd is heard, and its scripts are to be told which domain's. Where it
 * cannot be read nothing is lost but that.
 */
#ifndef ELECTD_HOOKD_LINK_IDENTITY_H
#define ELECTD_HOOKD_LINK_IDENTITY_H

#include "event.h"

#define IDENTITY_FILE_NAME "identity"

struct identity {
	char domain[EVENT_NAME_SIZE];
	struct event_host node;
};

/* Reads the file; without one the domain is "default", and the other members are empty. */
void identity_load(const char *dir, struct identity *ret_identity);
/* By rename. 0 or -errno. */
int identity_save(const char *dir, const struct identity *identity);

#endif
