/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event: electd's events, as checked values.
 *
 * electd faces the network, and a program that follows the leader may be root: event_parse() lets
 * only names, numbers, addresses, known words and plain paths pass. It decides nothing.
 */
#ifndef ELECTD_LIB_EVENT_H
#define ELECTD_LIB_EVENT_H

#include "core/elect_msg.h"

#include <limits.h>
#include <netinet/in.h>

enum {
	EVENT_ID_SIZE = 33,
	EVENT_NAME_SIZE = ELECT_NAME_MAX + 1,
	EVENT_INTERFACE_SIZE = 16,				      /* as in Linux: IFNAMSIZ */
	EVENT_ADDRESS_SIZE = INET6_ADDRSTRLEN + EVENT_INTERFACE_SIZE, /* address, %, interface */
	EVENT_GROUP_SIZE = ELECT_NAME_MAX + 24,			      /* NAME.COUNTER */
	EVENT_REASON_SIZE = 32,
	EVENT_HOLDER_SIZE = 33,
	EVENT_STATE_SIZE = 8,
};

enum event_type {
	EVENT_SNAPSHOT, /* first, and after events that electd did not keep */
	EVENT_LEADER,
	EVENT_FOLLOWER,
	EVENT_NONE,
	EVENT_MEMBERS,
	EVENT_STATE, /* something else; also a change that this version does not know */
	EVENT_RELEASE,
	EVENT_RELEASE_OVER,
	EVENT_ALIVE,
	EVENT_TYPES
};

/* An empty id: no host. An empty address: not known. */
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
	bool asking;	/* leads, but asks the members whether it still does */
	bool yielding;	/* leads, but hands over */
	bool promoting; /* leads, but holders of rank address come first */
	bool awaits;	/* electd waits until the work of a crashed coordinator has ended */
	char reason[EVENT_REASON_SIZE];
	char definition[PATH_MAX]; /* electd's path, for definition.h; scripts get a copy */
	unsigned members_count;
	struct event_member members[ELECT_HOSTS_MAX];
};

/* Large: never on the stack. */
struct event {
	enum event_type type;
	uint64_t seq, boot_us;
	char holder[EVENT_HOLDER_SIZE]; /* only in a snapshot */
	uint64_t dead_after_us;		/* 0: not sent */
	/*
	 * This host leads until until_us on the boot clock of time_namespace, unless a later event
	 * moves it. until_us 0: it does not lead, or electd is older. time_namespace 0: not known.
	 */
	uint64_t until_us, time_namespace;
	uint64_t ending_us;  /* how long after until_us the work may take to end */
	uint64_t timeout_us; /* of hooks; 0: not sent */
	bool resign;	     /* hooks.on_failure is "resign"; only with timeout_us */
	uint64_t release;    /* number, in RELEASE and RELEASE_OVER; SNAPSHOT: or 0 */
	const char *purpose; /* with a release: a static string; NULL: not sent, or not known */
	bool status_said;
	struct event_status status;
};

/* The error of an electd that is out of places. electd hangs up after it. */
#define EVENT_FULL_ERROR "io.electd.TooManyClients"

/* The word on the wire. */
const char *event_type_name(enum event_type type);

/*
 * Parses one reply to Subscribe. 0; -EACCES: electd does not let this program subscribe; -EBUSY:
 * electd has no place for it; -EREMOTE: another error of electd; -EBADMSG: the reply is no event,
 * or has a value that is not allowed. After an error ret_event is undefined; ret_wrong names the
 * key.
 */
int event_parse(const char *text, size_t size, struct event *ret_event, const char **ret_wrong);

/* Copies the members that there are, because most of the struct is room for more. */
void event_status_copy(struct event_status *to, const struct event_status *from);
/* Returns whether hosts have come or gone, or the definition has another path. */
bool event_members_differ(const struct event_status *a, const struct event_status *b);

#endif
