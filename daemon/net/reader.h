/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: reads the links in a thread. A read waits for RTNL, the kernel's lock for all changes of
 * links: half a second while a namespace with thousands of links is deleted, longer while a driver
 * resets its card. The event loop must not wait for that.
 */
#ifndef ELECTD_NET_READER_H
#define ELECTD_NET_READER_H

#include "links.h"

struct event_base;
struct net_reader;

/*
 * Called from the event loop when a read is over. `error`: 0, or -errno of net_links_read() or of
 * starting the thread. It may ask for another read, and must not free the reader.
 */
typedef void net_read_fn(void *user, int error);

/* `families` of the default routes to read. NULL: no memory. */
struct net_reader *net_reader_new(
	struct event_base *base, unsigned families, net_read_fn *read, void *user);
/* Discards the result of a running read and starts another one after it. */
void net_reader_renew(struct net_reader *r);
/*
 * Begins a read. If one is running, another follows it. The result of the running read is still
 * handed over, because changes may come faster than a read takes: otherwise the caller would never
 * get any.
 */
void net_reader_ask(struct net_reader *r);
/*
 * For net_read_fn, after a read without an error: returns the links that were read, which then
 * belong to the caller, and takes `former` for a later read.
 */
struct net_links *net_reader_swap(struct net_reader *r, struct net_links *former);
/* Does not wait for a running read: its thread frees what it uses. */
void net_reader_free(struct net_reader *r);

#endif
