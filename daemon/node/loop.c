/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop: whatever wakes the loop, the overdue step comes first, so that a host that was stopped or
 * suspended notices that before it believes a datagram that waited meanwhile.
 */
#include "inside.h"

#include "program/clock.h"
#include "program/manager.h"
#include "words/service.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* ---- events ---------------------------------------------------------------------------------- */

static void node_on_timer(int fd, short what, void *user)
{
	struct node *n = user;
	uint64_t times, now_us;

	(void)what;
	if (read(fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
		log_debug("node", "timer: %s", strerror(errno));
	n->armed_us = ELECT_NEVER; /* the timer has fired and is off */
	now_us = clock_boot_us();
	metrics_lag(&n->metrics, now_us, now_us > n->wake_us ? now_us - n->wake_us : 0);
	node_catch_up(n);
	node_arm(n);
	node_tell_faults(n);
	node_report_other_keys(n);
	node_tell_disk(n);
	node_follow_host_name(n);
}

static void node_on_stored(int fd, short what, void *user)
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

static void node_on_watchdog(int fd, short what, void *user)
{
	(void)fd;
	(void)what;
	(void)user;
	service_watchdog();
}

static void node_on_notify(int fd, short what, void *user)
{
	(void)fd;
	(void)what;
	(void)user;
	manager_send_again();
}

static void node_on_notify_pending(void *user)
{
	const struct timeval in = { 0, MANAGER_AGAIN_US };
	struct node *n = user;

	evtimer_add(n->notify, &in);
}

void node_await_hookd(struct node *n)
{
	uint64_t left_us = node_unhooked_left_us(
		&n->unhooked, clock_boot_us(), n->conf.elect.yield_timeout_us);
	struct timeval left = { (time_t)(left_us / 1000000), (suseconds_t)(left_us % 1000000) };

	if (left_us)
		evtimer_add(n->unhooked_late, &left);
}

/* libevent's clock is coarse, so the timer of a busy loop may fire milliseconds early. */
static void node_on_unhooked(int fd, short what, void *user)
{
	(void)fd;
	(void)what;
	node_catch_up(user);
	node_tell_unhooked(user);
	node_await_hookd(user);
}

static void node_on_address_late(int fd, short what, void *user)
{
	struct node *n = user;

	(void)fd;
	(void)what;
	node_catch_up(user);
	if (n->addresses.holder[0] && !ctl_reports_addresses(n->ctl, n->addresses.holder))
		node_forget_addresses(n);
	else
		node_tell_addresses(n, false);
}

static void node_on_leave(int fd, short what, void *user)
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

static void node_on_signal(int signal_number, short what, void *user)
{
	struct node *n = user;
	const struct ctl_reload_wish wish = { 0 };
	struct ctl_reload reload;

	(void)what;
	node_catch_up(n);
	if (signal_number == SIGHUP)
		node_reload(n, &wish, &reload);
	else
		begin_to_leave(n, signal_number);
}

/* ---- opening and closing --------------------------------------------------------------------- */

/*
 * The node's own events come before all others, and are few: after each other event the loop checks
 * whether one of them is due. The sockets of the LAN have the lower priority, or a flood would
 * starve the watchdog; they take turns with the clients, and are also read before each client.
 */
struct event_base *node_loop_new(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base = NULL;

	if (config && !event_config_set_max_dispatch_interval(config, NULL, 1, NODE_PRIORITY_REST))
		base = event_base_new_with_config(config);
	if (config)
		event_config_free(config);
	if (base && event_base_priority_init(base, NODE_PRIORITIES)) {
		event_base_free(base);
		return NULL;
	}
	return base;
}

/* `timeout` NULL: none. */
static bool add_first(struct event *event, const struct timeval *timeout)
{
	return event && !event_priority_set(event, NODE_PRIORITY_FIRST) &&
		!event_add(event, timeout);
}

static bool open_signals(struct node *n)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	bool good = true;

	for (unsigned i = 0; good && i < sizeof(signals) / sizeof(signals[0]); i++) {
		n->signals[i] = evsignal_new(n->base, signals[i], node_on_signal, n);
		good = add_first(n->signals[i], NULL);
	}
	return good;
}

static struct event *first_timer(struct node *n, event_callback_fn callback)
{
	struct event *timer = evtimer_new(n->base, callback, n);

	if (timer)
		event_priority_set(timer, NODE_PRIORITY_FIRST);
	return timer;
}

static bool open_timers(struct node *n)
{
	n->leave = first_timer(n, node_on_leave);
	n->notify = first_timer(n, node_on_notify);
	n->unhooked_late = evtimer_new(n->base, node_on_unhooked, n);
	n->address_late = evtimer_new(n->base, node_on_address_late, n);
	n->named_peers_again = evtimer_new(n->base, node_on_named_peers_again, n);
	return n->leave && n->notify && n->unhooked_late && n->address_late && n->named_peers_again;
}

int node_loop_open(struct node *n)
{
	uint64_t watchdog_us = service_watchdog_us();
	struct timeval period = { (time_t)(watchdog_us / 1000000),
		(suseconds_t)(watchdog_us % 1000000) };
	bool good;

	n->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	n->timer = event_new(n->base, n->timer_fd, EV_READ | EV_PERSIST, node_on_timer, n);
	n->stored = event_new(n->base, store_fd(n->store), EV_READ | EV_PERSIST, node_on_stored, n);
	n->watchdog = event_new(n->base, -1, EV_PERSIST, node_on_watchdog, n);
	good = n->timer_fd >= 0 && add_first(n->timer, NULL) && add_first(n->stored, NULL) &&
		n->watchdog && (!watchdog_us || add_first(n->watchdog, &period)) &&
		open_timers(n) && open_signals(n);
	if (good) {
		manager_when_pending(node_on_notify_pending, n);
		return 0;
	}
	log_error("node", "events: %s", strerror(errno));
	return -1;
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

void node_loop_close(struct node *n)
{
	manager_when_pending(NULL, NULL);
	free_event(n->notify);
	free_event(n->timer);
	free_event(n->stored);
	free_event(n->watchdog);
	free_event(n->leave);
	free_event(n->unhooked_late);
	free_event(n->address_late);
	free_event(n->named_peers_again);
	for (size_t i = 0; i < sizeof(n->signals) / sizeof(n->signals[0]); i++)
		free_event(n->signals[i]);
	if (n->timer_fd >= 0)
		close(n->timer_fd);
}
