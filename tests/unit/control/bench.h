/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench: a ctl in a folder of its own, whose source is a few variables, and clients of it. run()
 * runs the loop only while there is work, so nothing waits; time passes only in pass_ms().
 */
#ifndef ELECTD_TEST_CONTROL_BENCH_H
#define ELECTD_TEST_CONTROL_BENCH_H

#include "control/call.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define UNUSED __attribute__((unused))

#define SUBSCRIBE "{\"method\":\"io.electd.Subscribe\",\"more\":true}"
#define STATUS	  "{\"method\":\"io.electd.GetStatus\"}"

static char dir[] = "/tmp/electd-test-ctl-XXXXXX";
static char path[64];
static struct event_base *base;
static struct ctl *ctl;
static struct elect_config config;
static unsigned members_count, released_count;
static uint64_t until_us;
static uint64_t released_number;
static struct elect_view view;
static void (*overdue)(void);

static const struct elect_keys keys = { .count = 1 };
static struct addresses addresses_table;

static uint64_t time_us = 1000000000;

/* Replaces the C library's clock, also for libevent. */
int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	(void)clock;
	ret_time->tv_sec = (time_t)(time_us / 1000000);
	ret_time->tv_nsec = (long)(time_us % 1000000 * 1000);
	return 0;
}

int gettimeofday(struct timeval *restrict ret_time, void *restrict zone)
{
	(void)zone;
	ret_time->tv_sec = (time_t)(time_us / 1000000);
	ret_time->tv_usec = (suseconds_t)(time_us % 1000000);
	return 0;
}

static void facts(void *user, struct ctl_facts *ret_facts)
{
	(void)user;
	*ret_facts = (struct ctl_facts){
		.now_us = time_us,
		.domain = "test",
		.version = "0",
		.auth_mode = "auto",
		.keys = &keys,
		.config = &config,
		.view = view,
		.members_count = members_count,
		.addresses = &addresses_table,
		.hooks_timeout_ms = 10000,
		.hooks_on_failure = "ignore",
		.until_us = until_us,
		.ending_us = 45999,
		.time_namespace = 4026531834,
		.holding = "",
	};
	if (ctl)
		ctl_ranks(ctl, &ret_facts->ranks);
	ret_facts->beginning = "those";
}

static void member(void *user, unsigned rank, struct elect_member_info *ret_info)
{
	(void)user;
	*ret_info = (struct elect_member_info){ .rank = rank, .member.name = "member" };
}

static const char *name(void *user, const struct elect_id *id)
{
	(void)user;
	(void)id;
	return "name";
}

static const char *why(void *user, const struct elect_view *v)
{
	(void)user;
	(void)v;
	return "because";
}

/* A test may set `overdue` to what the core does late. */
static void before(void *user)
{
	(void)user;
	if (overdue)
		overdue();
}

static unsigned holders_came_count, holders_gone_count;

static void holders_changed(void *user, bool came)
{
	(void)user;
	*(came ? &holders_came_count : &holders_gone_count) += 1;
}

static void released(void *user, uint64_t number)
{
	(void)user;
	released_number = number;
	released_count++;
}

static struct hooks hooks_table;
static unsigned renewed_count;

static const struct hooks *hooks(void *user)
{
	(void)user;
	return &hooks_table;
}

static void hook_report(void *user, const struct hooks_report *report)
{
	bool changed;

	(void)user;
	hooks_take(&hooks_table, report, &changed);
}

static void addresses(void *user, const char *holder, const struct addresses *report)
{
	(void)user;
	(void)holder;
	addresses_take(&addresses_table, report);
}

static uint64_t promoted_token;

static void promoted(void *user, uint64_t token)
{
	(void)user;
	promoted_token = token;
}

/* As the node does: the published state changes with the reports. */
static void hooks_renewed(void *user)
{
	(void)user;
	renewed_count++;
	ctl_publish(ctl, "state", &view);
}

static unsigned ranked_count;

static void ranked(void *user)
{
	(void)user;
	ranked_count++;
	ctl_publish(ctl, "state", &view);
}

static const struct ctl_source source = {
	.before = before,
	.facts = facts,
	.member = member,
	.name = name,
	.why = why,
	.hooks = hooks,
	.promoted = promoted,
	.hook_report = hook_report,
	.addresses = addresses,
	.hooks_renew = hooks_renewed,
	.holders = holders_changed,
	.released = released,
	.ranked = ranked,
};

UNUSED static int setup(void **state)
{
	pid_t pid;

	(void)state;
	members_count = released_count = 0;
	holders_came_count = holders_gone_count = ranked_count = 0;
	released_number = 0;
	view = (struct elect_view){ 0 };
	overdue = NULL;
	config.timings.beacon_us = 60000000;
	base = event_base_new();
	return base ? ctl_open(&ctl, base, dir, &source, &pid) : -1;
}

UNUSED static int teardown(void **state)
{
	(void)state;
	ctl_close(ctl);
	event_base_free(base);
	return 0;
}

/* Runs the loop at most `turns` times. */
static void run(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

UNUSED static void pass_ms(uint64_t ms)
{
	time_us += ms * 1000;
	run(4);
}

UNUSED static int visit(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(address.sun_path, path);
	assert_true(fd >= 0);
	for (unsigned i = 0; i < 100; i++) {
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0) {
			run(2);
			return fd;
		}
		assert_int_equal(errno, EAGAIN); /* the backlog is full */
		run(2);
	}
	fail();
	return -1;
}

UNUSED static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text) + 1, MSG_NOSIGNAL), strlen(text) + 1);
	run(4);
}

/* Returns the next object that arrived, or "closed", or "nothing". */
UNUSED static const char *heard(int fd)
{
	static char text[8192];
	ssize_t size = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_PEEK);

	if (size < 0)
		return errno == EAGAIN ? "nothing" : "closed";
	if (size == 0)
		return "closed";
	text[size] = '\0';
	recv(fd, text, strlen(text) + 1, MSG_DONTWAIT);
	return text;
}

UNUSED static void assert_begins(const char *text, const char *beginning)
{
	if (strncmp(text, beginning, strlen(beginning)) != 0)
		fail_msg("%s\ndoes not begin with\n%s", text, beginning);
}

UNUSED static int group_setup(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN); /* as the node does */
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/%s", dir, CTL_SOCKET_NAME);
	return chmod(dir, 0755); /* clients with other uids connect too */
}

UNUSED static int group_teardown(void **state)
{
	char lock[200];

	(void)state;
	snprintf(lock, sizeof(lock), "%s/" CTL_LOCK_NAME, dir);
	unlink(lock);
	return rmdir(dir); /* fails if a socket was left behind */
}

/* Reads everything that arrived and returns the last object. The loop has run. */
UNUSED static const char *last_heard(int fd)
{
	static char last[8192];
	const char *text;

	last[0] = '\0';
	while (strcmp(text = heard(fd), "nothing") && strcmp(text, "closed"))
		snprintf(last, sizeof(last), "%s", text);
	return last;
}

/* ---- holders ----------------------------------------------------------------------------- */

struct holder {
	int fd;
	char name[CTL_HOLDER_SIZE];
};

/* Only an admin may hold, so tests with a holder are skipped without root. */
UNUSED static struct holder holder_of(const char *called, const char *rank)
{
	const char *answer, *at;
	struct holder h;
	char text[200];

	if (geteuid() != 0)
		skip();
	snprintf(text, sizeof(text),
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
		"\"name\":\"%s\",\"rank\":\"%s\"},\"more\":true}",
		called, rank);
	h.fd = visit();
	say(h.fd, text);
	answer = heard(h.fd);
	at = strstr(answer, "\"holder\":\"");
	if (!at)
		fail_msg("no holder in %s", answer);
	snprintf(h.name, sizeof(h.name), "%s", at + 10);
	return h;
}

/* Sends a request on a connection of its own, and returns the answer. */
UNUSED static const char *asked(const char *text)
{
	const char *answer;
	int fd = visit();

	say(fd, text);
	answer = heard(fd);
	close(fd);
	run(2);
	return answer;
}

UNUSED static const char *release_with(const char *holder, unsigned sequence)
{
	char text[200];

	snprintf(text, sizeof(text),
		"{\"method\":\"io.electd.Release\",\"parameters\":{\"holder\":\"%s\",\"seq\":%u}}",
		holder, sequence);
	return asked(text);
}

UNUSED static void lets_go(const struct holder *h)
{
	assert_begins(release_with(h->name, 5), "{\"parameters\":{}");
}

/* There is a minute for it. */
UNUSED static bool release(uint64_t number, enum elect_purpose purpose)
{
	return ctl_release(ctl, number, purpose, time_us + 60000000);
}

UNUSED static void becomes(enum elect_role role)
{
	view.role = role;
	ctl_publish(ctl, role == ELECT_ROLE_LEADER ? "leader" : "none", &view);
	run(2);
}

UNUSED static void is_gone(const struct holder *h)
{
	close(h->fd);
	run(4);
}

#endif
