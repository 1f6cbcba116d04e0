/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts: makes a LAN of hosts of any kind, plays it, and lets hosts start, crash, stall and run
 * again.
 */
#ifndef ELECTSIM_HOSTS_HOSTS_H
#define ELECTSIM_HOSTS_HOSTS_H

#include <stdarg.h>

#include "electsim/world/sim.h"

/* One world serves all runs of a process, because it keeps the memory of hosts and tables. */
struct sim *sim_new(void);
void sim_free(struct sim *s);
/*
 * Makes an empty LAN of `hosts_count` hosts that are off, drawn from the seed; the caller may raise
 * s->lans_count. begin() of an election must follow: it sets the kind of the hosts.
 */
void sim_reset(struct sim *s, uint64_t seed, unsigned hosts_count);
/* Gives another id to a host that is off. */
void sim_identify(struct sim *s, struct sim_host *h, const struct elect_id *id);
/* Plays all events up to that time, or until a promise is broken. */
void sim_run_until(struct sim *s, uint64_t until_us);
void sim_run_for(struct sim *s, uint64_t us);
/* Runs until all hosts agree and, if `led`, the right number of them leads; false: not in time. */
bool sim_run_until_agree(struct sim *s, uint64_t limit_us, bool led);
/* Gives each clock a drift of at most `ppm` millionths; draws nothing else anew. */
void sim_clocks(struct sim *s, unsigned ppm);
/* Each LAN has both families, as two links with one cable. At most half of SIM_LANS_MAX. */
void sim_families(struct sim *s);
/* Reports a broken promise, which ends the run; only the first one is kept. */
void sim_fail(struct sim *s, const char *property, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void sim_vfail(struct sim *s, const char *property, const char *format, va_list args);

/* ---- hosts.c */
void world_start(struct sim *s, struct sim_host *h);
/* Starts it at once, even while the copy of its former process still sends. */
void world_start_beside(struct sim *s, struct sim_host *h);
void world_crash(struct sim *s, struct sim_host *h, bool lose_last_write);
void world_stall(struct sim *s, struct sim_host *h, uint64_t us);
/* Stalls the process and its kernel, like a paused virtual machine. */
void world_pause(struct sim *s, struct sim_host *h, uint64_t us);
void world_run_again(struct sim *s, struct sim_host *h);
void world_link(struct sim *s, struct sim_host *h, unsigned lans, bool up);
void world_play(struct sim *s, const struct sim_event *event);

/* ---- for kinds of hosts */
/* Applies triggers. false: the host crashed instead of sending; *ret_dies: it crashes after it. */
bool world_may_send(struct sim *s, struct sim_host *h, unsigned type, bool *ret_dies);
/* Gives it a tick at that time; ELECT_NEVER: none. */
void world_wake(struct sim *s, struct sim_host *h, uint64_t at_us);
void world_discard(struct sim *s, struct sim_host *h); /* empties its sockets */
void world_off(struct sim *s, struct sim_host *h);

#endif
