/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node: see node.h. Everything a node stands on, opened in order and closed again. What cannot be opened
 * is said here, in words, and becomes the exit status.
 */
#include "inside.h"

#include "core/line.h"
#include "program/clock.h"
#include "words/service.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <sysexits.h>
#include <unistd.h>

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
	if (ret_found->words.text[0])
		log_warning("store", "%s", ret_found->words.text);
	n->incarnation = ret_found->image.incarnation + 1;
	return 0;
}

void node_net_config(struct node *n, struct net_config *ret_config)
{
	*ret_config = (struct net_config){
		.group = n->conf.group4,
		.port_first = n->conf.unicast_ports.first,
		.port_last = n->conf.unicast_ports.last,
		.patterns = n->patterns,
		.patterns_count = n->conf.interfaces.count,
		.demotion_us = n->conf.elect.yield_timeout_us,
	};
	for (unsigned i = 0; i < ret_config->patterns_count; i++)
		n->patterns[i] = n->conf.interfaces.names[i];
}

static const char *const kept_names[NET_KEPTS] = {
	[NET_KEPT_OWN] = "own",
	[NET_KEPT_GROUP] = "group",
	[NET_KEPT_HOMES] = "homes",
};

void node_net_keep(struct node *n)
{
	int fds[NET_KEPTS];

	net_kept(n->net, fds);
	for (unsigned i = 0; i < NET_KEPTS; i++)
		service_keep(kept_names[i], fds[i]);
}

void node_net_words(
	const struct net_config *c, int error, uint16_t taken, char *ret_words, size_t size)
{
	bool group = taken == c->group.port;
	struct elect_address wanted = { .port = taken };
	struct line line = line_begin(ret_words, size);
	char holder[NODE_HOLDER_MAX];

	if (error != -EADDRINUSE) {
		line_add(&line, "opening the sockets: %s", strerror(-error));
		return;
	}
	net_taken_words(group ? &c->group : &wanted, holder, sizeof(holder));
	if (!group)
		line_add(&line, "no UDP port of %u to %u is free: ", c->port_first, c->port_last);
	line_add(&line, "%s%u is taken by %s (`ss -lunp` as root shows all)",
		group ? "UDP port " : "", taken, holder);
}

static int open_net(struct node *n)
{
	struct net_handler handler = node_net_handler;
	struct net_config config;
	char words[LOG_LINE_MAX / 2];
	int kept[NET_KEPTS], r;
	uint16_t taken = 0;

	handler.user = n;
	node_net_config(n, &config);
	service_kept(kept_names, NET_KEPTS, kept);
	r = net_open(&n->net, n->base, &config, &handler, kept, &taken);
	if (!r)
		r = net_start(n->net);
	if (!r) {
		node_net_keep(n);
		return 0;
	}
	node_net_words(&config, r, taken, words, sizeof(words));
	log_error("net", "%s", words);
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
	if (r == -EADDRINUSE && !pid)
		log_error("ctl", "%s/%s belongs to another daemon that is starting",
			n->options.runtime_dir, CTL_SOCKET_NAME);
	else if (r == -EADDRINUSE)
		log_error("ctl", "%s/%s belongs to a running daemon, process %ld",
			n->options.runtime_dir, CTL_SOCKET_NAME, (long)pid);
	else
		log_error(
			"ctl", "%s/%s: %s", n->options.runtime_dir, CTL_SOCKET_NAME, strerror(-r));
	return fail(n, permission_or(r, EX_OSERR));
}

static int open_definition(struct node *n)
{
	int r = node_definition_open(&n->definition, n->options.runtime_dir);

	if (!r)
		return 0;
	log_error("node", "%s: %s", n->options.runtime_dir, strerror(-r));
	return fail(n, permission_or(r, EX_OSERR));
}

/*
 * What the node itself waits for comes before all else, and is little: after each other event it is
 * looked whether any of it is due. The sockets of the LAN stay behind it, or a flood would starve
 * the watchdog; they take turns with the clients, and are read before each of those besides.
 */
static struct event_base *new_base(void)
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

static int open_events(struct node *n)
{
	uint64_t watchdog_us = service_watchdog_us();
	struct timeval period = { (time_t)(watchdog_us / 1000000),
		(suseconds_t)(watchdog_us % 1000000) };
	bool good;

	n->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	n->timer = event_new(n->base, n->timer_fd, EV_READ | EV_PERSIST, node_on_timer, n);
	n->stored = event_new(n->base, store_fd(n->store), EV_READ | EV_PERSIST, node_on_stored, n);
	n->watchdog = event_new(n->base, -1, EV_PERSIST, node_on_watchdog, n);
	n->leave = evtimer_new(n->base, node_on_leave, n);
	good = n->timer_fd >= 0 && add_first(n->timer, NULL) && add_first(n->stored, NULL) &&
		n->watchdog && (!watchdog_us || add_first(n->watchdog, &period)) && n->leave &&
		!event_priority_set(n->leave, NODE_PRIORITY_FIRST) && open_signals(n);
	if (good)
		return 0;
	log_error("node", "events: %s", strerror(errno));
	return fail(n, EX_OSERR);
}

/* ---- starting ------------------------------------------------------------------------------ */

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
	uint64_t chance[3], now_us;

	if (getrandom(chance, sizeof(chance), 0) != (ssize_t)sizeof(chance)) {
		log_error("node", "no random numbers: %s", strerror(errno));
		return fail(n, EX_OSERR);
	}
	/* Nothing shows whether this host was here before and lost all of its folder: it begins
	   somewhere, and where it was before it is hardly again. */
	if (found->first)
		how.first = chance[2] % NODE_FIRST_MAX;
	how.seed = chance[0];
	how.session = chance[1] ? chance[1] : 1;
	lock_key(n);
	now_us = clock_boot_us();
	host_start(n->host, now_us, n->conf.domain, n->key_id, n->key_id ? secret : NULL, &how,
		&actions);
	explicit_bzero(secret, TRUST_KEY_SIZE);
	n->running = true;
	n->link_up = true; /* what the core takes for granted */
	node_names_learn(n->names, &how.config.id, how.config.name);
	node_finish(n, &actions);
	node_follow_paths(n);
	if (n->conf.definition_size)
		node_define(n, n->conf.definition, n->conf.definition_size);
	return 0;
}

int node_open(struct node *n, uint8_t secret[TRUST_KEY_SIZE])
{
	struct store_found found;

	n->host = calloc(1, host_size());
	n->names = calloc(1, sizeof(*n->names));
	n->history = calloc(1, sizeof(*n->history));
	n->hooks = calloc(1, sizeof(*n->hooks));
	n->base = new_base();
	if (!n->host || !n->names || !n->history || !n->hooks || !n->base) {
		log_error("node", "no memory");
		return fail(n, EX_OSERR);
	}
	/* The control socket first: who runs already is told before anything is written. */
	if (open_ctl(n) || open_definition(n) || open_store(n, &found) || open_net(n) ||
		open_events(n))
		return -1;
	return start(n, &found, secret);
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

void node_close(struct node *n)
{
	int r;

	ctl_close(n->ctl);
	node_definition_close(&n->definition);
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
	free(n->history);
	free(n->hooks);
}
