/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: promises. What a host does is judged after each of its steps; what must come when the
 * troubles are over (live_…), when it is asked for.
 */
#ifndef ELECTSIM_CHECK_CHECK_H
#define ELECTSIM_CHECK_CHECK_H

#include "electsim/world/sim.h"

void check_clear(struct sim *s, struct sim_host *h);
void check_started(struct sim *s, struct sim_host *h);
void check_gone(struct sim *s, struct sim_host *h);
/*
 * It is put back to an earlier state of its own: what it shows is what it showed then; what all its
 * lives have formed and led with, as `now` has it, is not undone.
 */
void check_put_back(struct sim *s, struct sim_host *h, const struct sim_watch *now);
/* The host has learned that it was put back, and begins a new session. */
void check_begins_anew(struct sim_host *h);
/* ... and moments of the simulator's clock are so much later. */
void check_put_back_later(struct sim_host *h, uint64_t us);
/* A process was killed: who leads while its demotion runs? */
void check_killed(struct sim *s);
void check_stepped(struct sim *s, struct sim_host *h);
/* After a datagram that may change nothing: S6. */
void check_unbelieved(struct sim *s, struct sim_host *h, const char *why);
/*
 * A message was dropped for its type. True: a verified session has sent it for another election, so
 * its sequence is used (leap.c) and its host is reported.
 */
bool check_passed_over(struct sim_host *h, const struct sim_datagram *d);
/* Before one comes: what is kept of its sender, and may be acted on in its place. */
void check_kept(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
/* After one of a session that is not proven: nothing but Challenges may come of it. */
void check_challenges(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
/* The same of one whose counter is beyond the limit, which is reported. */
void check_counter_refused(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
/* A host that is no electd core shows this from now on. */
void check_shows(struct sim *s, struct sim_host *h, const struct elect_view *view);
void check_sent(struct sim *s, struct sim_host *h, const struct host_datagram *d);
void check_stalled(struct sim *s, struct sim_host *h, uint64_t us);
void check_fail(struct sim *s, const char *property, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* live.c */
struct sim_liveness {
	bool agree; /* all living hosts Normal in one group */
	bool led;   /* exactly one leader, or nobody may lead and nobody does */
	unsigned living, leaders, groups;
};
void live_look(const struct sim *s, struct sim_liveness *ret);
/* What a host shows, in words that fit every kind of host. */
struct sim_shown {
	bool on;
	bool normal; /* it has an elected coordinator, and takes part in no election */
	bool leads;
	int coordinator;   /* index, or -1: none, or not normal */
	uint64_t election; /* its number, or the counter of the group */
};
void live_shown(const struct sim *s, const struct sim_host *h, struct sim_shown *ret);
bool live_agree(const struct sim *s);
/* Somebody is not in a group, as he was found by this index last: one look is mostly enough. */
bool live_waits(const struct sim *s, unsigned *index);
unsigned live_leaders(const struct sim *s);
int live_leader(const struct sim *s); /* index, or -1 for none or several */
/*
 * While others push the counter: how long the last one is lifted until it has the highest there is;
 * 0: nobody is behind.
 */
uint64_t live_behind_us(const struct sim *s);
void live_watch(struct sim *s); /* L2, L3; call now and then while calm */

/* health.c: is it sick, as it was told? And how long, at most, somebody may not lead yet for it
 * was. */
bool check_is_sick(const struct sim *s, const struct sim_host *h);
uint64_t live_barred_us(const struct sim *s);
/* carrier.c: how long, at most, some host may still wait to hear another one: carrier_hold. */
uint64_t live_unheard_us(const struct sim *s);

#endif
