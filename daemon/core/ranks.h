/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks: in which order holders begin and end their work for the role of this host
 * (electd-hooks(7), ORDER). Holders of rank ADDRESS move the addresses of the leader; scripts,
 * units and other programs have rank HOOK. It has no side effects and knows no clients and no
 * clock: the caller counts the holders that are waited for.
 *
 * - When this host begins to lead, rank ADDRESS begins. Rank HOOK begins when no holder of rank
 *   ADDRESS is waited for, or RANKS_PROMOTE_US later.
 * - When the role is to be released, rank HOOK is asked. Rank ADDRESS is asked when no holder of
 *   rank HOOK is waited for, or RANKS_ADDRESS_US before the time for the release is over.
 * - When the role is lost, nobody is asked: each holder ends at once, by itself.
 *
 * Moments are microseconds of one clock.
 */
#ifndef ELECTD_CORE_RANKS_H
#define ELECTD_CORE_RANKS_H

#include <stdbool.h>
#include <stdint.h>

enum rank { RANK_ADDRESS, RANK_HOOK, RANKS };

enum {
	RANKS_PROMOTE_US = 1000000, /* longest wait of rank HOOK for rank ADDRESS */
	RANKS_ADDRESS_US = 200000,  /* for rank ADDRESS, of the time for a release */
};

/* Values only; the members are for ranks.c. */
struct ranks {
	bool leads, promotes, late, releases, address_asked;
	uint64_t since_us;	/* of the promotion */
	uint64_t address_at_us; /* rank ADDRESS is asked then at the latest */
};

/* All names, in the order of the values, for control messages: "address hook". */
#define RANK_WORDS "address hook"
const char *rank_name(enum rank rank);

/* How many holders are waited for. */
struct ranks_waited {
	unsigned begin;	  /* of rank ADDRESS that have not reported that they have begun */
	unsigned release; /* of rank HOOK that were asked to release and have not */
};

/* This host leads, or does not, from `now_us` on. */
void ranks_role(struct ranks *r, bool leads, uint64_t now_us);
/* The role is to be released until `until_us`; or it was, or was lost. */
void ranks_release(struct ranks *r, uint64_t until_us);
void ranks_release_over(struct ranks *r);

/* To be called after each of these, when fewer holders are waited for, and at ranks_due_us(). */
void ranks_look(struct ranks *r, const struct ranks_waited *waited, uint64_t now_us);

/* True while rank HOOK must not begin. */
bool ranks_promotes(const struct ranks *r);
/* True if rank HOOK has begun, and a holder of rank ADDRESS has not. */
bool ranks_late(const struct ranks *r);
/* True if holders of that rank are asked to release now. */
bool ranks_asks(const struct ranks *r, enum rank rank);

/* The next moment at which ranks_look() may change something by itself; UINT64_MAX: none. */
uint64_t ranks_due_us(const struct ranks *r);

#endif
