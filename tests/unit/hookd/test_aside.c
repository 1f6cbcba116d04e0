/* SPDX-License-Identifier: Apache-2.0 */
/* An unusable state folder ([restart]): electd-hookd takes no part until the folder is usable. */
#include "whole.h"

#include "systemctl.h"

#include "hookd/run/phase.h"

#include <sys/file.h>
#include <sys/stat.h>

enum { ASIDE_US = 2000000, MINUTE_US = 60000000 };

#define TARGET "t.target"
#define LINE   "takes no part until it can be used"

static int lock = -1;	   /* of the state folder */
static int manager;	   /* the socket of the service manager */
static unsigned demotions; /* reported to the manager */

static struct played play_systemctl(const struct command_order *order)
{
	(void)order;
	return (struct played){ .output = "" };
}

/* ---- the folder and the manager -------------------------------------------------------------- */

static const char *path_in_dir(const char *name)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s/%s", dir, name);
	return text;
}

static void begin_manager(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", dir);
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(manager, (struct sockaddr *)&address, sizeof(address)), 0);
	setenv("NOTIFY_SOCKET", address.sun_path, 1);
	demotions = 0;
}

/* Skips notifications until one contains `words`. */
static void manager_hears(const char *words)
{
	char text[512];
	ssize_t n;

	do {
		readable(manager);
		n = recv(manager, text, sizeof(text) - 1, 0);
		assert_true(n > 0);
		text[n] = '\0';
		demotions += !strcmp(text, "STATUS=none: running hooks");
	} while (!strstr(text, words));
}

/* Reads the notifications that wait; true: one contains `words`. */
static bool manager_has_heard(const char *words)
{
	char text[512];
	bool heard = false;
	ssize_t n;

	while ((n = recv(manager, text, sizeof(text) - 1, MSG_DONTWAIT)) > 0) {
		text[n] = '\0';
		heard |= strstr(text, words) != NULL;
	}
	return heard;
}

/* A folder in place of the record prevents both reading and writing. */
static void break_folder(void)
{
	assert_int_equal(mkdir(path_in_dir("phase"), 0700), 0);
	begin_manager();
}

static void mend_folder(void)
{
	assert_int_equal(rmdir(path_in_dir("phase")), 0);
}

/* There was never a record, and none can be made. */
static void refuse_new_record(void)
{
	assert_int_equal(mkdir(path_in_dir("phase.new"), 0700), 0);
	begin_manager();
}

/* The disk of the folder is mounted late; the host had crashed while it led. */
static void record_appears(void)
{
	const struct hookplan_phase started = { HOOKPLAN_STARTED, 7 };
	struct hookplan_phase found;
	struct phase *phase;
	char other[128];
	int trouble;

	snprintf(other, sizeof(other), "%s", path_in_dir("other"));
	assert_int_equal(phase_open(other, &phase, &found, &trouble), 0);
	assert_int_equal(phase_save(phase, &started), 0);
	phase_close(phase);
	snprintf(other, sizeof(other), "%s", path_in_dir("other/phase"));
	assert_int_equal(rename(other, path_in_dir("phase")), 0);
}

static void damage_record(void)
{
	int fd = open(path_in_dir("phase"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, "what is this", 12), 12);
	close(fd);
	begin_manager();
}

/* As another electd-hookd does. */
static void take_lock(void)
{
	lock = open(path_in_dir("phase.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	begin_manager();
}

static int set_up_with(void **state, void (*prepare)(void))
{
	whole_target = TARGET;
	whole_prepare = prepare;
	return setup(state);
}

static int set_up_broken(void **state)
{
	return set_up_with(state, break_folder);
}

static int set_up_without(void **state)
{
	return set_up_with(state, refuse_new_record);
}

static int set_up_damaged(void **state)
{
	return set_up_with(state, damage_record);
}

static int set_up_locked(void **state)
{
	return set_up_with(state, take_lock);
}

static int set_up_owed(void **state)
{
	whole_owed = true;
	return set_up_with(state, break_folder);
}

static int set_up_ended(void **state)
{
	whole_owed = true;
	setenv("SERVICE_RESULT", "exit-code", 1);
	setenv("EXIT_STATUS", "78", 1);
	return set_up_with(state, begin_manager);
}

static int tear_down(void **state)
{
	hang_up(&manager);
	hang_up(&lock);
	unsetenv("NOTIFY_SOCKET");
	unsetenv("SERVICE_RESULT");
	unsetenv("EXIT_STATUS");
	whole_owed = false;
	whole_prepare = NULL;
	return teardown(state);
}

/* ---- electd ------------------------------------------------------------------------------ */

/* Waits for the subscription; each attempt before it only reports HookdMissing. */
static void subscribes_in_the_end(void)
{
	char asked[1024];

	hang_up(&call);
	subscription = comes(asked, sizeof(asked));
	while (!strstr(asked, "io.electd.Subscribe")) {
		assert_non_null(strstr(asked, "io.electd.HookdMissing"));
		time_passes(ASIDE_US);
		hang_up(&subscription);
		subscription = comes(asked, sizeof(asked));
	}
	seq = 5;
	say_role("snapshot", "leader", 41);
}

static unsigned lines(const char *words)
{
	unsigned count = 0;

	for (const char *at = logged(); (at = strstr(at, words)); at++)
		count++;
	return count;
}

static void ends_well(void)
{
	int status;

	assert_int_equal(waitpid(hookd, &status, 0), hookd);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	hookd = fork(); /* a process for teardown() to end */
	if (!hookd)
		_exit(0);
}

/* ---- the tests --------------------------------------------------------------------------- */

static void hookd_reports_why_it_takes_no_part(void **state)
{
	(void)state;
	manager_hears("READY=1");
	manager_hears("STATUS=takes no part: cannot use the phase in /tmp");
	for (int i = 0; i < 3; i++) {
		time_passes(ASIDE_US);
		calls("{\"method\":\"io.electd.HookdMissing\",\"parameters\":{\"words\":"
		      "\"cannot use the phase in /tmp");
		manager_hears("Is a directory");
	}
}

static void hookd_takes_part_when_the_folder_becomes_usable(void **state)
{
	(void)state;
	time_passes(ASIDE_US);
	mend_folder();
	subscribes_in_the_end();
	tells(41);
	answers();
	assert_int_equal(lines("is written: takes part"), 1);
	time_passes(ASIDE_US);
	tells_nothing();
}

static void hookd_logs_one_line_a_minute(void **state)
{
	(void)state;
	for (uint64_t us = ASIDE_US; us < MINUTE_US; us += ASIDE_US) {
		time_passes(ASIDE_US);
		calls("io.electd.HookdMissing");
	}
	assert_int_equal(lines(LINE), 1);
	time_passes(ASIDE_US);
	calls("io.electd.HookdMissing");
	assert_int_equal(lines(LINE), 2);
}

static void hookd_ends_at_once_while_it_takes_no_part(void **state)
{
	(void)state;
	time_passes(ASIDE_US);
	calls("io.electd.HookdMissing");
	kill(hookd, SIGTERM);
	ends_well();
	assert_false(manager_has_heard("STATUS=stop"));
}

static void no_demotion_runs_without_a_record(void **state)
{
	(void)state;
	time_passes(ASIDE_US);
	calls("io.electd.HookdMissing");
	assert_false(manager_has_heard("running hooks"));
	assert_int_equal(rmdir(path_in_dir("phase.new")), 0);
	time_passes(ASIDE_US);
	subscribes_in_the_end();
	tells(41);
}

static void a_record_that_appears_late_is_demoted(void **state)
{
	char asked[512];

	(void)state;
	time_passes(ASIDE_US);
	calls("io.electd.HookdMissing");
	assert_false(manager_has_heard("running hooks"));
	record_appears();
	assert_int_equal(rmdir(path_in_dir("phase.new")), 0);
	time_passes(ASIDE_US);
	manager_hears("STATUS=none, 0 scripts ran");
	do {
		hang_up(&subscription);
		subscription = comes(asked, sizeof(asked));
	} while (!strstr(asked, "io.electd.Subscribe"));
	assert_int_equal(demotions, 1);
}

/* hookd cannot know whether a promotion had begun, so it demotes once. */
static void a_possibly_pending_demotion_runs_once(void **state)
{
	(void)state;
	manager_hears("STATUS=none, 0 scripts ran");
	for (int i = 0; i < 3; i++) {
		time_passes(ASIDE_US);
		calls("io.electd.HookdMissing");
		manager_hears("STATUS=takes no part");
	}
	assert_int_equal(demotions, 1);
}

/* The record is replaced at once, so nothing waits. */
static void a_damaged_record_is_repaired(void **state)
{
	char asked[512];

	(void)state;
	manager_hears("STATUS=none, 0 scripts ran");
	subscription = comes(asked, sizeof(asked));
	assert_non_null(strstr(asked, "io.electd.Subscribe"));
	assert_int_equal(lines("is damaged"), 1);
}

static void a_possibly_pending_demotion_runs_after_the_end_of_hookd(void **state)
{
	char asked[512];

	(void)state;
	manager_hears("STATUS=stop, 0 scripts ran");
	subscription = comes(asked, sizeof(asked));
	assert_non_null(strstr(asked, "io.electd.Subscribe"));
	ends_well();
}

/* This wait is in real time. */
static void a_hangup_does_not_end_the_wait_for_the_lock(void **state)
{
	char asked[512];

	(void)state;
	manager_hears("STATUS=takes no part: cannot use the phase in /tmp");
	kill(hookd, SIGHUP);
	assert_int_equal(flock(lock, LOCK_UN), 0);
	subscription = comes(asked, sizeof(asked));
	assert_non_null(strstr(asked, "io.electd.Subscribe"));
}

static void the_end_of_hookd_is_reported_to_electd(void **state)
{
	(void)state;
	calls("{\"method\":\"io.electd.HookdMissing\",\"parameters\":{\"words\":"
	      "\"it has ended: exit-code, 78\"}}");
	ends_well();
}

#define WITH(how, test) cmocka_unit_test_setup_teardown(test, set_up_##how, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(broken, hookd_reports_why_it_takes_no_part),
		WITH(broken, hookd_takes_part_when_the_folder_becomes_usable),
		WITH(broken, hookd_logs_one_line_a_minute),
		WITH(broken, hookd_ends_at_once_while_it_takes_no_part),
		WITH(broken, a_possibly_pending_demotion_runs_once),
		WITH(without, no_demotion_runs_without_a_record),
		WITH(without, a_record_that_appears_late_is_demoted),
		WITH(damaged, a_damaged_record_is_repaired),
		WITH(locked, a_hangup_does_not_end_the_wait_for_the_lock),
		WITH(owed, a_possibly_pending_demotion_runs_after_the_end_of_hookd),
		WITH(ended, the_end_of_hookd_is_reported_to_electd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
