/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node: see node.h. Opens the parts of a node in order, and closes them again. If a part cannot be
 * opened, the reason is logged here and determines the exit status.
 */
#include "inside.h"

#include "program/clock.h"
#include "program/guarded.h"
#include "program/status.h"
#include "program/timens.h"
#include "words/service.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

/* ---- opening --------------------------------------------------------------------------------- */

static int fail(struct node *n, int status)
{
	n->exit_status = status;
	return -1;
}

static int open_store(struct node *n, struct store_found *ret_found)
{
	struct store_error error;
	int r = store_open(&n->store, n->options.state_dir, &n->conf.elect.id, ret_found, &error);

	if (r) {
		log_error("store", "%s", error.text);
		return fail(n, status_for(STATUS_STATE, r));
	}
	if (ret_found->words.text[0])
		log_warning("store", "%s", ret_found->words.text);
	n->incarnation = ret_found->image.incarnation + 1;
	return 0;
}

static int open_net(struct node *n)
{
	int r = node_lan_open(n);

	return r ? fail(n, status_for(STATUS_OTHER, r)) : 0;
}

static int open_loop(struct node *n)
{
	return node_loop_open(n) ? fail(n, EX_OSERR) : 0;
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
	return fail(n, status_for(STATUS_OTHER, r));
}

static int open_definition(struct node *n)
{
	int r = node_definition_open(&n->definition, n->options.runtime_dir);

	if (!r)
		return 0;
	log_error("node", "%s: %s", n->options.runtime_dir, strerror(-r));
	return fail(n, status_for(STATUS_OTHER, r));
}

/* ---- starting ------------------------------------------------------------------------------ */

/*
 * Only root can look into the process. A crash dumps no core, because that would delay the end of
 * the process, and everything that waits for it.
 */
static void hide_memory(void)
{
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer looks for leaks from outside */
	prctl(PR_SET_DUMPABLE, 0);
#endif
}

static int start(struct node *n, const struct store_found *found)
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
	/* A host that lost its folder looks new: a random counter is hardly its former one. */
	if (found->first)
		how.first = chance[2] % NODE_FIRST_MAX;
	how.seed = chance[0];
	how.session = chance[1] ? chance[1] : 1;
	now_us = clock_boot_us();
	ring_make(n->ring, n->conf.mode, n->conf.domain, n->keys);
	host_keep_keys_at(n->host, n->ring);
	guarded_inherit(n->ring, sizeof(*n->ring));
	times_event(&n->times,
		&(struct elect_event){ .now_us = now_us, .type = ELECT_EVENT_START, .start = how });
	host_start(n->host, now_us, n->conf.domain, n->ring, &how, &actions);
	host_set_version(n->host, n->options.version);
	n->mode_since_us = now_us;
	n->time_namespace = timens_own();
	n->running = true;
	n->link_up = true; /* the core assumes it */
	node_names_learn(n->names, &how.config.id, how.config.name);
	node_finish(n, &actions);
	node_follow_paths(n);
	node_follow_addresses(n);
	if (n->conf.definition_size)
		node_define(n, n->conf.definition, n->conf.definition_size);
	return 0;
}

static int open_all(struct node *n)
{
	struct store_found found;

	n->host = calloc(1, host_size());
	n->ring = guarded_new(sizeof(*n->ring));
	n->names = calloc(1, sizeof(*n->names));
	n->history = calloc(1, sizeof(*n->history));
	n->hooks = calloc(1, sizeof(*n->hooks));
	n->base = node_loop_new();
	if (!n->host || !n->ring || !n->names || !n->history || !n->hooks || !n->base ||
		node_doctor_open(n)) {
		log_error("node", "no memory");
		return fail(n, EX_OSERR);
	}
	if (guarded_lock_error())
		log_notice("node", "the keys cannot be locked in memory: %s",
			strerror(guarded_lock_error()));
	/* The control socket first: a running daemon is reported before anything is written. */
	if (open_ctl(n) || open_definition(n) || open_store(n, &found) || open_net(n) ||
		open_loop(n))
		return -1;
	node_will_open(n);
	return start(n, &found);
}

static void close_all(struct node *n)
{
	int r;

	node_will_close(n);
	ctl_close(n->ctl);
	node_definition_close(&n->definition);
	net_close(n->net);
	r = store_close(n->store);
	if (r) {
		log_error("store", "the last state is not on the disk: %s", strerror(-r));
		if (!n->exit_status)
			n->exit_status = EX_IOERR;
	}
	node_loop_close(n);
	node_doctor_close(n);
	if (n->base)
		event_base_free(n->base);
	free(n->host);
	guarded_free(n->ring);
	free(n->names);
	free(n->history);
	free(n->hooks);
}

/* ---- running ----------------------------------------------------------------------------- */

static const char *trust_words(const struct node *n)
{
	if (!n->keys->count)
		return "not authenticated: no key file";
	return n->conf.mode == RING_AUTO || n->conf.mode == RING_ENFORCE
		? "authenticated"
		: "not authenticated: the change of its keys is not complete";
}

/*
 * systemd restarts electd a second after its end and logs several lines about each start, for as
 * long as the folder cannot be used; the pause makes that rare. Without a manager electd is not
 * restarted, so it ends at once. A signal ends the pause and the process.
 */
static void rest(void)
{
	const struct timespec pause = { .tv_sec = NODE_REST_S };

	if (!getenv("NOTIFY_SOCKET"))
		return;
	service_status("the state folder cannot be used: another start follows");
	nanosleep(&pause, NULL);
}

static void dispatch(struct node *n)
{
	service_ready();
	log_notice("node", "%s runs in domain %s, %s", n->conf.elect.name, n->conf.domain,
		trust_words(n));
	if (event_base_dispatch(n->base) < 0) {
		log_error("node", "the event loop failed");
		n->exit_status = EX_SOFTWARE;
	}
	node_tell_last_faults(n);
}

static void run(struct node *n)
{
	bool opened;

	signal(SIGPIPE, SIG_IGN);
	hide_memory();
	journal_open(&n->journal, JOURNAL_SOCKET, n->conf.domain);
	opened = !open_all(n);
	if (opened)
		dispatch(n);
	close_all(n);
	journal_close(&n->journal);
	if (!opened && n->exit_status == status_for(STATUS_STATE, 0))
		rest();
}

/* Most of a node is never used, and on the stack each page of it would be. */
int node_run(const struct node_options *options, const struct conf *conf, struct ring_file *keys)
{
	struct node *n = calloc(1, sizeof(*n));
	int status;

	if (!n) {
		log_error("node", "no memory");
		return EX_OSERR;
	}
	n->options = *options;
	n->conf = *conf;
	n->keys = keys;
	n->timer_fd = -1;
	n->will.self = n->will.copy = -1;
	n->definition.dir = -1;
	n->wake_us = n->armed_us = ELECT_NEVER;
	run(n);
	status = n->exit_status;
	free(n);
	return status;
}
