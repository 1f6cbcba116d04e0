/* SPDX-License-Identifier: Apache-2.0 */
/* daemons: hosts with an electd core, and calls that only such hosts have. */
#ifndef ELECTSIM_JUDGE_DAEMONS_DAEMONS_H
#define ELECTSIM_JUDGE_DAEMONS_DAEMONS_H

#include "electsim/world/election.h"
#include "core/elect_view.h"

/* Lets all hosts, which must be off, use `e`, an election on the frame of electd. */
void daemons_begin(struct sim *s, const struct election *e, bool literal);

/* Kills its process: the host lives, the copy reports the death, and the hooks demote. */
void world_kill(struct sim *s, struct sim_host *h);
void world_command(struct sim *s, struct sim_host *h, const struct elect_command *command);
/* Writes its key files; a running daemon reloads them. */
void world_rekey(struct sim *s, struct sim_host *h, const struct sim_keys *keys);
void world_report(struct sim *s, struct sim_host *h, const struct elect_report *report);
/* Adds the address of a peer without its port; call it before the start or world_reach(). */
void sim_name_peer(struct sim_host *h, const struct sim_host *peer);
/* Call after its addresses, or those at which it looks for others, changed. */
void world_reach(struct sim *s, struct sim_host *h);
/*
 * snapshot.c: keeps memory, state file, hooks and clock of a running daemon. A stalled or leaving
 * daemon is not kept, nor one with a holder of rank address.
 */
void world_snapshot(struct sim *s, struct sim_host *h);
/* Puts it back to its snapshot. false: it is off or stalled, or has no snapshot. */
bool world_put_back(struct sim *s, struct sim_host *h);

/* addresses.c: gives the host a holder of rank address, or another one after the first has died. */
void world_address(struct sim *s, struct sim_host *h, uint64_t take_us, uint64_t free_us);
/* That holder hangs from now on, or runs on; or dies, and its copy removes the address. */
void world_address_hangs(struct sim *s, struct sim_host *h, bool hangs);
void world_address_dies(struct sim *s, struct sim_host *h);

/* keys.c: key files from numbers of keys, the first of which is sent; the ring of such files. */
void keys_files(struct sim_keys *k, enum ring_mode mode, const uint8_t *ids, unsigned count);
void keys_ring(const struct sim_keys *k, struct ring *ret_ring);
/* May the host take these keys, by its present view of the group? */
enum elect_keys_step keys_step(const struct sim_host *h, const struct sim_keys *next,
	struct elect_keys_refusal *ret_refusal);

#endif
