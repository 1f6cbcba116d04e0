/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes: the paths to each host (paths.md). The election names hosts; only this table
 * knows their addresses.
 *
 * A path is one of our links and an address there. A datagram that is heard by a path, even a copy,
 * suggests that the path leads to its sender; only an answer confirms it. The first path is the one
 * by which a host answered first. Every other path is a hint, until a question of ours that went
 * out by it was answered by it. So an attacker that copies datagrams from one LAN to another makes
 * hints, but no paths. If a host has several paths, each is asked again from time to time, and
 * under suspicion, because a link that receives may fail to send. A host with one path is never
 * asked.
 *
 * The caller must pass only what is authentic and of a verified session, unless a function says
 * otherwise. Times are in microseconds, on the clock of elect.h. The table has ROUTES_HOSTS_MAX
 * entries.
 */
#ifndef ELECTD_CORE_ROUTES_ROUTES_H
#define ELECTD_CORE_ROUTES_ROUTES_H

#include "core/places.h"

enum {
	ROUTES_HOSTS_MAX = ELECT_HOSTS_MAX, /* then the host silent for longest is replaced */
	ROUTES_FRESH_BEACONS = 2,	    /* a path that was not heard for longer is silent */
	ROUTES_TOLD_BEACONS = 16,	    /* after this silence users are shown another path;
					       each of 4 paths is heard every eighth beacon */
	ROUTES_SUSPECT_BEACONS = 5,	    /* interval of questions by a path under suspicion */
	ROUTES_ASK_US = 40000000,	    /* interval of questions by a path that has answered */
	ROUTES_PROVEN_US = 60000000,	    /* a path that has not answered for longer is a hint
					       again */
	ROUTES_VAIN = 3,		    /* so is one after this number of unanswered
					       questions */
	/* A path of a family that a coordinator spares: its beacons come once in SPARE_BEACONS. */
	ROUTES_SPARED_BEACONS = 25,
	ROUTES_HEARS_BEACONS = 3,   /* a host is heard by multicast if it was within so many */
	ROUTES_SILENT_BEACONS = 10, /* a host silent for longer may be another process by now */
	/* How long a hint keeps a newer one out: no longer than the effect of an insider's hint may
	   last. */
	ROUTES_HINT_BEACONS = 2,
	/* How long an apart host counts as reached by multicast: no longer than an insider's lie
	   may last. */
	ROUTES_GROUP_BEACONS = 2,
	ROUTES_TOLD_US = 2000000,   /* a host that may be gone is sent what goes to all for 2 s */
	ROUTES_PAUSE_US = 10000000, /* ... of each 10 s */
};

/* A host that is on no list and silent for longer is not sent anything any more. */
#define ROUTES_GONE_US UINT64_C(3600000000)

struct routes_way {
	struct elect_way way;
	bool once;	      /* a hint that is good for one datagram */
	bool spent;	      /* that datagram was sent */
	uint64_t heard_us;    /* copies count; 0: never, or not since the link last got a carrier */
	uint64_t cast_us;     /* when a multicast last came by it; copies count */
	uint64_t believed_us; /* when a datagram that was no copy last came by it */
	uint64_t proven_us;   /* when an answer last came in by it; 0: never, a hint */
	uint64_t asked_us;    /* the last question; 0: none */
	unsigned vain;	      /* questions since the last answer */
	struct elect_transaction asked; /* transaction of the last question */
};

struct routes_host {
	struct elect_id id;
	uint64_t session; /* the process that the paths lead to */
	uint64_t heard_us;
	uint64_t used_us;    /* when something was last sent to it */
	uint64_t suspect_us; /* when something was last sent under suspicion */
	uint64_t said_us;    /* when another host last reported its address */
	uint64_t told_us;   /* while it is silent: when the present period of sending to it began */
	bool apart;	    /* its session has sent this host alone what is for all */
	uint64_t group_us;  /* when a datagram to all last came by multicast since then;
			       0: none did */
	uint8_t family;	    /* its beacons go by this family only; 0: by all links */
	uint64_t family_us; /* when it last reported that */
	struct elect_address said; /* the address that it reports of itself; family 0: none */
	unsigned turn;		   /* counts datagrams, to choose among several paths */
	unsigned count;
	struct routes_way ways[ELECT_WAYS_MAX];
};

struct routes {
	uint64_t beacon_us;
	unsigned count;
	struct places places;
	struct routes_host hosts[ROUTES_HOSTS_MAX]; /* entries beyond `count` are not initialised */
};

void routes_clear(struct routes *r);

/* The host was heard by that path; `answers`: by an answer to a request of ours, not by a copy.
   True: send a question by that path now. */
bool routes_heard(struct routes *r, uint64_t now_us, const struct elect_session *who,
	const struct elect_way *way, bool answers);

/* After routes_heard(): it was a datagram to all, and came by multicast. */
void routes_cast(
	struct routes *r, uint64_t now_us, const struct elect_id *id, const struct elect_way *way);
/* By how many addresses the host was heard by multicast within ROUTES_HEARS_BEACONS. */
struct elect_hears routes_hears(const struct routes *r, uint64_t now_us, const struct elect_id *id);
/* The beacons of that host go by one family (4 or 6) only, or by all links (0): paths of the other
   family are not used meanwhile, nor do they count as silent. */
void routes_spares(struct routes *r, uint64_t now_us, const struct elect_id *id, uint8_t family);

/* After routes_heard(): the datagram was new, and no copy. */
void routes_believed(
	struct routes *r, uint64_t now_us, const struct elect_id *id, const struct elect_way *way);

/*
 * May the kernel keep the link-layer address of the neighbour at the end of that path? Yes, if the
 * host was heard there within ROUTES_FRESH_BEACONS, and nothing was sent to it under suspicion for
 * ROUTES_PROVEN_US: a host that is heard but does not hear may have another link-layer address, and
 * the kernel finds that only by asking.
 */
bool routes_confirms(const struct routes *r, uint64_t now_us, const struct elect_id *id,
	const struct elect_way *way);

/* Notes a question that was sent by that path, and an answer to it, or a copy, that came by it. */
void routes_asked(struct routes *r, const struct elect_id *id, const struct elect_way *way,
	const struct elect_transaction *transaction);
void routes_answered(struct routes *r, uint64_t now_us, const struct elect_id *id,
	const struct elect_way *way, const struct elect_transaction *transaction);

/*
 * Notes a datagram to all that came to this host `alone`, or by multicast. Its sender is `apart`,
 * not reached by multicast, from the first one that comes alone on, except for ROUTES_GROUP_BEACONS
 * after each that comes by multicast: an insider may have sent that in the name of a host that
 * sends nothing to all for days. A datagram too many costs little; a missing beacon costs a member.
 */
void routes_to_all_came(struct routes *r, uint64_t now_us, const struct elect_id *id, bool alone);
bool routes_is_apart(const struct routes *r, uint64_t now_us, const struct elect_id *id);

/* The address that a host reports of itself. Nothing is sent there, but a configured peer is
   recognised by it (named.h). */
void routes_said(struct routes *r, const struct elect_id *id, const struct elect_address *address);

/*
 * A verified host reports the address of another one. It is used as long as that session was not
 * heard itself. `once`: for one datagram, and for one more when it is reported again at least
 * ROUTES_HINT_BEACONS later.
 */
void routes_hint(struct routes *r, uint64_t now_us, const struct elect_session *who,
	const struct elect_way *way, bool once);

/* This host was stalled for `late_us`: moves the times at which other hosts were heard forward by
   as much. Intervals between our own questions do not change. */
void routes_later(struct routes *r, uint64_t now_us, uint64_t late_us);

/* The session of a host; 0: not known, or silent. */
uint64_t routes_session(const struct routes *r, uint64_t now_us, const struct elect_id *id);

/*
 * The paths for one datagram: one of those that have answered and are heard, in turn, and all that
 * have answered once but are silent now. Under suspicion, or if no path is heard: all that were
 * heard, with hints; else the addresses that others report. None if the host is not known.
 */
void routes_to(struct routes *r, uint64_t now_us, const struct elect_id *id, bool suspect,
	struct elect_ways *ret_ways);

/*
 * The paths for one datagram to all hosts, or with `apart` to those that multicast does not reach:
 * each path that has ever answered, or hints if a host has no such path. A host that is silent for
 * longer than ROUTES_PROVEN_US and on no list is left out most of the time. Returns how many paths
 * were written, at most `most`.
 */
unsigned routes_to_all(struct routes *r, uint64_t now_us, bool apart,
	bool (*is_listed)(const void *user, const struct elect_id *id), const void *user,
	struct elect_way *ret_ways, unsigned most);

/* A number that changes when routes_to_all() would write other paths. It counts silent hosts as if
   they were never left out. */
uint64_t routes_changed(const struct routes *r, uint64_t now_us, bool apart);

/* The path by which others can reach the host now; NULL: none is known. */
const struct elect_way *routes_best(
	const struct routes *r, uint64_t now_us, const struct elect_id *id);
/* The path whose address users are shown: the same one as long as the host is heard by it. */
const struct elect_way *routes_told(
	const struct routes *r, uint64_t now_us, const struct elect_id *id);

/* All paths to a host, for status output. Returns how many. */
unsigned routes_list(const struct routes *r, const struct elect_id *id,
	struct elect_way_info ret_list[ELECT_WAYS_MAX]);

/* That session is not verified any more: removes its paths. */
void routes_forget(struct routes *r, const struct elect_session *who);
/* Removes paths by a link that is gone. Paths by a link without a carrier count as not heard. */
enum routes_link { ROUTES_LINK_GONE, ROUTES_LINK_DOWN, ROUTES_LINK_UP };
void routes_follow_links(struct routes *r,
	enum routes_link (*state)(const void *user, uint32_t link), const void *user);

#endif
