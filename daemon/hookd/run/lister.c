/* SPDX-License-Identifier: Apache-2.0 */
/* lister: one thread for each list; a thread that hangs is abandoned. See lister.h. */
#include "lister.h"

#include "program/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct lister {
	const char *const *folders;
	sd_event_source *io;
	lister_done_fn *done;
	void *user;
	int event_fd;

	/* Only the thread uses these until it is over. */
	struct vet_list older, list;
	int error;
	const char *folder;

	/* Protected by the lock. */
	bool over, abandoned;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned hanging; /* threads that are abandoned and not over; protected by the lock */

/* ---- the thread ---------------------------------------------------------------------------- */

static void forget(struct lister *l)
{
	vet_close(&l->older);
	vet_close(&l->list);
	if (l->event_fd >= 0)
		close(l->event_fd);
	free(l);
}

static void over(struct lister *l)
{
	bool abandoned;

	pthread_mutex_lock(&lock);
	abandoned = l->abandoned;
	l->over = true;
	hanging -= abandoned;
	if (!abandoned)
		eventfd_write(l->event_fd, 1);
	pthread_mutex_unlock(&lock);
	if (abandoned)
		forget(l);
}

static void *work(void *user)
{
	struct lister *l = user;

	l->error = vet_open(l->folders, &l->list, &l->folder);
	if (vet_take_over(&l->list, &l->older) && !l->error)
		l->error = -ENOMEM;
	over(l);
	return NULL;
}

/* ---- the loop's side ----------------------------------------------------------------------- */

static int on_over(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct lister *l = user;
	struct vet_list list;

	(void)source;
	(void)fd;
	(void)events;
	pthread_mutex_lock(&lock); /* the thread does not use `l` afterwards */
	pthread_mutex_unlock(&lock);
	list = l->list;
	l->list = (struct vet_list){ 0 };
	l->io = sd_event_source_disable_unref(l->io);
	l->done(l->user, l->error, &list, l->folder);
	forget(l);
	return 0;
}

static bool too_many_hang(void)
{
	bool too_many;

	pthread_mutex_lock(&lock);
	too_many = hanging >= LISTER_HANGING_MAX;
	pthread_mutex_unlock(&lock);
	return too_many;
}

static int prepare(struct lister *l, sd_event *event, const struct vet_list *older)
{
	int r = older ? vet_copy(older, &l->older) : 0;

	if (r)
		return r;
	l->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->event_fd < 0)
		return -errno;
	r = sd_event_add_io(event, &l->io, l->event_fd, EPOLLIN, on_over, l);
	return r < 0 ? r : signals_thread(NULL, work, l);
}

int lister_begin(struct lister **ret_lister, sd_event *event, const char *const *folders,
	const struct vet_list *older, lister_done_fn *done, void *user)
{
	struct lister *l;
	int r;

	if (too_many_hang())
		return -EBUSY;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	*l = (struct lister){
		.folders = folders, .done = done, .user = user, .event_fd = -1, .folder = ""
	};
	r = prepare(l, event, older);
	if (r) {
		l->io = sd_event_source_disable_unref(l->io);
		forget(l);
	} else {
		*ret_lister = l;
	}
	return r;
}

void lister_abandon(struct lister *l)
{
	bool is_over;

	if (!l)
		return;
	l->io = sd_event_source_disable_unref(l->io);
	pthread_mutex_lock(&lock);
	is_over = l->over;
	l->abandoned = true;
	hanging += !is_over;
	pthread_mutex_unlock(&lock);
	if (is_over)
		forget(l);
}
