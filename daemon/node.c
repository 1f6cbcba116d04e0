/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node: see node.h. The loop: whatever wakes it, what is overdue goes first; so a host that was
 * stopped or suspended notices that before it believes a datagram that waited meanwhile.
 */
#include "node_inside.h"

#include "service.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

/* ---- time and steps ---------------------------------------------------------------------- */

/* The clock that counts suspended time and never steps. */
uint64_t node_now(void)
{
	struct timespec now;
	int r = clock_gettime(CLOCK_BOOTTIME, &now);

	assert(r == 0);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void node_arm(struct node *n)
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

/* Acts on a step, and on what its actions answer. */
static void finish(struct node *n, const struct elect_actions *actions)
{
	struct elect_event released = { .type = ELECT_EVENT_RELEASED };

	node_act(n, node_now(), actions);
	if (n->release_due) {
		n->release_due = false;
		node_step(n, &released);
	}
	node_arm(n);
}

void node_step(struct node *n, struct elect_event *event)
{
	struct elect_actions actions;

	event->now_us = node_now();
	host_step(n->host, event, &actions);
	finish(n, &actions);
}

void node_catch_up(struct node *n)
{
	struct elect_event tick = { .type = ELECT_EVENT_TICK };

	n->discarded = false;
	if (node_now() >= n->wake_us)
		node_step(n, &tick);
}

/* ---- what wakes the loop --------------------------------------------------------------------- */

static void node_on_timer(evutil_socket_t fd, short what, void *user)
{
	struct node *n = user;
	uint64_t times;

	(void)what;
	if (read(fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
		log_debug("node", "timer: %s", strerror(errno));
	n->armed_us = ELECT_NEVER; /* it has rung and is off */
	node_catch_up(n);
	node_arm(n);
	node_tell_faults(n);
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

	node_catch_up(n);
	if (n->discarded)
		return;
	if (host_receive(n->host, node_now(), from, bytes, size, &actions) == WIRE_OK)
		finish(n, &actions);
}

static void tell_paths(struct node *n)
{
	unsigned count = net_paths_count(n->net);

	if (count)
		n->no_path_told = false;
	else if (!n->no_path_told)
		log_warning("net", "no network interface can be used: waiting for one");
	if (!count)
		n->no_path_told = true;
	for (unsigned i = 0; i < count; i++) {
		const struct net_path *path = net_path_at(n->net, i);
		const uint8_t *a = (const uint8_t *)&path->address;

		log_info("net", "uses %s, address %u.%u.%u.%u%s", path->name, a[0], a[1], a[2],
			a[3], path->carrier ? "" : ", no carrier");
	}
}

static void follow_carrier(struct node *n)
{
	struct elect_event link = { .type = ELECT_EVENT_LINK };

	if (!n->running || n->link_up == net_up(n->net))
		return;
	node_catch_up(n);
	link.link_up = n->link_up = net_up(n->net);
	node_step(n, &link);
}

static void node_on_paths(void *user)
{
	tell_paths(user);
	follow_carrier(user);
}

static void node_on_stored(evutil_socket_t fd, short what, void *user)
{
	struct node *n = user;
	struct elect_event persisted = { .type = ELECT_EVENT_PERSISTED };
	struct store_result result;

	(void)fd;
	(void)what;
	if (!store_result(n->store, &result))
		return;
	if (!result.ok && !n->store_failed)
		log_error("store", "%s the state file in %s: %s", result.doing,
			n->options.state_dir, strerror(-result.error));
	else if (result.ok && n->store_failed)
		log_notice("store", "the state file is written again");
	n->store_failed = !result.ok;

	node_catch_up(n);
	persisted.persisted = (struct elect_persisted){
		.ok = result.ok,
		.reserved = result.image.reserved,
		.floor = result.image.floor,
		.held = result.image.held,
	};
	node_step(n, &persisted);
}

static void node_on_watchdog(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	(void)user;
	service_watchdog();
}

static void node_on_leave(evutil_socket_t fd, short what, void *user)
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
	service_stopping();
	evtimer_add(n->leave, &most);
	node_step(n, &stop);
}

static void node_on_signal(evutil_socket_t signal_number, short what, void *user)
{
	struct node *n = user;

	(void)what;
	node_catch_up(n);
	if (signal_number == SIGHUP)
		node_reload(n);
	else
		begin_to_leave(n, signal_number);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int fail(struct node *n, int status)
{
	n->exit_status = status;
	return -1;
}

static int permission_or(int error, int status)
{
	return error == -EACCES || error == -EPERM || error == -EROFS ? EX_NOPERM : status;
}

static int open_store(struct node *n, struct store_found *ret_found)
{
	struct store_error error;
	int r = store_open(&n->store, n->options.state_dir, &n->conf.elect.id, ret_found, &error);

	if (r) {
		log_error("store", "%s", error.text);
		return fail(n, permission_or(r, EX_IOERR));
	}
	if (ret_found->lost || ret_found->slot_bad)
		log_warning("store", "%s", ret_found->words.text);
	n->incarnation = ret_found->image.incarnation + 1;
	return 0;
}

static int open_net(struct node *n)
{
	const struct net_handler handler = {
		.before = node_before_datagrams,
		.datagram = node_on_datagram,
		.changed = node_on_paths,
		.user = n,
	};
	struct net_config config = {
		.group = n->conf.group4,
		.port_first = n->conf.unicast_ports.first,
		.port_last = n->conf.unicast_ports.last,
		.patterns = n->patterns,
		.patterns_count = n->conf.interfaces.count,
	};
	int r;

	for (unsigned i = 0; i < config.patterns_count; i++)
		n->patterns[i] = n->conf.interfaces.names[i];
	r = net_open(&n->net, n->base, &config, &handler);
	if (!r)
		r = net_start(n->net);
	if (!r)
		return 0;
	if (r == -EADDRINUSE)
		log_error(
			"net", "no port of %u to %u is free", config.port_first, config.port_last);
	else
		log_error("net", "opening the sockets: %s", strerror(-r));
	return fail(n, permission_or(r, EX_OSERR));
}

static int open_ctl(struct node *n)
{
	struct ctl_source source = node_ctl_source;
	pid_t pid;
	int r;

	source.user = n;
	r = ctl_open(&n->ctl, n->base, n->options.runtime_dir, &source, &pid);
	if (!r)
		return 0;
	if (r == -EADDRINUSE)
		log_error("ctl", "%s/%s belongs to a running daemon, process %ld",
			n->options.runtime_dir, CTL_SOCKET_NAME, (long)pid);
	else
		log_error(
			"ctl", "%s/%s: %s", n->options.runtime_dir, CTL_SOCKET_NAME, strerror(-r));
	return fail(n, permission_or(r, EX_OSERR));
}

static int open_events(struct node *n)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	uint64_t watchdog_us = service_watchdog_us();
	struct timeval period = { (time_t)(watchdog_us / 1000000),
		(suseconds_t)(watchdog_us % 1000000) };
	bool good;

	n->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	n->timer = event_new(n->base, n->timer_fd, EV_READ | EV_PERSIST, node_on_timer, n);
	n->stored = event_new(n->base, store_fd(n->store), EV_READ | EV_PERSIST, node_on_stored, n);
	n->watchdog = event_new(n->base, -1, EV_PERSIST, node_on_watchdog, n);
	n->leave = evtimer_new(n->base, node_on_leave, n);
	good = n->timer_fd >= 0 && n->timer && n->stored && n->watchdog && n->leave &&
		!event_add(n->timer, NULL) && !event_add(n->stored, NULL) &&
		(!watchdog_us || !event_add(n->watchdog, &period));
	for (unsigned i = 0; good && i < sizeof(signals) / sizeof(signals[0]); i++) {
		n->signals[i] = evsignal_new(n->base, signals[i], node_on_signal, n);
		good = n->signals[i] && !event_add(n->signals[i], NULL);
	}
	if (good)
		return 0;
	log_error("node", "events: %s", strerror(errno));
	return fail(n, EX_OSERR);
}

/* ---- running ----------------------------------------------------------------------------- */

/* The page of the working key: not swapped, not dumped, as far as limits allow. */
static void lock_key(struct node *n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t key = (uintptr_t)host_trust(n->host)->key, first = key / page * page;
	size_t size = key + TRUST_KEY_SIZE - first;

	if (mlock((void *)first, size) < 0)
		log_notice("node", "the key cannot be locked in memory: %s", strerror(errno));
	madvise((void *)first, size, MADV_DONTDUMP);
}

static int start(struct node *n, const struct store_found *found, uint8_t *secret)
{
	struct elect_start how = {
		.config = n->conf.elect,
		.incarnation = n->incarnation,
		.reserved = found->image.reserved,
		.floor = found->image.floor,
		.held = found->image.held,
		.state_lost = found->lost,
	};
	struct elect_actions actions;
	uint64_t chance[2], now_us;

	if (getrandom(chance, sizeof(chance), 0) != (ssize_t)sizeof(chance)) {
		log_error("node", "no random numbers: %s", strerror(errno));
		return fail(n, EX_OSERR);
	}
	how.seed = chance[0];
	how.session = chance[1] ? chance[1] : 1;
	lock_key(n);
	now_us = node_now();
	host_start(n->host, now_us, n->conf.domain, n->key_id, n->key_id ? secret : NULL, &how,
		&actions);
	explicit_bzero(secret, TRUST_KEY_SIZE);
	n->running = true;
	n->link_up = true; /* what the core takes for granted */
	node_names_learn(n->names, &how.config.id, how.config.name);
	finish(n, &actions);
	follow_carrier(n);
	return 0;
}

static int open_all(struct node *n, uint8_t *secret)
{
	struct store_found found;

	n->host = calloc(1, host_size());
	n->names = calloc(1, sizeof(*n->names));
	n->base = event_base_new();
	if (!n->host || !n->names || !n->base) {
		log_error("node", "no memory");
		return fail(n, EX_OSERR);
	}
	/* The control socket first: who runs already is told before anything is written. */
	if (open_ctl(n) || open_store(n, &found) || open_net(n) || open_events(n))
		return -1;
	return start(n, &found, secret);
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

static void close_all(struct node *n)
{
	int r;

	ctl_close(n->ctl);
	net_close(n->net);
	r = store_close(n->store);
	if (r) {
		log_error("store", "the last state is not on the disk: %s", strerror(-r));
		if (!n->exit_status)
			n->exit_status = EX_IOERR;
	}
	free_event(n->timer);
	free_event(n->stored);
	free_event(n->watchdog);
	free_event(n->leave);
	for (size_t i = 0; i < sizeof(n->signals) / sizeof(n->signals[0]); i++)
		free_event(n->signals[i]);
	if (n->timer_fd >= 0)
		close(n->timer_fd);
	if (n->base)
		event_base_free(n->base);
	if (n->host)
		explicit_bzero(host_trust(n->host)->key, TRUST_KEY_SIZE);
	free(n->host);
	free(n->names);
}

int node_run(const struct node_options *options, const struct conf *conf, uint8_t key_id,
	uint8_t secret[TRUST_KEY_SIZE])
{
	struct node n = {
		.options = *options,
		.conf = *conf,
		.key_id = key_id,
		.timer_fd = -1,
		.wake_us = ELECT_NEVER,
		.armed_us = ELECT_NEVER,
	};

	signal(SIGPIPE, SIG_IGN);
	if (!open_all(&n, secret)) {
		service_ready();
		log_notice("node", "%s runs in domain %s, %s", n.conf.elect.name, n.conf.domain,
			n.key_id ? "authenticated" : "not authenticated: no key file");
		if (event_base_dispatch(n.base) < 0) {
			log_error("node", "the event loop failed");
			n.exit_status = EX_SOFTWARE;
		}
	}
	close_all(&n);
	return n.exit_status;
}
