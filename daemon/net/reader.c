/* SPDX-License-Identifier: Apache-2.0 */
/* reader: see reader.h. Each read has a thread. net_reader_free() abandons a running one. */
#include "reader.h"

#include "program/signals.h"

#include <errno.h>
#include <event2/event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct net_reader {
	struct event *event;
	net_read_fn *read;
	void *user;
	unsigned families;
	int event_fd;
	bool runs;
	bool again;   /* another read follows the running one */
	bool is_void; /* discard the result of the running read */

	/* Belong to the thread while it runs. */
	struct net_links *links;
	int error;

	/* Protected by `lock`. */
	bool over, abandoned;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void forget(struct net_reader *r)
{
	if (r->event_fd >= 0)
		close(r->event_fd);
	if (r->links)
		net_links_clear(r->links);
	free(r->links);
	free(r);
}

/* ---- the thread ---------------------------------------------------------------------------- */

static void *work(void *user)
{
	struct net_reader *r = user;
	bool abandoned;

	r->error = net_links_read(r->links, r->families);
	pthread_mutex_lock(&lock);
	r->over = true;
	abandoned = r->abandoned;
	if (!abandoned)
		eventfd_write(r->event_fd, 1);
	pthread_mutex_unlock(&lock);
	if (abandoned)
		forget(r);
	return NULL;
}

/* ---- the loop's side ----------------------------------------------------------------------- */

void net_reader_renew(struct net_reader *r)
{
	r->again = r->is_void = r->runs;
}

/* The thread may store r->error before signals_thread() returns. */
static void begin(struct net_reader *r)
{
	int error;

	r->again = r->is_void = r->over = false;
	r->runs = true;
	error = signals_thread(NULL, work, r);
	if (error) {
		r->error = error;
		r->over = true;
		event_active(r->event, EV_READ, 0);
	}
}

void net_reader_ask(struct net_reader *r)
{
	if (r->runs)
		r->again = true;
	else
		begin(r);
}

static bool is_over(struct net_reader *r)
{
	bool over;

	pthread_mutex_lock(&lock);
	over = r->over;
	pthread_mutex_unlock(&lock);
	return over;
}

static void net_on_read(evutil_socket_t fd, short what, void *user)
{
	struct net_reader *r = user;
	bool again = r->again;
	eventfd_t count;

	(void)what;
	eventfd_read(fd, &count);
	if (!r->runs || !is_over(r))
		return;
	r->runs = false;
	if (!r->is_void)
		r->read(r->user, r->error);
	if (again)
		net_reader_ask(r);
}

struct net_links *net_reader_swap(struct net_reader *r, struct net_links *former)
{
	struct net_links *found = r->links;

	r->links = former;
	return found;
}

struct net_reader *net_reader_new(
	struct event_base *base, unsigned families, net_read_fn *read, void *user)
{
	struct net_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->families = families;
	r->read = read;
	r->user = user;
	r->links = calloc(1, sizeof(*r->links));
	r->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->event_fd >= 0)
		r->event = event_new(base, r->event_fd, EV_READ | EV_PERSIST, net_on_read, r);
	if (r->links && r->event && !event_add(r->event, NULL))
		return r;
	net_reader_free(r);
	return NULL;
}

void net_reader_free(struct net_reader *r)
{
	bool reads;

	if (!r)
		return;
	if (r->event)
		event_free(r->event);
	pthread_mutex_lock(&lock);
	reads = r->runs && !r->over;
	r->abandoned = reads;
	pthread_mutex_unlock(&lock);
	if (!reads)
		forget(r);
}
