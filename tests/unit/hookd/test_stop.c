/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_stop: a unit that is bound to the leader target and takes 14 s to stop (crashes A4b). What
 * systemctl does is played, in virtual time: command.h is this program's.
 */
#include "whole.h"

#include "hookd/script/command.h"

#include <sys/syscall.h>
#include <systemd/sd-daemon.h>

enum {
	TIMEOUT_US = 2000000, /* hooks.timeout_ms, as whole.h states it */
	STOP_US = 14000000,   /* the unit's stop */
	MOMENT_US = 100000,
};

#define TARGET "t.target"
#define UNIT   "db.service"

/* ---- systemctl --------------------------------------------------------------------------- */

struct command {
	sd_event_source *time;
	command_ended_fn *ended;
	void *user;
	uint64_t started_us, deadline_us;
	const char *output;
};

int sd_booted(void)
{
	return 1;
}

/* systemctl is there. */
int access(const char *name, int mode)
{
	if (strstr(name, "/systemctl"))
		return 0;
	return (int)syscall(SYS_faccessat, AT_FDCWD, name, mode);
}

static int on_end(sd_event_source *source, uint64_t at_us, void *user)
{
	const struct command *c = user;
	struct command_result result = { .end = COMMAND_EXITED };

	(void)source;
	if (at_us >= c->deadline_us)
		result.end = COMMAND_TIMED_OUT;
	result.started_us = c->started_us;
	result.ended_us = at_us;
	snprintf(result.output, sizeof(result.output), "%s", c->output);
	c->ended(c->user, &result);
	return 0;
}

static bool has_word(const struct command_order *order, const char *word)
{
	for (char *const *at = order->argv; *at; at++)
		if (!strcmp(*at, word))
			return true;
	return false;
}

int command_start(struct command **ret_command, sd_event *event, const struct command_order *order,
	command_ended_fn *ended, void *user)
{
	struct command *c = calloc(1, sizeof(*c));

	*c = (struct command){ .ended = ended, .user = user, .started_us = virtual_us };
	c->deadline_us = order->deadline_us;
	c->output = has_word(order, "BoundBy") ? UNIT "\n"
		: has_word(order, "show")      ? "Id=" UNIT "\nActiveState=deactivating\n"
					       : "";
	timer_add(event, &c->time, TIMER_SHARP_US, on_end, c);
	timer_at(c->time, has_word(order, "stop") ? virtual_us + STOP_US : virtual_us);
	if (has_word(order, "stop") && c->deadline_us < virtual_us + STOP_US)
		timer_at(c->time, c->deadline_us);
	*ret_command = c;
	return 0;
}

void command_cut(struct command *c)
{
	timer_in(c->time, 0);
}

bool command_hangs(pid_t left)
{
	(void)left;
	return false;
}

void command_free(struct command *c)
{
	if (!c)
		return;
	sd_event_source_disable_unref(c->time);
	free(c);
}

/* ---- electd ------------------------------------------------------------------------------ */

static int set_up(void **state)
{
	whole_target = TARGET;
	return setup(state);
}

/* The next call has these words, and is answered. */
static void calls(const char *words)
{
	char asked[1024];

	hang_up(&call);
	call = comes(asked, sizeof(asked));
	if (!strstr(asked, words))
		fail_msg("not %s: %s", words, asked);
	answers();
}

static void say_of_release(const char *event, const char *more)
{
	char text[256];

	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%u,\"event\":\"%s\",\"boot_ms\":%llu,\"release\":7%s},"
		"\"continues\":true}",
		seq - 1, event, (unsigned long long)(clock_boot_us() / 1000), more);
	say(subscription, text);
}

/* This host leads, and electd asks for its demotion; the time of the event is over. */
static void stops_for(uint64_t us)
{
	subscribes("leader", 41);
	tells(41);
	answers();
	time_passes(MOMENT_US);
	say_of_release("release", ",\"purpose\":\"yield\"");
	time_passes(TIMEOUT_US);
	calls("\"script\":\"" TARGET "\",\"event\":\"none\",\"result\":\"timed-out\"");
	time_passes(us - TIMEOUT_US);
}

/* ---- the tests --------------------------------------------------------------------------- */

static void leadership_is_released_when_the_unit_has_stopped(void **state)
{
	(void)state;
	stops_for(STOP_US - MOMENT_US);
	tells_nothing_for(0);
	time_passes(MOMENT_US);
	calls("\"result\":\"ok\"");
	calls("io.electd.Release");
}

static void one_that_is_over_is_not_answered_and_its_unit_is_named(void **state)
{
	(void)state;
	stops_for(STOP_US - 2 * MOMENT_US);
	say_of_release("release-over", "");
	calls("\"script\":\"" UNIT "\",\"event\":\"none\",\"result\":\"overran\"");
	time_passes(2 * MOMENT_US);
	calls("\"script\":\"" TARGET "\",\"event\":\"none\",\"result\":\"ok\"");
	say_role("follower", "follower", 42);
	calls("\"script\":\"" UNIT "\",\"event\":\"none\",\"result\":\"gone\"");
	tells_nothing_for(MOMENT_US);
}

/* The copy of electd takes the end of this connection for the end of the demotion. */
static void a_kept_connection_is_closed_when_the_unit_has_stopped(void **state)
{
	char byte;

	(void)state;
	subscribes("leader", 41);
	tells(41);
	answers();
	time_passes(MOMENT_US);
	hang_up(&listener);
	assert_int_equal(shutdown(subscription, SHUT_WR), 0);
	time_passes(STOP_US - MOMENT_US);
	assert_int_equal(recv(subscription, &byte, 1, MSG_DONTWAIT), -1);
	time_passes(MOMENT_US);
	readable(subscription);
	assert_int_equal(recv(subscription, &byte, 1, 0), 0);
}

#define STOPPING(test) cmocka_unit_test_setup_teardown(test, set_up, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STOPPING(leadership_is_released_when_the_unit_has_stopped),
		STOPPING(one_that_is_over_is_not_answered_and_its_unit_is_named),
		STOPPING(a_kept_connection_is_closed_when_the_unit_has_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
