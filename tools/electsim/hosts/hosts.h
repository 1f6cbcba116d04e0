/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts: makes a LAN of hosts and plays it; what happens to any host, whatever it is made of.
 */
#ifndef ELECTSIM_HOSTS_HOSTS_H
#define ELECTSIM_HOSTS_HOSTS_H

#include <stdarg.h>

#include "electsim/world/sim.h"

/* Memory of hosts and tables is kept from run to run: a world is made once in a process. */
struct sim *sim_new(void);
void sim_free(struct sim *s);
/*
 * An empty LAN with `hosts_count` hosts that are off, drawn from the seed; s->lans_count: more.
 * begin() of an election decides next what the hosts are made of.
 */
void sim_reset(struct sim *s, uint64_t seed, unsigned hosts_count);
/* That host, which is off, has another id. */
void sim_identify(struct sim *s, struct sim_host *h, const struct elect_id *id);
/* Plays all events up to that time, or until something is broken. */
void sim_run_until(struct sim *s, uint64_t until_us);
void sim_run_for(struct sim *s, uint64_t us);
/* Runs until all agree and the right number leads; false at the limit. */
bool sim_run_until_agree(struct sim *s, uint64_t limit_us, bool led);
/* Each host's clock gains or loses up to so many millionths; nothing else is drawn anew. */
void sim_clocks(struct sim *s, unsigned ppm);
/* A promise is broken: the run ends. The first one counts. */
void sim_fail(struct sim *s, const char *property, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void sim_vfail(struct sim *s, const char *property, const char *format, va_list args);

/* ---- hosts.c */
void world_start(struct sim *s, struct sim_host *h);
/* ... also while the copy of its former process has more to say. */
void world_start_beside(struct sim *s, struct sim_host *h);
void world_crash(struct sim *s, struct sim_host *h, bool lose_last_write);
void world_stall(struct sim *s, struct sim_host *h, uint64_t us);
/* The whole host, its kernel with it: a virtual machine that is paused. */
void world_pause(struct sim *s, struct sim_host *h, uint64_t us);
void world_run_again(struct sim *s, struct sim_host *h); /* ends a stall before its time */
/* Its cable to those LANs. */
void world_link(struct sim *s, struct sim_host *h, unsigned lans, bool up);
void world_play(struct sim *s, const struct sim_event *event);

/* ---- for what a host is made of */
/*
 * Triggers that crash or stall a host. false: it died before this message left; *ret_dies: it dies
 * right after.
 */
bool world_may_send(struct sim *s, struct sim_host *h, unsigned type, bool *ret_dies);
/* It gets a tick then; ELECT_NEVER: none. */
void world_wake(struct sim *s, struct sim_host *h, uint64_t at_us);
void world_discard(struct sim *s, struct sim_host *h); /* what waits in its sockets */
void world_off(struct sim *s, struct sim_host *h);

#endif
