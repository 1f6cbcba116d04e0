/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemons: hosts that are electd cores, and calls that only such a host has.
 */
#ifndef ELECTSIM_JUDGE_DAEMONS_DAEMONS_H
#define ELECTSIM_JUDGE_DAEMONS_DAEMONS_H

#include "electsim/world/election.h"
#include "core/elect_view.h"

/* All hosts, which are off, elect by that row, which is one on the frame of electd. */
void daemons_begin(struct sim *s, const struct election *e, bool literal);

/* Its process is killed: the host lives, its copy says so, and its hooks demote. */
void world_kill(struct sim *s, struct sim_host *h);
void world_command(struct sim *s, struct sim_host *h, const struct elect_command *command);
/* Writes its key files; a running daemon reloads them. */
void world_rekey(struct sim *s, struct sim_host *h, const struct sim_keys *keys);
/* Somebody reports to it. */
void world_report(struct sim *s, struct sim_host *h, const struct elect_report *report);
/* Adds the address of a peer, without its port; before the start, or before world_reach(). */
void sim_name_peer(struct sim_host *h, const struct sim_host *peer);
/* Its addresses, or those it may find others by, are others from now on. */
void world_reach(struct sim *s, struct sim_host *h);
/*
 * snapshot.c: a daemon that runs is kept as it is: memory, state file, hooks, clock. A daemon
 * that is stalled or leaving is not kept.
 */
void world_snapshot(struct sim *s, struct sim_host *h);
/* ... and put back to that. False: it is off, stands still, or nothing of it is kept. */
bool world_put_back(struct sim *s, struct sim_host *h);

/* keys.c: files by numbers of keys, the first of which is sent; and what they make. */
void keys_files(struct sim_keys *k, enum ring_mode mode, const uint8_t *ids, unsigned count);
void keys_ring(const struct sim_keys *k, struct ring *ret_ring);
/* May it take them, as it sees its group? */
enum elect_keys_step keys_step(const struct sim_host *h, const struct sim_keys *next,
	struct elect_keys_refusal *ret_refusal);

#endif
