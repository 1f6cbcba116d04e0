/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lan: datagrams on their way, and those who disturb them: conditions of a network, cuts, an
 * adversary without the key and an insider with it, triggers of stories.
 */
#ifndef ELECTSIM_LAN_LAN_H
#define ELECTSIM_LAN_LAN_H

#include "electsim/world/sim.h"

const struct sim_condition *conditions_find(const char *name);
const struct sim_condition *conditions_list(size_t *ret_count);

/* lan.c; `lans` are those that it happens to */
void lan_conditions(struct sim *s, unsigned lans, const struct sim_condition *condition);
/* Sealed for that LAN; `to` NULL: to all. */
void lan_send(struct sim *s, struct sim_host *from, unsigned lan, const struct elect_address *to,
	const struct host_datagram *datagram);
/* One datagram to all hosts of first..last but the sender, as to a group that only those are in. */
void lan_cast(struct sim *s, struct sim_host *from, unsigned lan, unsigned first, unsigned last,
	const struct host_datagram *datagram);
void lan_carry(struct sim *s, struct sim_datagram *d, unsigned to, uint64_t extra_us);
/* What is no datagram of electd's: does it arrive on some LAN, and when? */
bool lan_arrives(struct sim *s, unsigned from, unsigned to, uint64_t *ret_us);
/* side[host]; other sides are not heard */
void lan_split(struct sim *s, unsigned lans, const uint8_t *side);
void lan_heal(struct sim *s); /* splits and cut links, everywhere */
void lan_cut(struct sim *s, unsigned lans, unsigned from, unsigned to, bool cut);
/* It has its carrier, or lost it, there: h->carriers says so. */
void lan_carrier(struct sim *s, unsigned lans, const struct sim_host *h);

/* hostile.c */
void hostile_clear(struct sim *s);
/* The session of this host is over: some datagrams of each type are remembered as such. */
void hostile_on_gone(struct sim *s, const struct sim_host *h);
/* From now on sends so many of those a second, to each host or to one (-1: to each); 0 ends it. */
void hostile_former(struct sim *s, unsigned per_s, int victim);
/*
 * As if so many sessions of so many hosts had been recorded that are over, each with a beacon, and
 * a Hello or a Challenge: those of hostile_former(). False: nobody has said such a thing yet.
 */
bool hostile_record(struct sim *s, unsigned sessions, unsigned ids);
/* Sends the newest remembered datagram of that type from that host again; false: none. */
bool hostile_replay(struct sim *s, enum elect_msg_type type, unsigned from, int to, uint64_t in_us);

/* forgeries.c: what an insider has made, played by the adversary without the key. */
enum { FORGERIES_TO_ALL = -1, FORGERIES_AS_SENT = -2 };
/*
 * From now on one after the other, the lowest sequence first: those in the name of that host (-1:
 * of any), to that host, to all, or to the hosts that the insider has sent them to, that lie at
 * most `near` above what the host has used (0: all).
 */
void forgeries_play(struct sim *s, int of, int to, uint64_t near, uint64_t every_us);
void forgeries_end(struct sim *s); /* nothing is played any more */
/*
 * An insider repeats the newest message of that type in the name of that host, under sequences from
 * `first` to `last` above the highest that the host has used. False: nothing of it is remembered.
 */
bool forgeries_make(struct sim *s, enum elect_msg_type type, const struct sim_host *h,
	unsigned first, unsigned last);

/* insider.c: a holder of the key who answers Challenges and pushes counters. */
struct sim_push {
	enum elect_msg_type type;
	bool in_floor; /* the counter stands in the floor, else in the header and in the group */
	bool silent;   /* it answers no Challenge: it stays unproven */
	int to;	       /* a host index, or -1: all */
	uint64_t by;   /* above the highest counter of a host; 0: the highest there is */
	uint64_t every_us;
};
void insider_begin(struct sim *s, const struct sim_push *push);
/* Once; it stays to answer Challenges. */
void insider_send(struct sim *s, const struct sim_push *push);
void insider_end_push(struct sim *s);
void insider_reset(struct sim *s); /* it goes, and hears nothing any more */

/* ... and one who says anything (forge.h). */
enum insider_as {
	INSIDER_ITSELF,
	INSIDER_HOST,  /* that host, in the session that was heard of it last */
	INSIDER_TWICE, /* that host, in a session of the insider's own */
};

struct insider_plan {
	enum elect_msg_type type;
	unsigned part; /* what is varied: enum forge_part */
	int value;     /* the one value; below 0: all, one after the other */
	enum insider_as as;
	unsigned host;
	bool borrows;	/* it sends from the address of that host */
	bool will;	/* a Goodbye is that of a will */
	int to;		/* a host index, or -1: all */
	uint64_t above; /* its sequences begin so far above the next one, and fall to that */
	uint64_t every_us;
};
/* From now on it hears all that is sent; before it speaks. */
void insider_listen(struct sim *s);
/* ... until another plan, or: */
void insider_speak(struct sim *s, const struct insider_plan *plan);
void insider_hush(struct sim *s);
void insider_free(struct sim *s);

/* With the built-in key, in the name of a host: the highest sequences, in words that say nothing.
 */
void hostile_poison(struct sim *s, const struct sim_host *h);
/* The same: sequences 1, 1000 and 60000 above those that it has used, so often. */
void hostile_rain(struct sim *s, const struct sim_host *h, uint64_t every_us, uint64_t count);
/* The same: its last will, so often, of the session that it has then; sequences rise. */
void hostile_will(struct sim *s, const struct sim_host *h, uint64_t every_us, uint64_t count);

/* trigger.c */
bool trigger_add(struct sim *s, const struct sim_trigger *t);
/* Is it its turn, at such a message? Counts. */
bool trigger_fires(struct sim_trigger *t, enum elect_msg_type type, int from, int to);

#endif
