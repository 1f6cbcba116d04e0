/* SPDX-License-Identifier: Apache-2.0 */
/*
 * will: a host that coordinates others has a copy of its process, which reports its end to the LAN
 * (will.md). This file decides when the copy is made, made anew and ended; node/copy.c is
 * the copy itself. It never delays an election: it acts after the actions of a step.
 */
#include "inside.h"

#include "program/clock.h"
#include "program/kernel.h"

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- is the copy still right? ---------------------------------------------------------------- */

static bool same_path(const struct net_path *a, const struct net_path *b)
{
	return a->link == b->link && elect_address_equal(&a->address, &b->address) &&
		a->carrier == b->carrier;
}

static bool same_paths(const struct node *n)
{
	const struct node_will *w = &n->will;

	if (w->paths_count != net_paths_count(n->net))
		return false;
	for (unsigned i = 0; i < w->paths_count; i++)
		if (!same_path(&w->paths[i], net_path_at(n->net, i)))
			return false;
	return true;
}

static bool is_right(const struct node *n, const struct host_will *will)
{
	return n->will.copy >= 0 && host_will_same(&n->will.will, will) && same_paths(n) &&
		n->will.holders == ctl_holders_changed(n->ctl) &&
		n->will.sockets == net_sockets_changed(n->net);
}

/* ---- the copy -------------------------------------------------------------------------------- */

static void again_in(struct node *n, uint64_t us)
{
	struct timeval in = { (time_t)(us / 1000000), (suseconds_t)(us % 1000000) };

	if (!evtimer_pending(n->will.again, NULL))
		evtimer_add(n->will.again, &in);
}

static bool has_lived(const struct node_will *w)
{
	return clock_boot_us() - w->made_us >= NODE_WILL_AGAIN_US;
}

/* A copy that has ended leaves nothing, because SIGCHLD is ignored. */
static void end(struct node *n)
{
	struct node_will *w = &n->will;

	if (w->ended)
		event_free(w->ended);
	w->ended = NULL;
	if (w->copy < 0)
		return;
	kernel_signal(w->copy, w->pid, SIGKILL);
	close(w->copy);
	w->copy = -1;
	if (has_lived(w))
		w->failed = 0;
}

static void rest(struct node *n, uint64_t us)
{
	n->will.rests_until_us = clock_boot_us() + us;
	again_in(n, us);
}

/* Returns true at most once a minute. */
static bool may_tell(uint64_t *told_us)
{
	uint64_t now_us = clock_boot_us();

	if (*told_us && now_us - *told_us < NODE_WILL_TOLD_US)
		return false;
	*told_us = now_us;
	return true;
}

static void tell(struct node *n, const char *what, int error)
{
	if (!may_tell(&n->will.told_us))
		return;
	log_warning("node",
		"%s%s%s: until there is another one, other hosts notice a crash of this daemon "
		"only by its silence",
		what, error ? ": " : "", error ? strerror(error) : "");
}

static void node_on_copy_ended(int fd, short what, void *user)
{
	struct node *n = user;

	(void)fd;
	(void)what;
	n->will.failed++;
	end(n);
	if (n->will.failed < NODE_WILL_FAILED_MAX)
		tell(n, "the process electd-will has ended", 0);
	else if (n->will.failed == NODE_WILL_FAILED_MAX)
		log_warning("node",
			"the process electd-will has ended at once %d times in a row, perhaps "
			"because of a system call filter or a lack of memory: it is made again "
			"once a minute, and until it lives other hosts notice a crash of this "
			"daemon only by its silence",
			NODE_WILL_FAILED_MAX);
	rest(n, n->will.failed < NODE_WILL_FAILED_MAX ? NODE_WILL_AGAIN_US : NODE_WILL_REST_US);
}

/* Blocks signals before the fork: a signal that ends this process must not end the copy. */
static pid_t fork_blocked(struct node *n, const struct host_will *will)
{
	sigset_t all, before;
	pid_t pid;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		node_copy_run(n, will);
	error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return pid;
}

static void remember(struct node *n, const struct host_will *will)
{
	struct node_will *w = &n->will;

	w->will = *will;
	w->holders = ctl_holders_changed(n->ctl);
	w->sockets = net_sockets_changed(n->net);
	w->paths_count = net_paths_count(n->net);
	for (unsigned i = 0; i < w->paths_count; i++)
		w->paths[i] = *net_path_at(n->net, i);
}

/* Makes the next copy before it ends the former one. */
static void make(struct node *n, const struct host_will *will)
{
	pid_t pid = fork_blocked(n, will);
	int copy = pid > 0 ? kernel_pidfd_open(pid) : -errno;

	if (copy < 0) {
		tell(n, "the process electd-will cannot be made", -copy);
		if (pid > 0)
			kill(pid, SIGKILL);
		rest(n, NODE_WILL_AGAIN_US);
		return;
	}
	end(n);
	n->will.made_us = clock_boot_us();
	n->will.outdated_us = 0;
	n->will.copy = copy;
	n->will.pid = pid;
	remember(n, will);
	n->will.ended = event_new(n->base, copy, EV_READ, node_on_copy_ended, n);
	if (n->will.ended)
		event_add(n->will.ended, NULL);
}

/* ---- when ------------------------------------------------------------------------------------ */

static unsigned paths_with_carrier(const struct node *n)
{
	unsigned count = 0;

	for (unsigned i = 0; i < net_paths_count(n->net); i++)
		count += net_path_at(n->net, i)->carrier;
	return count;
}

/* When the outdated copy is made anew. */
static uint64_t due(const struct node_will *w)
{
	uint64_t paced_us = w->made_us ? w->made_us + NODE_WILL_PACE_US : 0;
	uint64_t calm_us = w->outdated_us + NODE_WILL_DELAY_US;

	return calm_us > paced_us ? calm_us : paced_us;
}

static void follow(struct node *n, bool at_once)
{
	struct node_will *w = &n->will;
	uint64_t now_us = clock_boot_us();
	struct host_will will;

	if (!n->running || w->self < 0)
		return;
	if (!host_will(n->host, now_us, paths_with_carrier(n), &will)) {
		w->outdated_us = 0;
		end(n);
		return;
	}
	if (is_right(n, &will)) {
		w->outdated_us = 0;
		return;
	}
	if (now_us < w->rests_until_us)
		return;
	if (!w->outdated_us)
		w->outdated_us = now_us;
	if (!at_once && now_us < due(w))
		again_in(n, due(w) - now_us);
	else
		make(n, &will);
}

void node_will_follow(struct node *n)
{
	follow(n, false);
}

void node_will_renew(struct node *n)
{
	follow(n, true);
}

/* The copy sends only after the end of this process. Its pidfd shows whether it runs. */
static const char *copy_now(const struct node *n)
{
	struct pollfd copy = { .fd = n->will.copy, .events = POLLIN };

	if (n->will.copy < 0)
		return "there is none now";
	return poll(&copy, 1, 0) > 0 ? "it has ended" : "it runs";
}

void node_will_forged(struct node *n)
{
	if (may_tell(&n->will.forged_us))
		log_warning("node",
			"the last will of this process is on the LAN, although it runs: another "
			"process has forged it (the own electd-will: %s), and other hosts may "
			"elect anew",
			copy_now(n));
}

void node_will_look(struct node *n)
{
	if (n->will.self >= 0)
		again_in(n, 0);
}

static void node_on_will_again(int fd, short what, void *user)
{
	(void)fd;
	(void)what;
	node_will_follow(user);
}

/* Without pidfds there is no copy, because it could not watch this process. */
void node_will_open(struct node *n)
{
	signal(SIGCHLD, SIG_IGN);
	n->will.again = evtimer_new(n->base, node_on_will_again, n);
	n->will.self = n->will.again ? kernel_pidfd_open(getpid()) : -ENOMEM;
	if (n->will.self < 0)
		log_warning("node",
			"no process electd-will is made, because it needs a pidfd (Linux 5.3): %s: "
			"other hosts notice a crash of this daemon only by its silence",
			strerror(-n->will.self));
}

void node_will_close(struct node *n)
{
	end(n);
	if (n->will.again)
		event_free(n->will.again);
	n->will.again = NULL;
	if (n->will.self >= 0)
		close(n->will.self);
	n->will.self = -1;
}
