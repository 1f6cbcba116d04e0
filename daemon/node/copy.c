/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy: the copy of a coordinator's process, "electd-will", which waits for the end of that process
 * and then reports it to the LAN (will.md). It has the socket of the LAN, the process to
 * watch, the ends of the holders' connections and stderr for the trace of a crash of its own, and
 * nothing else: no key, no file, no lock. All messages that it can send were sealed when it was
 * made. It needs no memory of the process that is gone, no manager and no disk.
 */
#include "inside.h"

#include "program/clock.h"
#include "program/crash.h"
#include "program/guarded.h"
#include "program/kernel.h"
#include "program/title.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	WORD_SIZE_MAX = 192,
	OOM_SCORE_MORE = 100, /* the OOM killer takes the copy before its parent */
	OOM_SCORE_MAX = 1000,
};

/* One message on one path. */
struct word {
	unsigned path, size;
	uint8_t bytes[WORD_SIZE_MAX];
};

struct copy {
	struct node *n;
	const struct host_will *will;
	struct word *words;
	unsigned words_count, paths_count; /* words: each message in turn, once a path */
	unsigned ways_count;		   /* receivers besides the group: n->to_all */
	struct pollfd holders[CTL_PLACES];
	unsigned holders_count;
	uint64_t gone_us;
};

/* ---- the start ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * Kept descriptors stay where they are, and those between them are closed: clients wait for the end
 * of their connections, and the next electd for the lock of the state.
 */
static void close_others(struct copy *c)
{
	int kept[CTL_PLACES + 4], fds[NET_KEPTS], from = 0;
	unsigned count = ctl_holder_fds(c->n->ctl, kept);

	c->holders_count = count;
	for (unsigned i = 0; i < count; i++)
		c->holders[i] = (struct pollfd){ .fd = kept[i] };
	net_kept(c->n->net, fds);
	kept[count++] = fds[NET_KEPT_OWN];
	kept[count++] = fds[NET_KEPT_OWN6]; /* negative: none */
	kept[count++] = c->n->will.self;
	kept[count++] = STDERR_FILENO;
	qsort(kept, count, sizeof(kept[0]), compare);
	for (unsigned i = 0; i < count; i++) {
		if (kept[i] > from)
			kernel_close_range((unsigned)from, (unsigned)kept[i] - 1);
		from = kept[i] + 1;
	}
	kernel_close_range((unsigned)from, ~0U);
}

static void seal_word(struct copy *c, unsigned number)
{
	static struct host_datagram d;
	struct elect_address source;

	host_will_compose(c->n->host, c->will, number, &d);
	for (unsigned i = 0; i < net_paths_count(c->n->net); i++) {
		const struct net_path *path = net_path_at(c->n->net, i);
		struct word *w = &c->words[c->words_count];

		if (!path->carrier || d.size > WORD_SIZE_MAX)
			continue;
		net_path_source(c->n->net, path, &source);
		host_seal(c->n->host, &source, &d);
		w->path = i;
		w->size = (unsigned)d.size;
		memcpy(w->bytes, d.bytes, d.size);
		c->words_count++;
	}
}

static void seal(struct copy *c)
{
	unsigned count = c->will->crashing + HOST_WILL_REPEATS;

	c->words = calloc((size_t)count * NET_PATHS_MAX, sizeof(*c->words));
	if (!c->words)
		_exit(1);
	for (unsigned i = 0; i < count; i++)
		seal_word(c, i);
	c->paths_count = c->words_count / count;
	c->ways_count = host_to_all(c->n->host, clock_boot_us(), c->n->to_all);
	guarded_free(c->n->ring);
}

/* Only a dumpable process owns its files in /proc; by now the keys of this one are wiped. */
static void offer_to_the_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC), score;
	char text[16] = "";

	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0) {
		score = atoi(text) + OOM_SCORE_MORE;
		snprintf(text, sizeof(text), "%d", score < OOM_SCORE_MAX ? score : OOM_SCORE_MAX);
		if (pwrite(fd, text, strlen(text), 0) < 0)
			text[0] = '\0'; /* then it has the score of its parent */
	}
	close(fd);
}

static void take_place(void)
{
	title_set("electd-will");
	prctl(PR_SET_DUMPABLE, 1);
	offer_to_the_oom_killer();
	prctl(PR_SET_DUMPABLE, 0);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void wait_for_the_end(const struct copy *c)
{
	struct pollfd process = { .fd = c->n->will.self, .events = POLLIN };

	while (!(process.revents & POLLIN))
		ppoll(&process, 1, NULL, NULL);
}

/* ---- after the end --------------------------------------------------------------------------- */

static void say_by(const struct copy *c, const struct word *w)
{
	const struct net_path *path = net_path_at(c->n->net, w->path);

	if (node_multicasts(c->n))
		net_send(c->n->net, path, NULL, w->bytes, w->size);
	for (unsigned i = 0; i < c->ways_count; i++)
		if (net_path_for(c->n->net, &c->n->to_all[i]) == path)
			net_send(c->n->net, path, &c->n->to_all[i].address, w->bytes, w->size);
}

static void say(const struct copy *c, unsigned number)
{
	for (unsigned i = 0; i < c->paths_count; i++)
		say_by(c, &c->words[number * c->paths_count + i]);
}

/* A holder reads the end of its connection, and lets go by closing its own side. */
static void end_holding(struct copy *c)
{
	for (unsigned i = 0; i < c->holders_count; i++)
		shutdown(c->holders[i].fd, SHUT_WR);
}

static void sleep_until(struct copy *c, uint64_t at_us)
{
	uint64_t now_us = clock_boot_us(), us = at_us > now_us ? at_us - now_us : 0;
	struct timespec time = { (time_t)(us / 1000000), (long)(us % 1000000 * 1000) };

	ppoll(c->holders, c->holders_count, &time, NULL);
}

/* Removes the holders that have let go. Returns whether any is left. */
static bool held(struct copy *c)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < c->holders_count; i++)
		if (!(c->holders[i].revents & (POLLHUP | POLLERR | POLLNVAL)))
			c->holders[kept++] = c->holders[i];
	c->holders_count = kept;
	return kept > 0;
}

static void say_crashing(struct copy *c)
{
	uint64_t until_us = c->gone_us + c->will->most_us, now_us = c->gone_us;
	uint64_t next_us = now_us;

	for (unsigned said = 0; held(c) && now_us < until_us; now_us = clock_boot_us()) {
		if (now_us >= next_us && said == c->will->crashing)
			return;
		if (now_us >= next_us) {
			say(c, said++);
			next_us += c->will->every_us;
		}
		sleep_until(c, next_us < until_us ? next_us : until_us);
	}
}

static void say_crash(struct copy *c)
{
	c->holders_count = 0;
	for (unsigned i = 0; i < HOST_WILL_REPEATS; i++) {
		say(c, c->will->crashing + i);
		if (i + 1 < HOST_WILL_REPEATS)
			sleep_until(c, clock_boot_us() + HOST_WILL_REPEAT_US);
	}
}

void node_copy_run(struct node *n, const struct host_will *will)
{
	static struct copy c;

	crash_watch_copy("electd-will");
	c.n = n;
	c.will = will;
	close_others(&c);
	seal(&c);
	take_place();
	wait_for_the_end(&c);
	c.gone_us = clock_boot_us();
	end_holding(&c);
	say_crashing(&c);
	say_crash(&c);
	_exit(0);
}
