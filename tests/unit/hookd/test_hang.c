/* SPDX-License-Identifier: Apache-2.0 */
/* A hanging disk (crashes A3): only a promotion waits for its record. */
#include "whole.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { TIMEOUT_US = 2000000 }; /* hooks.timeout_ms of whole.h */

static atomic_bool *hangs;	  /* shared with electd-hookd */
static int lists[2];		  /* pipe: a search for scripts has begun */
static int begins[2], goes_on[2]; /* pipes: a sync has begun to hang, and may continue */

/* ---- the disk ---------------------------------------------------------------------------- */

/* Replaces fdatasync() of the C library; only the writing thread of electd-hookd calls it. */
int fdatasync(int fd)
{
	char byte;

	if (atomic_load(hangs)) {
		assert_int_equal(write(begins[1], "", 1), 1);
		assert_int_equal(read(goes_on[0], &byte, 1), 1);
	}
	return fsync(fd);
}

static void disk_hangs(void)
{
	atomic_store(hangs, true);
}

static void wait_hanging(void)
{
	char byte;

	readable(begins[0]);
	assert_int_equal(read(begins[0], &byte, 1), 1);
}

static void disk_answers(void)
{
	atomic_store(hangs, false);
	assert_int_equal(write(goes_on[1], "", 1), 1);
}

static void list_begins(void)
{
	assert_int_equal(write(lists[1], "", 1), 1);
}

/* Waits until the scripts of one more event are sought. */
static void seeks(void)
{
	char byte;

	readable(lists[0]);
	assert_int_equal(read(lists[0], &byte, 1), 1);
}

static int set_up(void **state)
{
	whole_lists = list_begins;
	hangs = mmap(
		NULL, sizeof(*hangs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hangs == MAP_FAILED || pipe2(begins, O_CLOEXEC) || pipe2(goes_on, O_CLOEXEC) ||
		pipe2(lists, O_CLOEXEC | O_NONBLOCK))
		return -1;
	atomic_init(hangs, false);
	return setup(state);
}

static int tear_down(void **state)
{
	int r = teardown(state);

	for (int i = 0; i < 2; i++) {
		close(begins[i]);
		close(goes_on[i]);
		close(lists[i]);
	}
	munmap(hangs, sizeof(*hangs));
	return r;
}

/* ---- electd ------------------------------------------------------------------------------ */

static void say_release(unsigned number)
{
	char text[256];

	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%u,\"event\":\"release\",\"boot_ms\":%llu,"
		"\"release\":%u,\"purpose\":\"yield\"},\"continues\":true}",
		seq - 1, (unsigned long long)(clock_boot_us() / 1000), number);
	say(subscription, text);
}

/* Asserts that the next call contains these words, and replies. */
static void calls(const char *words)
{
	char asked[1024];

	hang_up(&call);
	call = comes(asked, sizeof(asked));
	if (!strstr(asked, words))
		fail_msg("not %s: %s", words, asked);
	answers();
}

/* This host leads, and its promotion is over. */
static void leads(unsigned token)
{
	subscribes("leader", token);
	tells(token);
	answers();
}

/* ---- the tests --------------------------------------------------------------------------- */

static void a_promotion_waits_for_its_record(void **state)
{
	(void)state;
	subscribes("follower", 40);
	disk_hangs();
	say_role("leader", "leader", 41);
	wait_hanging();
	tells_nothing();
	disk_answers();
	tells(41);
	answers();
}

/* Otherwise a disk that takes a while costs that time twice. */
static void scripts_are_sought_while_the_record_is_written(void **state)
{
	char byte;

	(void)state;
	subscribes("follower", 40);
	seeks();
	disk_hangs();
	say_role("leader", "leader", 41);
	wait_hanging();
	seeks();
	tells_nothing();
	disk_answers();
	tells(41);
	answers();
	assert_int_equal(read(lists[0], &byte, 1), -1);
}

static void a_release_does_not_wait_for_a_record(void **state)
{
	(void)state;
	subscribes("follower", 40);
	disk_hangs();
	say_role("leader", "leader", 41);
	wait_hanging();
	say_release(7);
	calls("io.electd.Release");
	disk_answers();
	say_role("none", "none", 0);
	say_role("leader", "leader", 43);
	tells(43);
	answers();
}

static void the_demotion_of_a_confirmed_leader_does_not_wait_for_a_record(void **state)
{
	(void)state;
	leads(41);
	disk_hangs();
	say_role("leader", "leader", 42);
	wait_hanging();
	say_release(7);
	calls("io.electd.Release");
	disk_answers();
}

static void the_end_of_the_program_does_not_wait_for_a_record(void **state)
{
	(void)state;
	leads(41);
	disk_hangs();
	say_role("leader", "leader", 42);
	wait_hanging();
	kill(hookd, SIGTERM);
	tells(0);
	disk_answers();
}

static void the_end_of_a_demotion_does_not_wait_for_a_record(void **state)
{
	(void)state;
	leads(41);
	disk_hangs();
	say_role("follower", "follower", 42);
	wait_hanging();
	say_release(7);
	calls("io.electd.Release");
	disk_answers();
	say_role("none", "none", 0);
	say_role("leader", "leader", 43);
	tells(43);
	answers();
}

static void a_disk_that_does_not_answer_is_reported(void **state)
{
	(void)state;
	subscribes("follower", 40);
	disk_hangs();
	say_role("leader", "leader", 41);
	wait_hanging();
	time_passes(TIMEOUT_US);
	calls("\"result\":\"unrecorded\"");
	disk_answers();
}

#define HANGING(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HANGING(a_promotion_waits_for_its_record),
		HANGING(scripts_are_sought_while_the_record_is_written),
		HANGING(a_release_does_not_wait_for_a_record),
		HANGING(the_demotion_of_a_confirmed_leader_does_not_wait_for_a_record),
		HANGING(the_end_of_the_program_does_not_wait_for_a_record),
		HANGING(the_end_of_a_demotion_does_not_wait_for_a_record),
		HANGING(a_disk_that_does_not_answer_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
