/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lan: carries datagrams between hosts and disturbs them: network conditions, cuts, an adversary
 * without the key, an insider with it, triggers of stories.
 */
#ifndef ELECTSIM_LAN_LAN_H
#define ELECTSIM_LAN_LAN_H

#include "electsim/world/sim.h"

const struct sim_condition *conditions_find(const char *name);
const struct sim_condition *conditions_list(size_t *ret_count);

/* lan.c; `lans`: the LANs that are changed */
void lan_conditions(struct sim *s, unsigned lans, const struct sim_condition *condition);
/* Sends a datagram that is sealed for that LAN; `to` NULL: to all. */
void lan_send(struct sim *s, struct sim_host *from, unsigned lan, const struct elect_address *to,
	const struct host_datagram *datagram);
/* Sends one multicast datagram to the hosts first..last only, except the sender. */
void lan_cast(struct sim *s, struct sim_host *from, unsigned lan, unsigned first, unsigned last,
	const struct host_datagram *datagram);
void lan_carry(struct sim *s, struct sim_datagram *d, unsigned to, uint64_t extra_us);
/*
 * Draws on which LAN a packet that is no datagram of electd arrives; *ret_us: its delay. -1: on
 * none.
 */
int lan_arrives(struct sim *s, unsigned from, unsigned to, uint64_t *ret_us);
/* Draws whether a router on some LAN answers a packet of that host; *ret_us: after which time. */
bool lan_router_answers(struct sim *s, const struct sim_host *h, uint64_t *ret_us);
/* side[host]: hosts of different sides do not hear each other */
void lan_split(struct sim *s, unsigned lans, const uint8_t *side);
void lan_heal(struct sim *s); /* ends splits and cut links; carriers stay */
void lan_cut(struct sim *s, unsigned lans, unsigned from, unsigned to, bool cut);
void lan_cut_unicast(struct sim *s, unsigned lans, unsigned from, unsigned to, bool cut);
/* Applies h->carriers to those LANs. */
void lan_carrier(struct sim *s, unsigned lans, const struct sim_host *h);

/* hostile.c */
void hostile_clear(struct sim *s);
/* Remembers some datagrams of each type when the session of a host ends. */
void hostile_on_gone(struct sim *s, const struct sim_host *h);
/* Sends `per_s` of those datagrams a second, to host `victim` (-1: to each host); 0 ends it. */
void hostile_former(struct sim *s, unsigned per_s, int victim);
/*
 * Fills the datagrams of hostile_former() as if `sessions` ended sessions of `ids` hosts had been
 * recorded, each with a beacon and a Hello or a Challenge. false: no host has sent such datagrams
 * yet.
 */
bool hostile_record(struct sim *s, unsigned sessions, unsigned ids);
/* Repeats the newest remembered datagram of that type from that host; false: none. */
bool hostile_replay(struct sim *s, enum elect_msg_type type, unsigned from, int to, uint64_t in_us);

/* forgeries.c: an insider's datagrams, played by the adversary without the key. */
enum { FORGERIES_TO_ALL = -1, FORGERIES_AS_SENT = -2 };
/*
 * Plays the recordings one after the other, the lowest sequence first. `of`: those in that host's
 * name (-1: any). `to`: a host, FORGERIES_TO_ALL or FORGERIES_AS_SENT. `near`: sequences that lie
 * at most so far above the highest that the host has used (0: any).
 */
void forgeries_play(struct sim *s, int of, int to, uint64_t near, uint64_t every_us);
void forgeries_end(struct sim *s);
/*
 * Forges repeats of the newest message of that type in the host's name, under sequences from
 * `first` to `last` above the highest that the host has used. false: no such message is remembered.
 */
bool forgeries_make(struct sim *s, enum elect_msg_type type, const struct sim_host *h,
	unsigned first, unsigned last);

/* insider.c: a holder of the key that answers Challenges and pushes counters. */
struct sim_push {
	enum elect_msg_type type;
	bool in_floor; /* the counter is in the minimum token (floor), else in header and group */
	bool silent;   /* answers no Challenge, so its session stays unverified */
	int to;	       /* host index, or -1: all */
	/* distance above the highest counter of a host; 0: the highest valid counter */
	uint64_t by;
	uint64_t every_us;
};
void insider_begin(struct sim *s, const struct sim_push *push);
/* Sends one push; the insider stays and answers Challenges. */
void insider_send(struct sim *s, const struct sim_push *push);
void insider_end_push(struct sim *s);
void insider_reset(struct sim *s); /* it leaves, and hears nothing */

/* The name in which the insider sends any datagram (forge.h). */
enum insider_as {
	INSIDER_ITSELF,
	INSIDER_HOST,  /* a host, in its newest session that was heard */
	INSIDER_TWICE, /* a host, in a session of the insider's own */
};

struct insider_plan {
	enum elect_msg_type type;
	unsigned part; /* the varied part: enum forge_part or elect_field */
	int value;     /* one value; < 0: all values in turn */
	enum insider_as as;
	unsigned host;
	bool borrows; /* sends from that host's address */
	bool will;    /* its Goodbyes are those of a will */
	int to;	      /* host index, or -1: all */
	/* first distance of its sequences above the next one; falls by one each time */
	uint64_t above;
	uint64_t every_us;
};
/* Lets the insider hear all datagrams; call it before insider_speak(). */
void insider_listen(struct sim *s);
/* Sends by this plan until the next plan or insider_hush(). */
void insider_speak(struct sim *s, const struct insider_plan *plan);
void insider_hush(struct sim *s);
void insider_free(struct sim *s);

/* Sends Challenges in the host's name, with the built-in key and the highest sequences. */
void hostile_poison(struct sim *s, const struct sim_host *h);
/* Likewise with sequences 1, 1000 and 60000 above those that the host has used; `count` rounds. */
void hostile_rain(struct sim *s, const struct sim_host *h, uint64_t every_us, uint64_t count);
/* Likewise the last will of the host's present session, `count` times with rising sequences. */
void hostile_will(struct sim *s, const struct sim_host *h, uint64_t every_us, uint64_t count);

/* trigger.c */
bool trigger_add(struct sim *s, const struct sim_trigger *t);
/* Does it strike at this message? Counts the message. */
bool trigger_fires(struct sim_trigger *t, enum elect_msg_type type, int from, int to);

#endif
