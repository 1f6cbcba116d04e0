/* SPDX-License-Identifier: Apache-2.0 */
/* The verb run, in a child process, against an electd that this program plays. */
#include "server.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "electctl/options.h"
#include "program/clock.h"
#include "unit/lib/said.h"
#include "unit/patience.h"

/* NEVER_MS: longer than any test takes. DEAD_MS: the longest silence that electd allows. */
enum { NEVER_MS = 86400000, DEAD_MS = 100000, BEAT_MS = 50, DEAD_AFTER_MS = 400, ENDING_MS = 100 };

/* The silence after which electd counts as dead; usually longer than a test. */
static int dead_after_ms;

static char folder[] = "/tmp/electctl-XXXXXX", path[64];
static int listener, stream, told; /* the socket, the subscription, the pipe of the command */
static pid_t electctl;

/* ---- time, also for electctl ----------------------------------------------------------------- */

/* In shared memory: the lead of the boot clock, and the second at which it stands; 0: it runs. */
static _Atomic long *shift_s, *stands_s;

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	int r = (int)syscall(SYS_clock_gettime, clock, ret_time);

	if (clock != CLOCK_BOOTTIME || !shift_s)
		return r;
	if (*stands_s)
		*ret_time = (struct timespec){ .tv_sec = *stands_s };
	ret_time->tv_sec += *shift_s;
	return r;
}

/* No time passes for both programs, however slow the machine is. */
static void stop_clock(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now);
	*stands_s = now.tv_sec;
}

static long long boot_ms(void)
{
	return (long long)(clock_boot_us() / 1000);
}

static long long last_said_ms;
static int seq, time_namespace; /* 0: not known */
static bool leads;

/* The fields of a leader's events about the end of its role; empty: none, as from an older electd.
 */
static char until[96];

static void lasts_until(long long until_ms, int ending_ms)
{
	snprintf(until, sizeof until, ",\"until_boot_ms\":%lld,\"ending_ms\":%d", until_ms,
		ending_ms);
}

static void send_event(long long said_ms, const char *event, const char *status, const char *more)
{
	const char *end = *until && !leads ? ",\"until_boot_ms\":null" : until;
	char text[2048];
	int size = snprintf(text, sizeof text,
		"{\"continues\":true,\"parameters\":{\"seq\":%d,\"event\":\"%s\",\"boot_ms\":%lld,"
		"\"dead_after_ms\":%d,\"time_namespace\":%d%s%s%s}}",
		seq, event, last_said_ms = said_ms, dead_after_ms, time_namespace, status, end,
		more);

	send(stream, text, (size_t)size + 1, MSG_NOSIGNAL);
}

#define STATUS_SAID                                                                                \
	",\"status\":" SAID_STATUS("\"default\"", "\"%s\"", "\"%s\"", SAID_NODE, SAID_GROUP,       \
		SAID_LEADER, SAID_MEMBERS, "\"alone\"", "null")

static void say_at(
	long long said_ms, const char *event, const char *role, const char *token, const char *more)
{
	char status[1536];

	/* A change has the next number. */
	if (strcmp(event, "snapshot") != 0 && strncmp(event, "release", 7) != 0)
		seq++;
	leads = strncmp(role, "leader", 6) == 0;
	snprintf(status, sizeof status, STATUS_SAID, role, token);
	send_event(said_ms, event, status, more);
}

static void say(const char *event, const char *role, const char *token, const char *more)
{
	say_at(boot_ms(), event, role, token, more);
}

static void beat(void)
{
	send_event(boot_ms(), "alive", "", "");
}

/* Runs electctl with `sh -c script`, whose descriptor 3 is the pipe. */
static void launch(const char *script, long kill_after_ms)
{
	char shell[] = "sh", c[] = "-c", *words = strdup(script);
	char *const args[] = { shell, c, words, NULL };
	struct options o = { .out = stdout,
		.socket = path,
		.quiet = true,
		.timeout_ms = -1,
		.kill_after_ms = kill_after_ms };
	int fds[2];

	*shift_s = seq = 0;
	stop_clock(); /* until electctl has its answer */
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
}

static void is_asked(void)
{
	char call[256];

	stream = accept(listener, NULL, NULL);
	assert_true(read(stream, call, sizeof call) > 0);
	assert_string_equal(call,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,\"name\":"
		"\"electctl run\"},\"more\":"
		"true}");
}

/* Runs electctl and sends the role. */
static void begin_with(int silence_ms, const char *role, const char *script, long kill_after_ms)
{
	dead_after_ms = silence_ms;
	launch(script, kill_after_ms);
	is_asked();
	say("snapshot", role, "41", ",\"holder\":\"h1\"");
	*stands_s = 0;
}

/* Runs electctl with an older electd, which does not name the end of a role. */
static void begin_older(int silence_ms, const char *role, const char *script, long kill_after_ms)
{
	until[0] = '\0';
	begin_with(silence_ms, role, script, kill_after_ms);
}

static void begin(const char *role, const char *script, long kill_after_ms)
{
	lasts_until(boot_ms() + NEVER_MS, NEVER_MS);
	begin_with(DEAD_MS, role, script, kill_after_ms);
}

/* The next line of the command, "" at its end; sends "alive" meanwhile if `beating`. */
static const char *hears(bool beating)
{
	static char line[256];
	struct pollfd p = { .fd = told, .events = POLLIN };
	size_t used = 0;

	for (int left = PATIENCE_ROUNDS * PATIENCE_ROUND_MS; left > 0; left -= BEAT_MS) {
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

/* Answers the next call, which must be this Release. electctl may have ended since. */
static void takes_release(const char *expected)
{
	char call[256];
	int fd;

	assert_true(patience_readable(listener));
	fd = accept(listener, NULL, NULL);
	assert_true(read(fd, call, sizeof call) > 0);
	assert_string_equal(call, expected);
	send(fd, "{}", 3, MSG_NOSIGNAL);
	close(fd);
}

#define LEAVES "{\"method\":\"io.electd.Release\",\"parameters\":{\"holder\":\"h1\",\"seq\":0}}"

/* Answers the Release of an electctl that ends, which sends none if electd has ended. */
static void takes_leave(void)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	char call[256];

	while (poll(&p, 1, 0) == 1) {
		int fd = accept(listener, NULL, NULL);

		assert_true(read(fd, call, sizeof call) > 0);
		assert_string_equal(call, LEAVES);
		send(fd, "{}", 3, MSG_NOSIGNAL);
		close(fd);
	}
}

/* Asserts that no process has the pipe any more and that nothing was written to it. */
static void is_over(bool beating)
{
	struct pollfd p = { .fd = told, .events = POLLIN };
	char byte;

	for (int left = PATIENCE_ROUNDS * PATIENCE_ROUND_MS; left > 0; left -= BEAT_MS) {
		takes_leave();
		if (poll(&p, 1, BEAT_MS) == 1) {
			assert_int_equal(read(told, &byte, 1), 0);
			return;
		}
		if (beating)
			beat();
	}
	fail_msg("the pipe is still open");
}

/* Waits for the end of electctl and returns its exit code. */
static int exit_code(bool beating)
{
	int status;

	for (int left = PATIENCE_ROUNDS * PATIENCE_ROUND_MS; left > 0; left -= BEAT_MS) {
		struct timespec t = { 0, BEAT_MS * 1000000 };

		if (waitpid(electctl, &status, WNOHANG) == electctl) {
			takes_leave();
			close(stream);
			close(told);
			assert_true(WIFEXITED(status));
			return WEXITSTATUS(status);
		}
		takes_leave();
		if (beating)
			beat();
		nanosleep(&t, NULL);
	}
	kill(electctl, SIGKILL);
	fail_msg("electctl did not end");
	return -1;
}

/* Not endless: a failed test must leave no process behind. */
#define SLEEPS "i=0; while [ $((i += 1)) -lt 6000 ]; do sleep 0.02; done"

static void a_command_waits_for_leadership_and_gets_the_token(void **state)
{
	(void)state;
	begin("follower", "echo $ELECTD_TOKEN >&3; exit 7", NEVER_MS);
	beat();
	say("members", "follower", "41", "");
	say("leader", "leader", "42", "");
	assert_string_equal(hears(true), "42");
	assert_int_equal(exit_code(true), 7);
}

/* The role of a status, and a field: the leader stalled and asks whether it is followed. */
#define LEADER_ASKING "leader\",\"asking\":true,\"more\":\""

static void no_command_begins_while_the_leader_asks(void **state)
{
	(void)state;
	begin(LEADER_ASKING, "echo $ELECTD_TOKEN >&3; exit 7", NEVER_MS);
	say("state", LEADER_ASKING, "42", "");
	say("state", "leader", "43", "");
	assert_string_equal(hears(true), "43");
	assert_int_equal(exit_code(true), 7);
}

/* A demotion waits only for commands that began before it; their volume may already be gone. */
#define LEADER_YIELDS "leader\",\"yielding\":{\"to\":null},\"more\":\""

static void no_command_begins_during_a_demotion(void **state)
{
	(void)state;
	begin(LEADER_YIELDS, "echo begun >&3", NEVER_MS);
	is_over(true);
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

/* The command waited for a leadership that ends before it could begin. */
static void a_waiting_command_does_not_begin_in_a_demotion(void **state)
{
	(void)state;
	begin("follower", "echo $ELECTD_TOKEN >&3; exit 7", NEVER_MS);
	say("state", LEADER_YIELDS, "42", "");
	say("leader", "leader", "43", "");
	assert_string_equal(hears(true), "43");
	assert_int_equal(exit_code(true), 7);
}

static void a_running_command_goes_on_while_the_leader_asks(void **state)
{
	(void)state;
	begin("leader", "echo $ELECTD_TOKEN >&3; sleep 0.2; exit 7", NEVER_MS);
	assert_string_equal(hears(true), "41");
	say("state", LEADER_ASKING, "41", "");
	say("state", "leader", "41", "");
	assert_int_equal(exit_code(true), 7);
}

static void a_command_that_a_signal_kills_gives_128_plus_its_number(void **state)
{
	(void)state;
	begin("leader", "kill -9 $$", NEVER_MS);
	assert_int_equal(exit_code(true), 128 + SIGKILL);
}

static void leadership_passes_on_only_after_all_processes_have_ended(void **state)
{
	pid_t deaf;

	(void)state;
	/* The shell ends at once, its child needs a moment, and one more child ignores TERM. */
	begin("leader",
		"(trap 'sleep 0.2; echo child >&3; exit' TERM; echo 0 >&3; " SLEEPS ") & "
		"sh -c 'trap \"\" TERM; echo $$ >&3; " SLEEPS "' & " SLEEPS,
		NEVER_MS);
	deaf = atoi(hears(true));
	deaf += atoi(hears(true)); /* the order of both lines is not defined */
	say("release", "leader", "41", ",\"release\":9");
	assert_string_equal(hears(true), "child");
	assert_int_equal(kill(deaf, 0), 0);
	assert_int_equal(poll(&(struct pollfd){ .fd = listener, .events = POLLIN }, 1, 0), 0);
	kill(deaf, SIGKILL);
	takes_release("{\"method\":\"io.electd.Release\",\"parameters\":"
		      "{\"holder\":\"h1\",\"seq\":9}}");
	assert_int_equal(kill(deaf, 0), -1);
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

static void a_command_that_ignores_term_is_killed_before_leadership_passes_on(void **state)
{
	pid_t deaf;

	(void)state;
	begin("leader", "trap '' TERM; echo $$ >&3; " SLEEPS "; echo left >&3", ENDING_MS);
	deaf = atoi(hears(true));
	assert_true(deaf > 0);
	say("release", "leader", "41", ",\"release\":9");
	takes_release("{\"method\":\"io.electd.Release\",\"parameters\":"
		      "{\"holder\":\"h1\",\"seq\":9}}");
	assert_int_equal(kill(deaf, 0), -1);
	is_over(true); /* the command was killed */
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

static void a_waiting_electctl_releases_at_once(void **state)
{
	(void)state;
	begin("follower", "echo never >&3", NEVER_MS);
	say("release", "follower", "41", ",\"release\":3");
	takes_release("{\"method\":\"io.electd.Release\",\"parameters\":"
		      "{\"holder\":\"h1\",\"seq\":3}}");
	kill(electctl, SIGTERM);
	assert_int_equal(exit_code(true), 128 + SIGTERM);
}

static void silence_of_electd_ends_the_command(void **state)
{
	(void)state;
	begin("leader", "trap 'echo term >&3; exit' TERM; echo up >&3; " SLEEPS, NEVER_MS);
	assert_string_equal(hears(true), "up");
	until[0] = '\0';
	dead_after_ms = DEAD_AFTER_MS;
	beat();
	assert_string_equal(hears(false), "term");
	assert_true(boot_ms() - last_said_ms >= DEAD_AFTER_MS);
	assert_int_equal(exit_code(false), ELECTCTL_FALSE);
}

/* Waits until electctl has read all messages and had time to act on them. */
static void takes_it_in(void)
{
	int unread = 1;

	for (int round = 0; unread && round < PATIENCE_ROUNDS; round++) {
		poll(NULL, 0, PATIENCE_ROUND_MS);
		assert_int_equal(ioctl(stream, SIOCOUTQ, &unread), 0);
	}
	assert_int_equal(unread, 0);
	poll(NULL, 0, 100);
}

/* A command may use the token in the name of a file. */
static void no_command_begins_with_an_invalid_token(void **state)
{
	static const char *const tokens[] = { "42/../../x", "", "-1", "111111111111111111111111" };

	(void)state;
	for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++) {
		begin("follower", "echo $ELECTD_TOKEN >&3", NEVER_MS);
		say("leader", "leader", tokens[i], "");
		is_over(true);
		assert_int_equal(exit_code(true), ELECTCTL_PROTOCOL);
	}
}

/* The sum of these numbers must not wrap around. */
static void a_huge_time_to_end_does_not_overflow(void **state)
{
	(void)state;
	begin("leader",
		"trap 'echo term >&3; sleep 0.2; echo end >&3; exit 5' TERM; echo up >&3; " SLEEPS,
		NEVER_MS);
	assert_string_equal(hears(true), "up");
	snprintf(until, sizeof until, ",\"until_boot_ms\":%lld,\"ending_ms\":%lld",
		LLONG_MAX / 1000, LLONG_MAX / 1000);
	beat();
	takes_it_in();
	say("follower", "follower", "41", "");
	assert_string_equal(hears(true), "term");
	assert_string_equal(hears(true), "end");
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

/* The clock leaps by two thirds of the allowed silence, several times. */
static void alive_messages_keep_the_command_running(void **state)
{
	enum { SILENCE_S = DEAD_MS / 1000 };

	(void)state;
	begin_older(SILENCE_S * 1000, "leader",
		"trap 'echo term >&3; exit 3' TERM; trap 'echo done >&3; exit 4' INT; echo up "
		">&3; " SLEEPS,
		NEVER_MS);
	assert_string_equal(hears(true), "up");
	stop_clock();
	for (int i = 0; i < 6; i++) {
		takes_it_in();
		*shift_s += SILENCE_S * 2 / 3;
		beat();
	}
	takes_it_in();
	*shift_s = *stands_s = 0; /* timers use the machine's clock */
	kill(electctl, SIGINT);
	assert_string_equal(hears(true), "done");
	assert_int_equal(exit_code(true), 4);
}

/* electctl was stopped between the message and its reading. */
static void a_message_that_is_read_too_late_does_not_count(void **state)
{
	long long said_ms;

	(void)state;
	begin_older(DEAD_AFTER_MS, "follower", "echo up >&3", NEVER_MS);
	beat();
	takes_it_in();
	said_ms = boot_ms();
	*shift_s = DEAD_AFTER_MS / 1000 + 1;
	say_at(said_ms, "leader", "leader", "42", "");
	takes_it_in();
	assert_int_equal(poll(&(struct pollfd){ .fd = told, .events = POLLIN }, 1, 0), 0);
	dead_after_ms = DEAD_MS;
	assert_string_equal(hears(true), "up"); /* after the first fresh message */
	assert_int_equal(exit_code(true), 0);
	*shift_s = 0;
}

/* The command reports TERM and goes on; only KILL can end it before INT does. */
#define GOES_ON "trap 'echo term >&3' TERM; trap 'echo done >&3; exit 4' INT; echo up >&3; " SLEEPS

static void nothing_is_told(void)
{
	takes_it_in();
	assert_int_equal(poll(&(struct pollfd){ .fd = told, .events = POLLIN }, 1, 0), 0);
}

/* A8: electd has stalled. */
static void the_command_is_ended_at_the_end_of_the_role(void **state)
{
	long long until_ms;

	(void)state;
	begin("leader", "trap 'echo term >&3; exit' TERM; echo up >&3; " SLEEPS, NEVER_MS);
	assert_string_equal(hears(true), "up");
	until_ms = boot_ms() + DEAD_AFTER_MS;
	lasts_until(until_ms, NEVER_MS);
	beat();
	assert_string_equal(hears(false), "term");
	assert_true(boot_ms() >= until_ms);
	assert_int_equal(exit_code(false), ELECTCTL_FALSE);
}

/* A8: whatever dead_after and --kill-after are, and whatever electd sends later. */
static void a_command_that_ignores_term_is_killed_after_the_time_to_end(void **state)
{
	enum { LASTS_S = 3600, ENDING_S = 1000 };

	(void)state;
	begin("leader", GOES_ON, NEVER_MS);
	assert_string_equal(hears(true), "up");
	lasts_until(boot_ms() + LASTS_S * 1000, ENDING_S * 1000);
	beat();
	nothing_is_told();
	*shift_s = LASTS_S + 1;
	assert_string_equal(hears(true), "term");
	*shift_s = LASTS_S + ENDING_S / 2;
	nothing_is_told();
	*shift_s = LASTS_S + ENDING_S + 1;
	is_over(true);
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

/* A8: leadership passes on, and electd stalls while it waits for the command. */
static void a_released_command_is_killed_after_the_time_to_end(void **state)
{
	enum { LASTS_S = 3600 };

	(void)state;
	begin("leader", GOES_ON, NEVER_MS);
	assert_string_equal(hears(true), "up");
	lasts_until(boot_ms() + LASTS_S * 1000, 1000);
	say("release", "leader", "41", ",\"release\":9");
	assert_string_equal(hears(true), "term");
	nothing_is_told();
	*shift_s = LASTS_S + 2;
	takes_release("{\"method\":\"io.electd.Release\",\"parameters\":"
		      "{\"holder\":\"h1\",\"seq\":9}}");
	is_over(true);
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

/* A8: electd continues after TERM was sent, so the command may take its time. */
static void a_later_end_of_the_role_replaces_an_earlier_one(void **state)
{
	enum { LASTS_S = 3600, ENDING_S = 1000 };

	(void)state;
	begin_older(DEAD_AFTER_MS, "follower", GOES_ON, NEVER_MS);
	lasts_until(boot_ms() + LASTS_S * 1000, ENDING_S * 1000);
	say("leader", "leader", "41", "");
	assert_string_equal(hears(false), "up");
	*shift_s = LASTS_S - 1; /* silence does not end the command */
	nothing_is_told();
	lasts_until(boot_ms() + LASTS_S * 1000, ENDING_S * 1000);
	beat();
	takes_it_in();
	*shift_s += LASTS_S - 1;
	beat();
	nothing_is_told();
	*shift_s += 2;
	assert_string_equal(hears(true), "term");
	lasts_until(boot_ms() + LASTS_S * 1000, ENDING_S * 1000);
	beat();
	takes_it_in();
	*shift_s += ENDING_S + 2;
	beat();
	nothing_is_told();
	*shift_s = 0; /* timers use the machine's clock */
	kill(electctl, SIGINT);
	assert_string_equal(hears(true), "done");
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

/* A8: a member with a shorter dead_after has joined, or a reload has set a shorter one. */
static void an_earlier_end_of_the_role_replaces_a_later_one(void **state)
{
	enum { LASTS_S = 3600 };

	(void)state;
	begin("leader", "trap 'echo term >&3; exit' TERM; echo up >&3; " SLEEPS, NEVER_MS);
	assert_string_equal(hears(true), "up");
	lasts_until(boot_ms() + LASTS_S * 1000, NEVER_MS);
	beat();
	lasts_until(boot_ms() + LASTS_S / 2 * 1000, NEVER_MS);
	beat();
	nothing_is_told();
	*shift_s = LASTS_S / 2 + 1;
	assert_string_equal(hears(true), "term");
	assert_int_equal(exit_code(true), ELECTCTL_FALSE);
}

/* A8: electctl stalled until after the end of the role. */
static void no_command_begins_after_the_end_of_the_role(void **state)
{
	(void)state;
	begin("follower", "echo up >&3", NEVER_MS);
	lasts_until(boot_ms() - 1, NEVER_MS);
	say("leader", "leader", "42", "");
	nothing_is_told();
	lasts_until(boot_ms() + NEVER_MS, NEVER_MS);
	assert_string_equal(hears(true), "up");
	assert_int_equal(exit_code(true), 0);
}

/* A8: electctl does not even wait for the role. */
static void an_electd_in_another_time_namespace_is_refused(void **state)
{
	(void)state;
	time_namespace = 7;
	begin("leader", "echo never >&3", NEVER_MS);
	is_over(false);
	assert_int_equal(exit_code(false), ELECTCTL_FALSE);
	time_namespace = 0;
}

static void without_an_electd_the_command_does_not_begin(void **state)
{
	(void)state;
	path[0] = '#';
	launch("echo never >&3", NEVER_MS);
	path[0] = '/';
	stream = -1;
	is_over(false);
	assert_int_equal(exit_code(false), ELECTCTL_NOT_RUNNING);
}

static void a_refusal_of_electd_is_an_exit_code(void **state)
{
	static const struct {
		const char *error;
		int code;
	} rows[] = {
		{ "io.electd.NotAllowed", ELECTCTL_NOT_ALLOWED },
		{ "io.electd.TooManyClients", ELECTCTL_NO_PLACE },
		{ "org.varlink.service.MethodNotFound", ELECTCTL_PROTOCOL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		launch("echo never >&3", NEVER_MS);
		is_asked();
		dprintf(stream, "{\"error\":\"%s\"}%c", rows[i].error, 0);
		is_over(false);
		assert_int_equal(exit_code(false), rows[i].code);
	}
}

static void an_electd_that_does_not_answer_is_given_up(void **state)
{
	struct pollfd end;

	(void)state;
	launch("echo never >&3", NEVER_MS);
	is_asked();
	*shift_s = 4;
	dprintf(stream, "{"); /* electctl looks at the clock */
	nothing_is_told();
	end = (struct pollfd){ .fd = told, .events = POLLIN };
	/* electd_close() waits, too, and the clock stands. */
	for (*shift_s = 5; *shift_s < NEVER_MS && poll(&end, 1, BEAT_MS) == 0; (*shift_s)++)
		dprintf(stream, "{");
	is_over(false);
	assert_int_equal(exit_code(false), ELECTCTL_TIMED_OUT);
}

static void the_end_of_electd_ends_the_command(void **state)
{
	(void)state;
	begin("leader", "trap 'echo term >&3; exit' TERM; echo up >&3; " SLEEPS, NEVER_MS);
	assert_string_equal(hears(true), "up");
	shutdown(stream, SHUT_RDWR);
	assert_string_equal(hears(false), "term");
	assert_int_equal(exit_code(false), ELECTCTL_FALSE);
}

static void the_end_of_electd_before_the_command_is_exit_code_3(void **state)
{
	(void)state;
	begin("follower", "echo never >&3", NEVER_MS);
	shutdown(stream, SHUT_RDWR);
	assert_int_equal(exit_code(false), ELECTCTL_NOT_RUNNING);
}

static void a_lost_role_ends_the_command_and_a_new_token_restarts_it(void **state)
{
	(void)state;
	begin("leader", "trap 'echo term >&3; exit' TERM; echo $ELECTD_TOKEN >&3; " SLEEPS,
		NEVER_MS);
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
		NEVER_MS);
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
	begin("leader", "echo up >&3; exec sleep 100", NEVER_MS);
	assert_string_equal(hears(true), "up");
	kill(electctl, SIGKILL);
	waitpid(electctl, &status, 0);
	is_over(false);
	close(stream);
	close(told);
}

static void a_command_that_cannot_be_run_is_exit_code_126_or_127(void **state)
{
	(void)state;
	begin("leader", "exec /nonexistent", NEVER_MS);
	assert_int_equal(exit_code(true), 127);
	begin("leader", "exec 2>&-; exec /dev/null", NEVER_MS);
	assert_int_equal(exit_code(true), 126);
}

static int prepare(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/s", folder);
	shift_s = mmap(NULL, 2 * sizeof *shift_s, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shift_s == MAP_FAILED)
		return -1;
	stands_s = shift_s + 1;
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
		cmocka_unit_test(no_command_begins_with_an_invalid_token),
		cmocka_unit_test(a_huge_time_to_end_does_not_overflow),
		cmocka_unit_test(no_command_begins_while_the_leader_asks),
		cmocka_unit_test(no_command_begins_during_a_demotion),
		cmocka_unit_test(a_waiting_command_does_not_begin_in_a_demotion),
		cmocka_unit_test(a_running_command_goes_on_while_the_leader_asks),
		cmocka_unit_test(a_command_that_a_signal_kills_gives_128_plus_its_number),
		cmocka_unit_test(leadership_passes_on_only_after_all_processes_have_ended),
		cmocka_unit_test(a_command_that_ignores_term_is_killed_before_leadership_passes_on),
		cmocka_unit_test(a_waiting_electctl_releases_at_once),
		cmocka_unit_test(silence_of_electd_ends_the_command),
		cmocka_unit_test(alive_messages_keep_the_command_running),
		cmocka_unit_test(a_message_that_is_read_too_late_does_not_count),
		cmocka_unit_test(the_command_is_ended_at_the_end_of_the_role),
		cmocka_unit_test(a_command_that_ignores_term_is_killed_after_the_time_to_end),
		cmocka_unit_test(a_released_command_is_killed_after_the_time_to_end),
		cmocka_unit_test(a_later_end_of_the_role_replaces_an_earlier_one),
		cmocka_unit_test(an_earlier_end_of_the_role_replaces_a_later_one),
		cmocka_unit_test(no_command_begins_after_the_end_of_the_role),
		cmocka_unit_test(an_electd_in_another_time_namespace_is_refused),
		cmocka_unit_test(without_an_electd_the_command_does_not_begin),
		cmocka_unit_test(a_refusal_of_electd_is_an_exit_code),
		cmocka_unit_test(an_electd_that_does_not_answer_is_given_up),
		cmocka_unit_test(the_end_of_electd_ends_the_command),
		cmocka_unit_test(the_end_of_electd_before_the_command_is_exit_code_3),
		cmocka_unit_test(a_lost_role_ends_the_command_and_a_new_token_restarts_it),
		cmocka_unit_test(signals_are_passed_on),
		cmocka_unit_test(the_command_dies_with_electctl),
		cmocka_unit_test(a_command_that_cannot_be_run_is_exit_code_126_or_127),
	};

	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT,
		SIG_DFL); /* a job in the background of a shell ignores it, and so would all */
	return cmocka_run_group_tests(tests, prepare, clean);
}
