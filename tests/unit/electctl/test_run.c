/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run, against a false electd that this program plays itself: electctl is a child process, its
 * command tells through a pipe what happens to it.
 */
#include "server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

#include "electctl/options.h"
#include "program/clock.h"

enum { PATIENCE_MS = 30000, BEAT_MS = 50, DEAD_AFTER_MS = 400 };

/* How long electd may be silent: short where that is what is tried, else longer than a busy machine
 * keeps us waiting. */
static int dead_after_ms;

static char folder[] = "/tmp/electctl-XXXXXX", path[64];
static int listener, stream, told; /* the socket, the subscription, what the command tells */
static pid_t electctl;

static long long boot_ms(void)
{
	return (long long)(clock_boot_us() / 1000);
}

static long long last_said_ms;

static void say(const char *event, const char *role, const char *token, const char *more)
{
	char text[512];
	int size = snprintf(text, sizeof text,
		"{\"continues\":true,\"parameters\":{\"seq\":1,\"event\":\"%s\",\"boot_ms\":%lld,"
		"\"dead_after_ms\":%d,\"status\":{\"role\":\"%s\",\"token\":\"%s\"}%s}}",
		event, last_said_ms = boot_ms(), dead_after_ms, role, token, more);

	send(stream, text, (size_t)size + 1, MSG_NOSIGNAL);
}

static void beat(void)
{
	char text[256];
	int size = snprintf(text, sizeof text,
		"{\"continues\":true,\"parameters\":{\"seq\":1,\"event\":\"alive\","
		"\"boot_ms\":%lld,\"dead_after_ms\":%d}}",
		last_said_ms = boot_ms(), dead_after_ms);

	send(stream, text, (size_t)size + 1, MSG_NOSIGNAL);
}

/* electctl runs `sh -c script`, whose descriptor 3 is ours, and is told who leads. */
static void begin_with(int silence_ms, const char *role, const char *script, long kill_after_ms)
{
	char call[256], shell[] = "sh", c[] = "-c", *words = strdup(script);
	char *const args[] = { shell, c, words, NULL };
	struct options o = { .out = stdout,
		.socket = path,
		.quiet = true,
		.timeout_ms = -1,
		.kill_after_ms = kill_after_ms };
	int fds[2];

	dead_after_ms = silence_ms;
	assert_int_equal(pipe(fds), 0);
	electctl = fork();
	if (electctl == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(fds[1], 3);
		_exit((int)run_verb(&o, args));
	}
	free(words);
	close(fds[1]);
	told = fds[0];
	stream = accept(listener, NULL, NULL);
	assert_true(read(stream, call, sizeof call) > 0);
	assert_string_equal(call,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,\"name\":"
		"\"electctl run\"},\"more\":"
		"true}");
	say("snapshot", role, "41", ",\"holder\":\"h1\"");
}

static void begin(const char *role, const char *script, long kill_after_ms)
{
	begin_with(PATIENCE_MS, role, script, kill_after_ms);
}

/* What the command tells next, a line; alive all the while if `beating`. "" at its end. */
static const char *hears(bool beating)
{
	static char line[256];
	struct pollfd p = { .fd = told, .events = POLLIN };
	size_t used = 0;

	for (int left = PATIENCE_MS; left > 0; left -= BEAT_MS) {
		while (poll(&p, 1, BEAT_MS) == 1) {
			if (read(told, line + used, 1) <= 0 || line[used] == '\n') {
				line[used] = '\0';
				return line;
			}
			used++;
		}
		if (beating)
			beat();
	}
	fail_msg("the command told nothing");
	return "";
}

/* Until electctl has ended: its exit code. */
static int exit_code(bool beating)
{
	int status;

	for (int left = PATIENCE_MS; left > 0; left -= BEAT_MS) {
		struct timespec t = { 0, BEAT_MS * 1000000 };

		if (waitpid(electctl, &status, WNOHANG) == electctl) {
			close(stream);
			close(told);
			assert_true(WIFEXITED(status));
			return WEXITSTATUS(status);
		}
		if (beating)
			beat();
		nanosleep(&t, NULL);
	}
	kill(electctl, SIGKILL);
	fail_msg("electctl did not end");
	return -1;
}

/* The call of Release that comes, and its answer. */
static void takes_release(const char *expected)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	char call[256];
	int fd;

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	fd = accept(listener, NULL, NULL);
	assert_true(read(fd, call, sizeof call) > 0);
	assert_string_equal(call, expected);
	assert_int_equal(send(fd, "{}", 3, MSG_NOSIGNAL), 3);
	close(fd);
}

/* Not for ever: a test that fails must leave nothing behind. */
#define SLEEPS "i=0; while [ $((i += 1)) -lt 500 ]; do sleep 0.02; done"

static void a_command_waits_for_leadership_and_gets_the_token(void **state)
{
	(void)state;
	begin("follower", "echo $ELECTD_TOKEN >&3; exit 7", PATIENCE_MS);
	beat();
	say("members", "follower", "41", "");
	say("leader", "leader", "42", "");
	assert_string_equal(hears(true), "42");
	assert_int_equal(exit_code(true), 7);
}

/* A status, besides its role: it stood still, and asks whether it is still followed. */
#define LEADER_ASKING "leader\",\"asking\":true,\"more\":\""

static void none_begins_while_the_leader_asks(void **state)
{
	(void)state;
	begin(LEADER_ASKING, "echo $ELECTD_TOKEN >&3; exit 7", PATIENCE_MS);
	say("state", LEADER_ASKING, "42", "");
	say("state", "leader", "43", "");
	assert_string_equal(hears(true), "43");
	assert_int_equal(exit_code(true), 7);
}

static void one_that_runs_goes_on_while_the_leader_asks(void **state)
{
	(void)state;
	begin("leader", "echo $ELECTD_TOKEN >&3; sleep 0.2; exit 7", PATIENCE_MS);
	assert_string_equal(hears(true), "41");
	say("state", LEADER_ASKING, "41", "");
	say("state", "leader", "41", "");
	assert_int_equal(exit_code(true), 7);
}

static void a_command_that_dies_of_a_signal_gives_128_and_more(void **state)
{
	(void)state;
	begin("leader", "kill -9 $$", PATIENCE_MS);
	assert_int_equal(exit_code(true), 128 + SIGKILL);
}

static void leadership_passes_on_only_when_all_of_the_group_has_ended(void **state)
{
	pid_t deaf;

	(void)state;
	/* The first is gone at once, its child needs a moment, and one more does not listen. */
	begin("leader",
		"(trap 'sleep 0.2; echo child >&3; exit' TERM; echo 0 >&3; " SLEEPS ") & "
		"sh -c 'trap \"\" TERM; echo $$ >&3; " SLEEPS "' & " SLEEPS,
		2000);
	deaf = atoi(hears(true));
	deaf += atoi(hears(true)); /* whoever is first */
	say("release", "leader", "41", ",\"release\":9");
	assert_string_equal(hears(true), "child");
	assert_int_equal(kill(deaf, 0), 0);
	takes_release("{\"method\":\"io.electd.Release\",\"parameters\":"
		      "{\"holder\":\"h1\",\"seq\":9}}");
	assert_int_equal(kill(deaf, 0), -1);
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

static void who_runs_nothing_releases_at_once(void **state)
{
	(void)state;
	begin("follower", "echo never >&3", PATIENCE_MS);
	say("release", "follower", "41", ",\"release\":3");
	takes_release("{\"method\":\"io.electd.Release\",\"parameters\":"
		      "{\"holder\":\"h1\",\"seq\":3}}");
	kill(electctl, SIGTERM);
	assert_int_equal(exit_code(true), 128 + SIGTERM);
}

static void silence_of_electd_ends_it(void **state)
{
	(void)state;
	begin("leader", "trap 'echo term >&3; exit' TERM; echo up >&3; " SLEEPS, PATIENCE_MS);
	assert_string_equal(hears(true), "up");
	dead_after_ms = DEAD_AFTER_MS;
	beat();
	assert_string_equal(hears(false), "term");
	assert_true(boot_ms() - last_said_ms >= DEAD_AFTER_MS);
	assert_int_equal(exit_code(false), ELECTCTL_FALSE);
}

/* With more patience where this machine has stood still for longer than that. */
static void alive_keeps_it_running(void **state)
{
	bool done = false;
	int code = -1;

	(void)state;
	for (int silence_ms = DEAD_AFTER_MS; !done && silence_ms < PATIENCE_MS / 3;
		silence_ms *= 2) {
		char script[80];

		snprintf(script, sizeof script, "sleep %d; echo done >&3; exit 4",
			3 * silence_ms / 1000 + 1);
		begin_with(silence_ms, "leader", script, PATIENCE_MS);
		done = strcmp(hears(true), "done") == 0;
		code = exit_code(true);
	}
	assert_true(done);
	assert_int_equal(code, 4);
}

/* Said long ago, and read only now: electctl stood still. */
static void what_is_old_when_it_is_read_does_not_count(void **state)
{
	struct timespec t = { 0, DEAD_AFTER_MS * 1500000 };

	(void)state;
	begin_with(DEAD_AFTER_MS, "follower", "echo up >&3", PATIENCE_MS);
	beat();
	poll(NULL, 0, 100); /* electctl may take the snapshot in */
	kill(electctl, SIGSTOP);
	say("leader", "leader", "42", "");
	nanosleep(&t, NULL);
	kill(electctl, SIGCONT);
	assert_int_equal(poll(&(struct pollfd){ .fd = told, .events = POLLIN }, 1, 300), 0);
	dead_after_ms = PATIENCE_MS;
	assert_string_equal(hears(true), "up"); /* from the first fresh word on */
	assert_int_equal(exit_code(true), 0);
}

static void the_end_of_electd_ends_it(void **state)
{
	(void)state;
	begin("leader", "trap 'echo term >&3; exit' TERM; echo up >&3; " SLEEPS, PATIENCE_MS);
	assert_string_equal(hears(true), "up");
	shutdown(stream, SHUT_RDWR);
	assert_string_equal(hears(false), "term");
	assert_int_equal(exit_code(false), ELECTCTL_FALSE);
}

static void the_end_of_electd_while_it_waits_is_3(void **state)
{
	(void)state;
	begin("follower", "echo never >&3", PATIENCE_MS);
	shutdown(stream, SHUT_RDWR);
	assert_int_equal(exit_code(false), ELECTCTL_NOT_RUNNING);
}

static void a_lost_role_ends_it_and_another_token_starts_it_anew(void **state)
{
	(void)state;
	begin("leader", "trap 'echo term >&3; exit' TERM; echo $ELECTD_TOKEN >&3; " SLEEPS,
		PATIENCE_MS);
	assert_string_equal(hears(true), "41");
	say("leader", "leader", "57", "");
	assert_string_equal(hears(true), "term");
	assert_string_equal(hears(true), "57");
	say("none", "none", "0", "");
	assert_string_equal(hears(true), "term");
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

static void signals_are_passed_on(void **state)
{
	(void)state;
	begin("leader",
		"trap 'echo int >&3' INT; trap 'echo term >&3; exit 9' TERM; echo up >&3; " SLEEPS,
		PATIENCE_MS);
	assert_string_equal(hears(true), "up");
	kill(electctl, SIGINT);
	assert_string_equal(hears(true), "int");
	kill(electctl, SIGTERM);
	assert_string_equal(hears(true), "term");
	assert_int_equal(exit_code(true), 9);
}

static void the_command_dies_with_electctl(void **state)
{
	int status;

	(void)state;
	begin("leader", "echo up >&3; exec sleep 100", PATIENCE_MS);
	assert_string_equal(hears(true), "up");
	kill(electctl, SIGKILL);
	waitpid(electctl, &status, 0);
	assert_string_equal(hears(false), ""); /* the pipe is closed */
	close(stream);
	close(told);
}

static void what_cannot_be_run_is_126_or_127(void **state)
{
	(void)state;
	begin("leader", "exec /nonexistent", PATIENCE_MS);
	assert_int_equal(exit_code(true), 127);
	begin("leader", "exec 2>&-; exec /dev/null", PATIENCE_MS);
	assert_int_equal(exit_code(true), 126);
}

static int prepare(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/s", folder);
	listener = listen_at(path);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	close(listener);
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_waits_for_leadership_and_gets_the_token),
		cmocka_unit_test(none_begins_while_the_leader_asks),
		cmocka_unit_test(one_that_runs_goes_on_while_the_leader_asks),
		cmocka_unit_test(a_command_that_dies_of_a_signal_gives_128_and_more),
		cmocka_unit_test(leadership_passes_on_only_when_all_of_the_group_has_ended),
		cmocka_unit_test(who_runs_nothing_releases_at_once),
		cmocka_unit_test(silence_of_electd_ends_it),
		cmocka_unit_test(alive_keeps_it_running),
		cmocka_unit_test(what_is_old_when_it_is_read_does_not_count),
		cmocka_unit_test(the_end_of_electd_ends_it),
		cmocka_unit_test(the_end_of_electd_while_it_waits_is_3),
		cmocka_unit_test(a_lost_role_ends_it_and_another_token_starts_it_anew),
		cmocka_unit_test(signals_are_passed_on),
		cmocka_unit_test(the_command_dies_with_electctl),
		cmocka_unit_test(what_cannot_be_run_is_126_or_127),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, prepare, clean);
}
