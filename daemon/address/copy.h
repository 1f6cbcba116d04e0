/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy: a copy of this process, which waits for its end and then removes the addresses that it
 * held. So only a host whose processes are all frozen, or killed together, needs the lease of the
 * kernel.
 *
 * Both share the memory of a list. The copy has a socket of the kernel and the process to watch,
 * and nothing else; no signal ends it but SIGKILL and its own faults.
 */
#ifndef ELECTD_ADDRESS_COPY_H
#define ELECTD_ADDRESS_COPY_H

#include "message.h"

#include <stdatomic.h>
#include <sys/types.h>

enum { COPY_MAX = 128 };

/* One address. The process writes `at` while it is not held. */
struct copy_entry {
	atomic_bool held;
	struct message_address at;
};

struct copy {
	pid_t pid;		    /* 0: there is none */
	struct copy_entry *entries; /* COPY_MAX, shared */
};

/* Makes the memory. 0 or -errno. */
int copy_open(struct copy *c);
/* Makes the copy, if there is none. 0 or -errno. */
int copy_begin(struct copy *c);
/* That child has ended; returns whether it was the copy. */
bool copy_ended(struct copy *c, pid_t pid);
/* The copy stays, and removes what is held when this process ends. */
void copy_close(struct copy *c);

/* Makes the list the same. Addresses that do not fit are left to the lease of the kernel. */
void copy_keep(struct copy *c, const struct message_address *list, unsigned count);

#endif
