/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop: whatever wakes it, what is overdue goes first; so a host that was
 * stopped or suspended notices that before it believes a datagram that waited meanwhile.
 */
#include "inside.h"

#include "program/clock.h"
#include "words/service.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sysexits.h>
#include <unistd.h>

/* ---- time and steps ---------------------------------------------------------------------- */

static void arm(struct node *n)
{
	/* All zero would switch the timer off. */
	uint64_t at_us = n->wake_us ? n->wake_us : 1;
	struct itimerspec at = { 0 };

	if (n->armed_us == n->wake_us)
		return;
	n->armed_us = n->wake_us;
	if (n->wake_us != ELECT_NEVER) {
		at.it_value.tv_sec = (time_t)(at_us / 1000000);
		at.it_value.tv_nsec = (long)(at_us % 1000000 * 1000);
	}
	timerfd_settime(n->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

void node_finish(struct node *n, const struct elect_actions *actions)
{
	struct elect_event released = { .type = ELECT_EVENT_RELEASED };

	node_act(n, clock_boot_us(), actions);
	if (n->release_due) {
		released.released = n->release_due;
		n->release_due = 0;
		node_step(n, &released);
	}
	arm(n);
}

void node_step(struct node *n, struct elect_event *event)
{
	struct elect_actions actions;

	event->now_us = clock_boot_us();
	host_step(n->host, event, &actions);
	node_finish(n, &actions);
}

void node_catch_up(struct node *n)
{
	struct elect_event tick = { .type = ELECT_EVENT_TICK };

	n->discarded = false;
	if (clock_boot_us() >= n->wake_us)
		node_step(n, &tick);
}

/* ---- what wakes the loop --------------------------------------------------------------------- */

void node_on_timer(int fd, short what, void *user)
{
	struct node *n = user;
	uint64_t times, now_us;

	(void)what;
	if (read(fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
		log_debug("node", "timer: %s", strerror(errno));
	n->armed_us = ELECT_NEVER; /* it has rung and is off */
	now_us = clock_boot_us();
	metrics_lag(&n->metrics, now_us, now_us > n->wake_us ? now_us - n->wake_us : 0);
	node_catch_up(n);
	arm(n);
	node_tell_faults(n);
	node_tell_others(n);
	node_tell_disk(n);
}

static void node_before_datagrams(void *user)
{
	node_catch_up(user);
}

static void node_on_datagram(
	void *user, const struct elect_address *from, const uint8_t *bytes, size_t size)
{
	struct node *n = user;
	struct elect_actions actions;
	enum wire_verdict verdict;

	node_catch_up(n);
	if (n->discarded)
		return;
	verdict = host_receive(n->host, clock_boot_us(), from, bytes, size, &actions);
	if (verdict == WIRE_OK || verdict == WIRE_UNPROVEN)
		node_finish(n, &actions);
}

static bool path_told(const struct node *n, const struct net_path *path)
{
	for (unsigned i = 0; i < n->told_count; i++) {
		const struct net_path *t = &n->told[i];

		if (t->ifindex == path->ifindex && t->address.s_addr == path->address.s_addr &&
			t->carrier == path->carrier && t->deaf == path->deaf)
			return true;
	}
	return false;
}

static void tell_path(const struct net_path *path)
{
	const uint8_t *a = (const uint8_t *)&path->address;

	log_info("net", "uses %s, address %u.%u.%u.%u%s", path->name, a[0], a[1], a[2], a[3],
		path->carrier ? "" : ", no carrier");
	if (path->deaf)
		log_warning("net", "%s cannot join the multicast group: it hears no beacons",
			path->name);
}

/* What has changed since the last time: links may flap all day. */
static void tell_paths(struct node *n)
{
	unsigned count = net_paths_count(n->net);

	if (count)
		n->no_path_told = false;
	else if (!n->no_path_told)
		log_warning("net", "no network interface can be used: waiting for one");
	if (!count)
		n->no_path_told = true;
	for (unsigned i = 0; i < count; i++)
		if (!path_told(n, net_path_at(n->net, i)))
			tell_path(net_path_at(n->net, i));
	if (count == NET_PATHS_MAX && n->told_count < count)
		log_warning("net", "no more than %u interfaces are used: see network.interfaces",
			count);
	n->told_count = count;
	for (unsigned i = 0; i < count; i++)
		n->told[i] = *net_path_at(n->net, i);
}

/* The core is told when the first carrier comes or the last one goes. */
static void follow_carrier(struct node *n)
{
	struct elect_event link = { .type = ELECT_EVENT_LINK };

	if (n->link_up == net_up(n->net))
		return;
	node_catch_up(n);
	link.link_up = n->link_up = net_up(n->net);
	node_step(n, &link);
}

void node_follow_paths(struct node *n)
{
	struct host_link links[NET_PATHS_MAX];
	unsigned count = net_paths_count(n->net);

	for (unsigned i = 0; i < count; i++) {
		links[i].prefix = net_path_at(n->net, i)->prefix;
		net_path_source(n->net, net_path_at(n->net, i), &links[i].own);
	}
	host_set_links(n->host, links, count);
	follow_carrier(n);
}

static void node_on_paths(void *user)
{
	struct node *n = user;

	tell_paths(n);
	if (n->running)
		node_follow_paths(n);
}

void node_on_stored(int fd, short what, void *user)
{
	struct node *n = user;
	struct elect_event persisted = { .type = ELECT_EVENT_PERSISTED };
	struct store_result result;

	(void)fd;
	(void)what;
	if (!store_result(n->store, &result))
		return;
	metrics_state_write(&n->metrics, result.ok);
	node_tell_store(n, &result);
	if (result.asked)
		n->saving_us = 0;
	node_tell_disk(n);
	if (!result.asked && result.ok)
		return;

	node_catch_up(n);
	persisted.persisted = (struct elect_persisted){
		.ok = result.ok,
		.reserved = result.image.reserved,
		.floor = result.image.floor,
		.held = result.image.held,
	};
	node_step(n, &persisted);
}

void node_on_watchdog(int fd, short what, void *user)
{
	(void)fd;
	(void)what;
	(void)user;
	service_watchdog();
}

void node_on_leave(int fd, short what, void *user)
{
	struct node *n = user;

	(void)fd;
	(void)what;
	log_warning("node", "the election did not let go in time: leaving anyway");
	event_base_loopbreak(n->base);
}

static void begin_to_leave(struct node *n, int signal_number)
{
	struct elect_event stop = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_STOP },
	};
	uint64_t most_us = n->conf.elect.yield_timeout_us + NODE_LEAVE_MORE_US;
	struct timeval most = { (time_t)(most_us / 1000000), (suseconds_t)(most_us % 1000000) };

	if (n->leaving) {
		log_warning("node", "told to stop twice: leaving at once");
		event_base_loopbreak(n->base);
		return;
	}
	log_notice("node", "told to stop by SIG%s", sigabbrev_np(signal_number));
	n->leaving = true;
	service_stopping(most_us + NODE_CLOSE_US);
	evtimer_add(n->leave, &most);
	node_step(n, &stop);
}

void node_on_signal(int signal_number, short what, void *user)
{
	struct node *n = user;
	struct ctl_reload reload;

	(void)what;
	node_catch_up(n);
	if (signal_number == SIGHUP)
		node_reload(n, &reload);
	else
		begin_to_leave(n, signal_number);
}

const struct net_handler node_net_handler = {
	.before = node_before_datagrams,
	.datagram = node_on_datagram,
	.changed = node_on_paths,
};

/* ---- running ----------------------------------------------------------------------------- */

int node_run(const struct node_options *options, const struct conf *conf, uint8_t key_id,
	uint8_t secret[TRUST_KEY_SIZE])
{
	struct node n = {
		.options = *options,
		.conf = *conf,
		.key_id = key_id,
		.timer_fd = -1,
		.definition = { .dir = -1 },
		.wake_us = ELECT_NEVER,
		.armed_us = ELECT_NEVER,
	};

	signal(SIGPIPE, SIG_IGN);
	journal_open(&n.journal, JOURNAL_SOCKET, n.conf.domain);
	if (!node_open(&n, secret)) {
		service_ready();
		log_notice("node", "%s runs in domain %s, %s", n.conf.elect.name, n.conf.domain,
			n.key_id ? "authenticated" : "not authenticated: no key file");
		if (event_base_dispatch(n.base) < 0) {
			log_error("node", "the event loop failed");
			n.exit_status = EX_SOFTWARE;
		}
		node_tell_last_faults(&n);
	}
	node_close(&n);
	journal_close(&n.journal);
	return n.exit_status;
}
