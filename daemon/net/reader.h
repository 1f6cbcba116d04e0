/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: reads the links in a thread of its own. A read waits for RTNL, the kernel's lock of all
 * changes of links: for half a second while a namespace with thousands of links is deleted, and for
 * longer while a driver starts its card anew. The loop must not wait for that.
 */
#ifndef ELECTD_NET_READER_H
#define ELECTD_NET_READER_H

#include "links.h"

struct event_base;
struct net_reader;

/*
 * From the loop: a read is over. `error`: 0, or -errno of net_links_read() or of the thread that
 * was to read. It may ask for another one, and must not free the reader.
 */
typedef void net_read_fn(void *user, int error);

/* `families` of the default routes. NULL: no memory. */
struct net_reader *net_reader_new(
	struct event_base *base, unsigned families, net_read_fn *read, void *user);
/* Makes a read that runs void: its links are not handed over, and another read follows it. */
void net_reader_renew(struct net_reader *r);
/*
 * Begins a read. If one runs, another follows it. The links of the first are handed over too,
 * because changes may come faster than a read takes: then the caller would never get any.
 */
void net_reader_ask(struct net_reader *r);
/*
 * For net_read_fn, after a read without an error: exchanges the links that it found for `former`,
 * into which a later read goes. The returned ones belong to the caller.
 */
struct net_links *net_reader_swap(struct net_reader *r, struct net_links *former);
/* Waits for no read: a thread that still reads frees what it uses. */
void net_reader_free(struct net_reader *r);

#endif
