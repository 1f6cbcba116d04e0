/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: which addresses this host must have now, and what is done for that. Pure: the caller has
 * the sockets and the clock.
 *
 *	plan_want()				the configuration
 *	plan_there(), plan_gone()		what the kernel has
 *	plan_hold(), plan_end()			whether this host may have the addresses
 *	plan_conflict()				another machine claims one
 *	plan_next(), plan_answer()		what is due, and what came of it
 *
 * The rules:
 * - An address that does not carry the mark is never touched. If it is wanted, it is foreign.
 * - While this host may hold, a wanted address is added; a held one is refreshed every
 *   PLAN_REFRESH_US. An address that another program has removed is added with the next refresh.
 * - From the moment on until which this host may hold, each address of ours is removed.
 * - What a former process has left is removed too, but only after electd was heard once, or
 *   PLAN_FIRST_US after the start: this host may lead still.
 * - A held address is announced four times within a second, and then each announce_us. All that may
 *   have changed the way to it begins this anew.
 *
 * Times are microseconds of the boot clock.
 */
#ifndef ELECTD_ADDRESS_PLAN_H
#define ELECTD_ADDRESS_PLAN_H

#include "message.h"

enum {
	PLAN_MAX = 32,	      /* wanted addresses */
	PLAN_FORMER_MAX = 64, /* addresses that were wanted */
	PLAN_THERE_MAX = 128, /* of both, on all interfaces */
	PLAN_NAME_SIZE = 16,  /* IFNAMSIZ */
	PLAN_REFRESH_US = 300000,
	PLAN_FIRST_US = 1000000,
	PLAN_AGAIN_US = 1000000,   /* after an error */
	PLAN_DEFEND_US = 10000000, /* RFC 5227, DEFEND_INTERVAL */
	PLAN_SETTLED_US = 1000000, /* frames of the former leader are no reason to hand over */
};

/* The interface of an address. */
struct plan_site {
	unsigned ifindex; /* 0: none */
	bool carrier;
	bool ethernet; /* announcements are possible */
	uint8_t mac[6];
	char name[PLAN_NAME_SIZE];
};

struct plan_row {
	/* Set by plan_want() and plan_site(). */
	struct elect_address address;
	struct plan_site site;
	/* State. */
	uint64_t add_us;	/* not before */
	int error;		/* of the last addition, a positive errno */
	bool refresh;		/* is due */
	unsigned announced;	/* since the announcements began anew */
	uint64_t announcing_us; /* when that was */
	bool defend;		/* is due */
	bool lost;		/* another program has removed it */
	/* For the report; moments are 0 for never. */
	uint64_t held_us, announced_us, defended_us;
	unsigned restored;
	uint64_t restored_us;
	uint32_t removed_by; /* netlink port of the program, often its pid; 0: unknown */
	uint64_t conflict_us;
	uint8_t conflict_mac[6];
};

/* An address that the kernel has: a wanted one, or one that was. */
struct plan_there {
	struct message_address at;
	bool ours;
	bool seen;	    /* since plan_read() */
	int error;	    /* of the last removal, a positive errno */
	uint64_t remove_us; /* not before */
};

struct plan {
	uint64_t announce_us;
	/* State. */
	unsigned count, former_count, there_count;
	struct plan_row rows[PLAN_MAX];
	struct elect_address former[PLAN_FORMER_MAX];
	struct plan_there there[PLAN_THERE_MAX];
	bool hold;
	uint64_t until_us, token;
	uint64_t clean_us; /* nothing is removed before */
	uint64_t refresh_us;
};

enum plan_deed_type { PLAN_ADD, PLAN_REFRESH, PLAN_REMOVE, PLAN_ANNOUNCE, PLAN_DEFEND };

struct plan_deed {
	enum plan_deed_type type;
	struct message_address at;
	unsigned row; /* not for PLAN_REMOVE */
};

enum plan_state { PLAN_FREE, PLAN_HELD, PLAN_WAITING, PLAN_FOREIGN, PLAN_KEPT };

void plan_init(struct plan *p, uint64_t now_us);

/* An address that a former process may have left. */
void plan_former(struct plan *p, const struct elect_address *address);

/* Replaces the wanted addresses, at most PLAN_MAX. State of those that stay is kept. */
void plan_want(struct plan *p, const struct elect_address *list, unsigned count);
/* Sets the interface of a wanted address. */
void plan_site(struct plan *p, unsigned row, const struct plan_site *site, uint64_t now_us);

/* Returns whether the plan takes notice of the address. */
bool plan_knows(const struct plan *p, const struct elect_address *address);

/*
 * The kernel has the address, or has it no more. `port`: of the program that has removed it.
 * Addresses that the plan does not know are ignored.
 */
void plan_there(struct plan *p, const struct message_address *at, uint64_t now_us);
void plan_gone(struct plan *p, const struct message_address *at, uint32_t port, uint64_t now_us);
/* All addresses of the kernel follow; those that plan_there() did not name are gone. */
void plan_read(struct plan *p);
void plan_read_over(struct plan *p, uint64_t now_us);

/* electd was heard, or is not waited for: what is not held is removed. */
void plan_heard(struct plan *p);
/* This host may hold until then, under that token. A new token begins the announcements anew. */
void plan_hold(struct plan *p, uint64_t until_us, uint64_t token, uint64_t now_us);
void plan_end(struct plan *p);
/* The members have changed, as after a merge: each held address is announced anew. */
void plan_members(struct plan *p, uint64_t now_us);
/* Returns whether the row is a held one, so that the claim counts. */
bool plan_conflict(struct plan *p, unsigned row, const uint8_t mac[6], uint64_t now_us);

/* Returns whether something is due: *ret. After an addition and a removal, plan_answer() follows.
 */
bool plan_next(struct plan *p, uint64_t now_us, struct plan_deed *ret);
/* `error`: 0, or a negative errno. */
void plan_answer(struct plan *p, const struct plan_deed *deed, int error, uint64_t now_us);
/* Returns the next moment at which plan_next() must be asked; ELECT_NEVER: none. */
uint64_t plan_due_us(const struct plan *p, uint64_t now_us);

/* Returns whether none of our addresses is there. */
bool plan_is_free(const struct plan *p);
/* Returns whether each wanted address is held, or cannot be for now. */
bool plan_is_settled(const struct plan *p);
enum plan_state plan_state(const struct plan *p, unsigned row);
/* The error of the last removal, for a row in state KEPT: a positive errno. */
int plan_kept_error(const struct plan *p, unsigned row);
/* Returns whether the row is held for so long that a claim is a reason to hand over. */
bool plan_is_contested(const struct plan *p, unsigned row, uint64_t now_us);

#endif
