/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole: the whole electd-hookd as a child process, without scripts and units, in virtual time. The
 * test program is its electd. Each test program includes it once.
 */
#ifndef ELECTD_TEST_HOOKD_WHOLE_H
#define ELECTD_TEST_HOOKD_WHOLE_H

#include "unit/lib/said.h"

#include "hookd/run/hookd.h"
#include "hookd/run/lister.h"
#include "program/clock.h"
#include "unit/dir.h"
#include "unit/patience.h"
#include "virtual.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEAD_AFTER_MS = 30000, AGAIN_US = 300000, LAST_PRIORITY = 1000 };

static pid_t hookd;
static const char *whole_target = "", *whole_on_failure = "ignore";
static bool whole_owed;
static void (*whole_prepare)(void); /* called before electd-hookd starts; NULL: nothing */
static void (*whole_lists)(void);   /* called by electd-hookd when it looks for scripts */
static char path[96], log_path[96];
static int listener, subscription, call; /* call: the last call */
static unsigned seq, asked_for;		 /* asked_for: the release of events; 0: none */
static uint64_t until_boot_ms;		 /* the field of events; 0: events have none */
static int passes[2], passed[2];	 /* pipes: the time that is to pass; it has passed */

/* ---- electd ------------------------------------------------------------------------------ */

static void begin_electd(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, path, sizeof(path));
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 16), 0);
}

static void hang_up(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

UNUSED static void end_electd(void)
{
	hang_up(&call);
	hang_up(&subscription);
	hang_up(&listener);
	unlink(path);
}

static void readable(int fd)
{
	assert_true(patience_readable(fd));
}

/* Accepts the next connection and reads its call. */
static int comes(char *ret_asked, size_t size)
{
	size_t used = 0;
	int fd;

	readable(listener);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(fd >= 0);
	do {
		ssize_t n;

		readable(fd);
		n = recv(fd, ret_asked + used, size - used, 0);
		assert_true(n > 0);
		used += (size_t)n;
	} while (ret_asked[used - 1] && used < size);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text) + 1, MSG_NOSIGNAL), strlen(text) + 1);
}

static void say_role(const char *event, const char *role, unsigned token)
{
	char text[4096], until[64] = "", release[64] = "";

	if (until_boot_ms)
		snprintf(until, sizeof(until), "\"until_boot_ms\":%llu,",
			(unsigned long long)until_boot_ms);
	if (asked_for)
		snprintf(release, sizeof(release), "\"release\":%u,\"purpose\":\"resign\",",
			asked_for);
	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%u,\"event\":\"%s\",\"boot_ms\":%llu,%s%s"
		"\"holder\":\"0123abcd\",\"dead_after_ms\":%d,"
		"\"hooks\":{\"timeout_ms\":2000,\"on_failure\":\"%s\"},"
		"\"status\":{\"domain\":\"default\",\"role\":\"%s\",\"state\":\"normal\","
		"\"node\":" SAID_NODE ",\"leader\":" SAID_LEADER ",\"group\":" SAID_GROUP
		",\"token\":\"%u\",\"members\":" SAID_MEMBERS
		",\"reason\":\"alone\",\"definition\":\"/run/electd/definition\"}},"
		"\"continues\":true}",
		seq++, event, (unsigned long long)(clock_boot_us() / 1000), until, release,
		DEAD_AFTER_MS, whole_on_failure, role, token);
	say(subscription, text);
}

UNUSED static void subscribes(const char *role, unsigned token)
{
	char asked[512];

	seq = 5;
	subscription = comes(asked, sizeof(asked));
	assert_non_null(strstr(asked, "io.electd.Subscribe"));
	say_role("snapshot", role, token);
}

/* Asserts the next call, and does not reply yet. */
UNUSED static void tells(unsigned token)
{
	char asked[512], text[256];

	hang_up(&call);
	call = comes(asked, sizeof(asked));
	snprintf(text, sizeof(text),
		"{\"method\":\"io.electd.Promoted\",\"parameters\":"
		"{\"holder\":\"0123abcd\",\"token\":\"%u\"}}",
		token);
	assert_string_equal(asked, text);
}

UNUSED static void releases(unsigned number)
{
	char asked[512], text[256];

	hang_up(&call);
	call = comes(asked, sizeof(asked));
	snprintf(text, sizeof(text),
		"{\"method\":\"io.electd.Release\",\"parameters\":{\"holder\":\"0123abcd\",\"seq\":"
		"%u}}",
		number);
	assert_string_equal(asked, text);
}

UNUSED static void answers(void)
{
	say(call, "{\"parameters\":{}}");
}

UNUSED static void gives_up(void)
{
	char byte;

	readable(call);
	assert_int_equal(recv(call, &byte, 1, 0), 0);
}

/* ---- time -------------------------------------------------------------------------------- */

static sd_event_source *step;
static uint64_t until_us; /* 0: no time is passing */

/* Runs when the loop has nothing else to do: the next timer, or the end of the passing time. */
static int on_step(sd_event_source *source, void *user)
{
	(void)user;
	if (virtual_begin_due())
		return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	if (!until_us)
		return 0;
	if (virtual_pass_to_timer(until_us))
		return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	virtual_us = until_us;
	until_us = 0;
	assert_int_equal(write(passed[1], "", 1), 1);
	return 0;
}

static void take_step(void)
{
	sd_event_source_set_enabled(step, SD_EVENT_ONESHOT);
}

static int on_passes(sd_event_source *source, int fd, uint32_t events, void *user)
{
	uint64_t us;

	(void)source;
	(void)events;
	(void)user;
	assert_int_equal(read(fd, &us, sizeof(us)), sizeof(us));
	until_us = virtual_us + us;
	take_step();
	return 0;
}

static void loop_found(sd_event *event)
{
	if (step)
		return;
	assert_true(sd_event_add_defer(event, &step, on_step, NULL) >= 0);
	assert_true(sd_event_source_set_priority(step, LAST_PRIORITY) >= 0);
	assert_true(sd_event_add_io(event, NULL, passes[0], EPOLLIN, on_passes, NULL) >= 0);
}

/* All earlier messages are handled, and each timer fires at its moment. */
static void time_passes(uint64_t us)
{
	char byte;

	assert_int_equal(write(passes[1], &us, sizeof(us)), sizeof(us));
	readable(passed[0]);
	assert_int_equal(read(passed[0], &byte, 1), 1);
	virtual_us += us;
}

UNUSED static void tells_nothing_for(uint64_t us)
{
	time_passes(us);
	assert_int_equal(poll(&(struct pollfd){ .fd = listener, .events = POLLIN }, 1, 0), 0);
}

UNUSED static void tells_nothing(void)
{
	tells_nothing_for(AGAIN_US);
}

/* ---- lists of scripts -------------------------------------------------------------------- */

/* In the loop instead of a thread, so that no virtual time passes before the list is complete. */
struct lister {
	sd_event_source *source;
	lister_done_fn *done;
	void *user;
};

static int on_listed(sd_event_source *source, void *user)
{
	struct vet_list none = { 0 };
	struct lister *l = user;

	(void)source;
	sd_event_source_unref(l->source);
	l->done(l->user, 0, &none, "");
	free(l);
	return 0;
}

int lister_begin(struct lister **ret_lister, sd_event *event, const char *const *folders,
	const struct vet_list *older, lister_done_fn *done, void *user)
{
	struct lister *l = calloc(1, sizeof(*l));

	(void)folders;
	(void)older;
	if (whole_lists)
		whole_lists();
	l->done = done;
	l->user = user;
	*ret_lister = l;
	return sd_event_add_defer(event, &l->source, on_listed, l) < 0 ? -ENOMEM : 0;
}

void lister_abandon(struct lister *l)
{
	sd_event_source_disable_unref(l->source);
	free(l);
}

/* ---- electd-hookd ------------------------------------------------------------------------ */

static void begin_hookd(void)
{
	static const char *const none[] = { NULL };
	const struct hookd_options options = {
		.runtime_dir = dir,
		.state_dir = dir,
		.own_runtime_dir = dir,
		.target = whole_target,
		.online = "",
		.hook_dirs = none,
		.owed = whole_owed,
	};

	hookd = fork();
	if (hookd == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		assert_non_null(freopen(log_path, "we", stderr));
		virtual_added = loop_found;
		virtual_set = take_step;
		_exit(hookd_run(&options));
	}
}

UNUSED static const char *logged(void)
{
	static char text[8192];
	FILE *f = fopen(log_path, "re");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

UNUSED static void end_hookd(int with)
{
	kill(hookd, with);
	assert_int_equal(waitpid(hookd, NULL, 0), hookd);
}

static int setup(void **state)
{
	(void)state;
	if (dir_made_in("/tmp", "hookd"))
		return -1;
	snprintf(path, sizeof(path), "%s/io.electd", dir);
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	listener = subscription = call = -1;
	asked_for = 0;
	until_boot_ms = 0;
	if (pipe2(passes, O_CLOEXEC) || pipe2(passed, O_CLOEXEC))
		return -1;
	begin_electd();
	if (whole_prepare)
		whole_prepare();
	begin_hookd();
	return 0;
}

static int teardown(void **state)
{
	kill(hookd, SIGKILL);
	waitpid(hookd, NULL, 0);
	end_electd();
	for (int i = 0; i < 2; i++) {
		close(passes[i]);
		close(passed[i]);
	}
	return dir_removed(state);
}

#define HOOKD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
