/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: keeps struct net_homes in a file without a name (memfd). If the service manager keeps its
 * descriptor over a restart, the next process knows the homes of this one without using a disk.
 */
#ifndef ELECTD_NET_MEMORY_H
#define ELECTD_NET_MEMORY_H

#include "homes.h"

struct net_memory {
	int fd; /* -1: there is none, and the homes end with the process */
	struct net_homes homes, saved;
};

/*
 * `kept`: the descriptor of a former process, which now belongs to the memory, or -1. If that
 * process led, addresses of its hooks may exist until `demoted_us`.
 */
void net_memory_open(struct net_memory *m, int kept, uint64_t demoted_us);
/* Call it after any change of `homes`. */
void net_memory_save(struct net_memory *m);
void net_memory_close(struct net_memory *m);

#endif
