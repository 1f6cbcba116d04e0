/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_promoted: when electd is told that a promotion is over, and when not. The whole of
 * electd-hookd is a child process, without a script or a unit; this program is its electd.
 */
#include "said.h"

#include "hookd/run/hookd.h"
#include "program/clock.h"
#include "unit/dir.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000, SILENCE_MS = 300 };

static pid_t hookd;
static char path[96];
static int listener, subscription, call; /* the call that came last */
static unsigned seq;

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

static void end_electd(void)
{
	hang_up(&call);
	hang_up(&subscription);
	hang_up(&listener);
	unlink(path);
}

static void readable(int fd)
{
	assert_int_equal(poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, PATIENCE_MS), 1);
}

/* Who comes next, and what it asks. */
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
	char text[4096];

	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%u,\"event\":\"%s\",\"boot_ms\":%llu,"
		"\"holder\":\"0123abcd\",\"dead_after_ms\":%d,"
		"\"hooks\":{\"timeout_ms\":2000,\"on_failure\":\"ignore\"},"
		"\"status\":{\"domain\":\"default\",\"role\":\"%s\",\"state\":\"normal\","
		"\"node\":" SAID_NODE ",\"leader\":" SAID_LEADER ",\"group\":" SAID_GROUP
		",\"token\":\"%u\",\"members\":" SAID_MEMBERS
		",\"reason\":\"alone\",\"definition\":\"/run/electd/definition\"}},"
		"\"continues\":true}",
		seq++, event, (unsigned long long)(clock_boot_us() / 1000), PATIENCE_MS, role,
		token);
	say(subscription, text);
}

static void subscribes(const char *role, unsigned token)
{
	char asked[512];

	seq = 5;
	subscription = comes(asked, sizeof(asked));
	assert_non_null(strstr(asked, "io.electd.Subscribe"));
	say_role("snapshot", role, token);
}

/* The next thing that is asked is that; it is not answered yet. */
static void tells(unsigned token)
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

static void answers(void)
{
	say(call, "{\"parameters\":{}}");
}

static void gives_up(void)
{
	char byte;

	readable(call);
	assert_int_equal(recv(call, &byte, 1, 0), 0);
}

/* For longer than it waits between two attempts. */
static void tells_nothing(void)
{
	assert_int_equal(
		poll(&(struct pollfd){ .fd = listener, .events = POLLIN }, 1, SILENCE_MS), 0);
}

/* ---- electd-hookd ------------------------------------------------------------------------ */

static void begin_hookd(void)
{
	static const char *const none[] = { NULL };
	const struct hookd_options options = {
		.runtime_dir = dir,
		.state_dir = dir,
		.own_runtime_dir = dir,
		.target = "",
		.online = "",
		.hook_dirs = none,
	};

	hookd = fork();
	if (hookd == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(hookd_run(&options));
	}
}

static void end_hookd(int with)
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
	listener = subscription = call = -1;
	begin_electd();
	begin_hookd();
	return 0;
}

static int teardown(void **state)
{
	kill(hookd, SIGKILL);
	waitpid(hookd, NULL, 0);
	end_electd();
	return dir_removed(state);
}

/* ---- the tests --------------------------------------------------------------------------- */

static void it_is_told_once_for_each_promotion(void **state)
{
	(void)state;
	subscribes("follower", 40);
	say_role("leader", "leader", 41);
	tells(41);
	answers();
	say_role("members", "leader", 41);
	tells_nothing();
	say_role("follower", "follower", 42);
	say_role("leader", "leader", 43);
	tells(43);
	answers();
	say_role("none", "none", 0);
	say_role("leader", "leader", 44);
	tells(44);
}

static void what_was_not_answered_is_told_again(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	hang_up(&call);
	tells(41);
	answers();
	say_role("follower", "follower", 42);
	say_role("leader", "leader", 43);
	tells(43);
}

static void what_electd_refuses_is_not(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	say(call, "{\"error\":\"io.electd.NoSuchHolder\",\"parameters\":{}}");
	say_role("follower", "follower", 42);
	say_role("leader", "leader", 43);
	tells(43);
}

static void once_its_demotion_begins_it_is_not_told_any_more(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	say_role("follower", "follower", 42);
	gives_up();
	tells_nothing();
	say_role("leader", "leader", 43);
	tells(43);
}

/* It has demoted meanwhile. */
static void another_electd_is_told_of_the_next_one(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	end_electd();
	begin_electd();
	subscribes("none", 0);
	say_role("leader", "leader", 45);
	tells(45);
}

/* The next one demotes first, and promotes anew. */
static void another_hookd_tells_it_anew(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	end_hookd(SIGKILL);
	hang_up(&subscription);
	begin_hookd();
	subscribes("leader", 41);
	tells(41);
}

/* Nobody has asked for this demotion: what is stopped by it is not sick. */
static void one_that_is_stopped_tells_that_it_is_promoted_no_more(void **state)
{
	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	kill(hookd, SIGTERM);
	tells(0);
	answers();
}

#define HOOKD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOOKD(it_is_told_once_for_each_promotion),
		HOOKD(what_was_not_answered_is_told_again),
		HOOKD(what_electd_refuses_is_not),
		HOOKD(once_its_demotion_begins_it_is_not_told_any_more),
		HOOKD(another_electd_is_told_of_the_next_one),
		HOOKD(another_hookd_tells_it_anew),
		HOOKD(one_that_is_stopped_tells_that_it_is_promoted_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
