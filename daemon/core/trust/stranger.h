/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stranger: authentic sessions that have not proven themselves: when each was challenged, what of
 * it is kept meanwhile, and which are deaf.
 *
 * What a stranger says changes nothing. At most it is asked to prove itself, by a Challenge: one a
 * beacon, and one more a beacon, soon after, for a coordinator or inviter that this host is about
 * to follow; in all 50 a second of either kind. Both together are smaller than any datagram that
 * can cause them. The newest datagram of each is kept, and acted on when its answer has come.
 *
 * After four Challenges in a row without an answer, each for a beacon, it is taken for deaf, or
 * for a recording: for 2 s, then 4, 8 … 60 s. Until then its datagrams are dropped by their header
 * alone, which is what makes a flood of them cheap. It may be alive and hear nothing of us, so one
 * Challenge of it a beacon is still looked at, and whatever proves it ends all of this.
 */
#ifndef ELECTD_CORE_TRUST_STRANGER_H
#define ELECTD_CORE_TRUST_STRANGER_H

#include "core/elect_msg.h"
#include "core/wire/wire.h"

enum {
	STRANGERS_MAX = 128,		/* the one asked longest ago makes room */
	STRANGER_CHALLENGES_PER_S = 50, /* of either kind */
	STRANGER_CHALLENGES = 4,	/* without an answer: deaf */
	STRANGER_DEAF_US = 2000000,
	STRANGER_DEAF_US_MAX = 60000000,
	STRANGER_AGAIN_US = 15000,  /* the second one to who is to be followed */
	STRANGER_KEPT_US = 1000000, /* older: its answer came too late to act on it */
};

struct stranger {
	uint64_t session;
	struct elect_id id;
	uint8_t key_id;	      /* the same session under another key is another stranger */
	uint64_t last_us;     /* when it was met, or asked last */
	uint64_t asked_us[2]; /* ordinary, and when it is to be followed; 0: never */
	uint64_t due_us;      /* a Challenge is on its way; ELECT_NEVER: none is */
	uint64_t deaf_from_us, deaf_until_us;
	uint64_t deaf_us;   /* how long the next time */
	uint64_t looked_us; /* at a Challenge of it, while deaf */
	unsigned asked;	    /* in a row, one counted a beacon */
};

/* The newest datagram of a stranger. */
struct stranger_kept {
	struct elect_ways ways; /* by which it came: one a link, the first first */
	uint64_t at_us;		/* when it came */
	size_t size;
	uint8_t bytes[WIRE_SIZE_MAX];
};

struct strangers {
	uint64_t beacon_us;
	uint64_t paid_us[2]; /* token buckets of Challenges: as far as they are paid */
	unsigned count;
	struct stranger list[STRANGERS_MAX];
	struct stranger_kept kept[STRANGERS_MAX]; /* beside it, so that a search touches little */
};

/* Nothing known; untouched beyond the count. */
void strangers_clear(struct strangers *s);

/* Its index, or -1. */
int stranger_find(
	const struct strangers *s, const struct elect_id *id, uint64_t session, uint8_t key_id);

bool stranger_is_deaf(const struct strangers *s, uint64_t now_us, int at);

/* Is a Challenge of a deaf one looked at now? Say so afterwards, once its tag was good. */
bool stranger_may_speak(const struct strangers *s, uint64_t now_us, int at);
void stranger_spoke(struct strangers *s, uint64_t now_us, int at);

/*
 * A datagram of it came and is kept. It is to be challenged at `due_us`, or earlier if that was
 * said before. Its index, or -1: the table is full of those asked within a beacon.
 */
int stranger_meet(struct strangers *s, uint64_t now_us, uint64_t due_us, const struct elect_msg *m,
	const struct elect_way *way, const uint8_t *bytes, size_t size);

/* A copy of what was kept came by another link, too: perhaps the other one does not lead back. */
void stranger_again(struct strangers *s, const struct wire_header *h, const struct elect_way *way);

/* The first whose Challenge is due by now, or -1; and when the next one is, or ELECT_NEVER. */
int stranger_due(const struct strangers *s, uint64_t now_us);
uint64_t stranger_next_us(const struct strangers *s);

/* Its Challenge is no longer due. True: it may be sent, and is counted. */
bool stranger_ask(struct strangers *s, uint64_t now_us, int at, bool follow);

/* One more of the first kind, to a session that is none of these: counted in all. False: too many.
 */
bool strangers_pay(struct strangers *s, uint64_t now_us);

/* It has proven itself, or somebody vouches for it: a stranger no more. */
void stranger_forget(struct strangers *s, int at);

/* That key is accepted no more. */
void strangers_forget_key(struct strangers *s, uint8_t key_id);

#endif
