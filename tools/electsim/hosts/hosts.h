/* SPDX-License-Identifier: Apache-2.0 */
/*
 * play: makes a world and plays it; what happens to its hosts.
 */
#ifndef ELECTSIM_PLAY_PLAY_H
#define ELECTSIM_PLAY_PLAY_H

#include "electsim/world/sim.h"

/* Memory of hosts and tables is kept from run to run: a world is made once in a process. */
struct sim *sim_new(void);
void sim_free(struct sim *s);
/* An empty LAN with `hosts_count` hosts that are off, drawn from the seed; s->lans_count: more. */
void sim_reset(struct sim *s, uint64_t seed, unsigned hosts_count);
/* All hosts, which are off, elect by that algorithm; NULL: invitation. */
void sim_algorithm(struct sim *s, const struct elect_algorithm *algorithm);
/* That host, which is off, has another id. */
void sim_identify(struct sim *s, struct sim_host *h, const struct elect_id *id);
/* Plays all events up to that time, or until something is broken. */
void sim_run_until(struct sim *s, uint64_t until_us);
void sim_run_for(struct sim *s, uint64_t us);
/* Runs until all agree and the right number leads; false at the limit. */
bool sim_run_until_agree(struct sim *s, uint64_t limit_us, bool led);
/* Each host's clock gains or loses up to so many millionths; nothing else is drawn anew. */
void sim_clocks(struct sim *s, unsigned ppm);

/* hosts.c; daemons.c: what a daemon alone is told */
void world_start(struct sim *s, struct sim_host *h);
/* ... also while the copy of its former process has more to say. */
void world_start_beside(struct sim *s, struct sim_host *h);
void world_crash(struct sim *s, struct sim_host *h, bool lose_last_write);
/* Its process is killed: the host lives, its copy says so, and its hooks demote. */
void world_kill(struct sim *s, struct sim_host *h);
void world_stall(struct sim *s, struct sim_host *h, uint64_t us);
/* The whole host, its kernel with it: a virtual machine that is paused. */
void world_pause(struct sim *s, struct sim_host *h, uint64_t us);
void world_run_again(struct sim *s, struct sim_host *h); /* ends a stall before its time */
void world_command(struct sim *s, struct sim_host *h, const struct elect_command *command);
/* Its files say so from now on; if it runs, it reads them. */
void world_rekey(struct sim *s, struct sim_host *h, const struct sim_keys *keys);
/* Somebody reports to it. */
void world_report(struct sim *s, struct sim_host *h, const struct elect_report *report);
/* Whose address it knows, but for the port, before it starts or world_reach(). */
void sim_name_peer(struct sim_host *h, const struct sim_host *peer);
/* Its addresses, or those it may find others by, are others from now on. */
void world_reach(struct sim *s, struct sim_host *h);
/* Its cable to those LANs. */
void world_link(struct sim *s, struct sim_host *h, unsigned lans, bool up);
/*
 * snapshot.c: a daemon that runs is kept as it is: memory, state file, hooks, clock. One that
 * stands still or leaves is not.
 */
void world_snapshot(struct sim *s, struct sim_host *h);
/* ... and put back to that. False: it is off, stands still, or nothing of it is kept. */
bool world_put_back(struct sim *s, struct sim_host *h);
void world_play(struct sim *s, const struct sim_event *event);

/* hosts.c, for what a host is made of. */
/*
 * Triggers that crash or stall a host. false: it died before this message left; *ret_dies: it dies
 * right after.
 */
bool world_may_send(struct sim *s, struct sim_host *h, unsigned type, bool *ret_dies);
/* It gets a tick then; ELECT_NEVER: none. */
void world_wake(struct sim *s, struct sim_host *h, uint64_t at_us);
void world_discard(struct sim *s, struct sim_host *h); /* what waits in its sockets */
void world_off(struct sim *s, struct sim_host *h);

/* keys.c: files by numbers of keys, the first of which is sent; and what they make. */
void keys_files(struct sim_keys *k, enum ring_mode mode, const uint8_t *ids, unsigned count);
void keys_ring(const struct sim_keys *k, struct ring *ret_ring);
/* May it take them, as it sees its group? */
enum elect_keys_step keys_step(const struct sim_host *h, const struct sim_keys *next,
	struct elect_keys_refusal *ret_refusal);

#endif
