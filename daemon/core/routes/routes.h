/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes: by which ways a host is reached (algorithm.md 3, Ways). The election names hosts; only
 * this table knows where they are.
 *
 * A way is one of our links and an address there. What is heard, a copy by another link included,
 * says that a way may lead to a host; that it does says an answer. So the first way is the one by
 * which a host has answered; every other one is a hint until a question of ours that went out by it
 * was answered by it. Whoever can copy datagrams from one LAN to another makes hints, and no ways.
 * With several ways each is asked again from time to time, and in doubt, for what comes in by a
 * link need not come out by it. A host with one way is never asked.
 *
 * Whoever calls sees to it that only what is authentic and of a session known to live gets here.
 */
#ifndef ELECTD_CORE_ROUTES_ROUTES_H
#define ELECTD_CORE_ROUTES_ROUTES_H

#include "core/places.h"

enum {
	ROUTES_HOSTS_MAX = ELECT_HOSTS_MAX, /* the one silent for longest makes room */
	ROUTES_FRESH_BEACONS = 2,	    /* a way unheard for longer is silent */
	ROUTES_TOLD_BEACONS = 16,	    /* ... is not what people are told: each of 4 ways is
					       heard every eighth beacon */
	ROUTES_SUSPECT_BEACONS = 5,	    /* in doubt a way is asked again so soon */
	ROUTES_ASK_US = 40000000,	    /* a way that has answered is asked again */
	ROUTES_PROVEN_US = 60000000,	    /* unanswered for longer it is a hint again */
	ROUTES_VAIN = 3,		    /* ... or after so many questions in vain */
	ROUTES_SILENT_BEACONS = 10, /* unheard for longer it may be another process by now */
	/* A hint keeps another one out for so long: no longer than an insider's may last. */
	ROUTES_HINT_BEACONS = 2,
	/* The group reaches an apart host for so long: no longer than an insider's may last. */
	ROUTES_GROUP_BEACONS = 2,
	ROUTES_TOLD_US = 2000000,   /* a silent host is told for so long what all are */
	ROUTES_PAUSE_US = 10000000, /* ... in so long */
};

/* A silent host that is on no list: nobody knows any more whether it is one. */
#define ROUTES_GONE_US UINT64_C(3600000000)

struct routes_way {
	struct elect_way way;
	bool once;	    /* somebody's word that is good for one datagram */
	bool spent;	    /* ... which has gone */
	uint64_t heard_us;  /* copies count; 0: never, or not since its link had a carrier */
	uint64_t proven_us; /* it has carried an answer; 0: a hint */
	uint64_t asked_us;  /* the last question; 0: there was none */
	unsigned vain;	    /* questions since the last answer */
	struct elect_transaction asked; /* of the last one */
};

struct routes_host {
	struct elect_id id;
	uint64_t session; /* its ways are those of one process */
	uint64_t heard_us;
	uint64_t used_us;	   /* something was sent to it */
	uint64_t suspect_us;	   /* ... in doubt */
	uint64_t said_us;	   /* somebody's word of it came */
	uint64_t told_us;	   /* since when it is told what all are, though it is silent */
	bool apart;		   /* its session has sent to this host alone what is for all */
	uint64_t group_us;	   /* since then that came by the group, last; 0: it did not */
	struct elect_address said; /* its own word of where it is; family 0: it gives none */
	unsigned turn;		   /* whose it is of several ways */
	unsigned count;
	struct routes_way ways[ELECT_WAYS_MAX];
};

struct routes {
	uint64_t beacon_us;
	unsigned count;
	struct places places;
	struct routes_host hosts[ROUTES_HOSTS_MAX]; /* untouched beyond the count */
};

void routes_clear(struct routes *r);

/*
 * It was heard that way; `answers`: by what answers a request of ours, and is no copy. True: a
 * question is to be sent that way, now.
 */
bool routes_heard(struct routes *r, uint64_t now_us, const struct elect_session *who,
	const struct elect_way *way, bool answers);

/* That question has gone out; and an answer has come in, or a copy of one. */
void routes_asked(struct routes *r, const struct elect_id *id, const struct elect_way *way,
	const struct elect_transaction *transaction);
void routes_answered(struct routes *r, uint64_t now_us, const struct elect_id *id,
	const struct elect_way *way, const struct elect_transaction *transaction);

/*
 * A datagram to all came to this host alone, or by the group. Once one came alone the group
 * does not reach that host, apart from ROUTES_GROUP_BEACONS after what came by the group: a host
 * that follows sends nothing to all for days, so it could not correct what an insider sends by the
 * group in its name. One datagram more than needed costs little, a missing beacon a member.
 */
void routes_to_all_came(struct routes *r, uint64_t now_us, const struct elect_id *id, bool alone);
bool routes_is_apart(const struct routes *r, uint64_t now_us, const struct elect_id *id);

/* Its own word of where it is: nothing is sent there, but it may be named so (named.h). */
void routes_said(struct routes *r, const struct elect_id *id, const struct elect_address *address);

/*
 * Somebody proven says where it is. Of use as long as nothing was heard of that session itself;
 * `once`: for one datagram, and when it is said again for one more, ROUTES_HINT_BEACONS later.
 */
void routes_hint(struct routes *r, uint64_t now_us, const struct elect_session *who,
	const struct elect_way *way, bool once);

/*
 * This host was stalled for `late_us`: no other host was silent for that long. Pauses between own
 * questions stay.
 */
void routes_later(struct routes *r, uint64_t now_us, uint64_t late_us);

/* The session that is known of it; 0: none, or one that is silent. */
uint64_t routes_session(const struct routes *r, uint64_t now_us, const struct elect_id *id);

/*
 * How to reach it: by one of the ways that answer and are heard, in turn, and by all that have
 * answered and are silent now; in doubt, or without one that is heard, by all that were, hints
 * included; else where somebody says it is. None: it is not known.
 */
void routes_to(struct routes *r, uint64_t now_us, const struct elect_id *id, bool suspect,
	struct elect_ways *ret_ways);

/*
 * How to reach all, or (`apart`) those that the group does not reach: each by every way that it has
 * ever answered by, else by hints. One silent for longer than ROUTES_PROVEN_US is told now and then
 * only, unless it is on the list. How many of ret_ways are filled.
 */
unsigned routes_to_all(struct routes *r, uint64_t now_us, bool apart,
	bool (*is_listed)(const void *user, const struct elect_id *id), const void *user,
	struct elect_way *ret_ways, unsigned most);

/* Another number when other ways would be said by routes_to_all(), but for those that are silent.
 */
uint64_t routes_changed(const struct routes *r, uint64_t now_us, bool apart);

/* Where others reach it now. NULL: it is not known. */
const struct elect_way *routes_best(
	const struct routes *r, uint64_t now_us, const struct elect_id *id);
/* Where people are told it is: the same for as long as it is heard there, whatever comes between.
 */
const struct elect_way *routes_told(
	const struct routes *r, uint64_t now_us, const struct elect_id *id);

/* All that is known of the ways to it, for people: how many. */
unsigned routes_list(const struct routes *r, const struct elect_id *id,
	struct elect_way_info ret_list[ELECT_WAYS_MAX]);

/* That session is not known to live any more. */
void routes_forget(struct routes *r, const struct elect_session *who);
/* Ways by a link that is gone are none; by one without a carrier nothing was heard. */
enum routes_link { ROUTES_LINK_GONE, ROUTES_LINK_DOWN, ROUTES_LINK_UP };
void routes_follow_links(struct routes *r,
	enum routes_link (*state)(const void *user, uint32_t link), const void *user);

#endif
