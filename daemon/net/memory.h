/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: where this host is at home (net/homes.h), in a file without a name: whoever keeps its
 * descriptor over a restart gives the next process what this one knew, without any disk.
 */
#ifndef ELECTD_NET_MEMORY_H
#define ELECTD_NET_MEMORY_H

#include "homes.h"

struct net_memory {
	int fd; /* -1: there is none, and nothing outlives the process */
	struct net_homes homes, saved;
};

/*
 * `kept`: of a former process, or -1; it belongs to the memory from now on. What that one led with
 * may be there until `demoted_us`.
 */
void net_memory_open(struct net_memory *m, int kept, uint64_t demoted_us);
/* After any change of `homes`. */
void net_memory_save(struct net_memory *m);
void net_memory_close(struct net_memory *m);

#endif
