/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event: what electd says, as checked values.
 *
 * electd faces the network and hookd is root: no text gets past event_parse() that is not a name,
 * a number, an address, a word or a plain path. Asks nobody, decides nothing.
 */
#ifndef ELECTD_HOOKD_LINK_EVENT_H
#define ELECTD_HOOKD_LINK_EVENT_H

#include "core/hookplan.h"

#include <limits.h>
#include <netinet/in.h>

enum {
	EVENT_ID_SIZE = 33,
	EVENT_NAME_SIZE = ELECT_NAME_MAX + 1,
	EVENT_INTERFACE_SIZE = 16,				      /* as in Linux: IFNAMSIZ */
	EVENT_ADDRESS_SIZE = INET6_ADDRSTRLEN + EVENT_INTERFACE_SIZE, /* one, %, the other */
	EVENT_GROUP_SIZE = ELECT_NAME_MAX + 24,			      /* NAME.COUNTER */
	EVENT_REASON_SIZE = 32,
	EVENT_HOLDER_SIZE = 33,
	EVENT_STATE_SIZE = 8,
};

enum event_type {
	EVENT_SNAPSHOT, /* first; and after events that electd did not keep */
	EVENT_LEADER,
	EVENT_FOLLOWER,
	EVENT_NONE,
	EVENT_MEMBERS,
	EVENT_STATE,
	EVENT_RELEASE,
	EVENT_RELEASE_OVER,
	EVENT_ALIVE,
	EVENT_TYPES
};

/* An empty id: nobody. An empty address: not known. */
struct event_host {
	char id[EVENT_ID_SIZE], name[EVENT_NAME_SIZE], address[EVENT_ADDRESS_SIZE];
};

struct event_member {
	struct event_host host;
	unsigned rank, priority;
	char state[EVENT_STATE_SIZE];
};

/* Large: never on the stack. Empty texts: not known. */
struct event_status {
	char domain[EVENT_NAME_SIZE];
	enum elect_role role;
	uint64_t token;
	char group[EVENT_GROUP_SIZE];
	struct event_host node, leader;
	bool leader_self;
	bool awaits; /* the end of what a crashed coordinator's role was for */
	char reason[EVENT_REASON_SIZE];
	char definition[PATH_MAX]; /* as electd says, for definition.h; scripts get a copy */
	unsigned members_count;
	struct event_member members[ELECT_HOSTS_MAX];
};

/* Large too. */
struct event {
	enum event_type type;
	uint64_t seq, boot_us;
	char holder[EVENT_HOLDER_SIZE]; /* only a snapshot has it */
	uint64_t dead_after_us;		/* 0: not said */
	/* This host leads until then, unless a later event moves it: boot clock of that time
	 * namespace. 0: it does not lead, or an older electd does not say; not known. */
	uint64_t until_us, time_namespace;
	uint64_t timeout_us; /* of hooks; 0: not said */
	bool resign;	     /* hooks.on_failure; only with timeout_us */
	uint64_t release;    /* RELEASE, RELEASE_OVER: its number; SNAPSHOT: or 0 */
	const char *purpose; /* with a release: a word of ours, or NULL: not said */
	bool status_said;
	struct event_status status;
};

/*
 * One reply to Subscribe. 0; -EACCES: electd does not let us subscribe; -EBUSY: it has no place for
 * us; -EREMOTE: another error of electd's; -EBADMSG: it is no event, or has something that must not
 * be; ret_event is then of no use, and ret_wrong names the key.
 */
int event_parse(const char *text, size_t size, struct event *ret_event, const char **ret_wrong);

/* Have hosts come or gone, or does the definition lie elsewhere? */
bool event_members_differ(const struct event_status *a, const struct event_status *b);

#endif
