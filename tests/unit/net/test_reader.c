/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reader: reads of the links in a thread, on whatever links this machine has. Each test waits
 * for its event.
 */
#include "net/reader.h"

#include "unit/patience.h"
#include "unit/refused.h"

#include <errno.h>
#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	LO = 1, /* its number in each namespace */
	/* Some of them are over before the call that makes the thread returns, on two processors.
	 */
	FAILURES = 2000,
};

static struct event_base *base;
static struct net_reader *reader;
static struct net_homes homes;
static unsigned reads;
static int expected; /* the error of each read */
static struct rlimit files;

static void count_read(void *user, int error)
{
	assert_ptr_equal(user, &reads);
	assert_int_equal(error, expected);
	reads++;
}

static int set_up(void **state)
{
	(void)state;
	reads = 0;
	expected = 0;
	memset(&homes, 0, sizeof(homes));
	getrlimit(RLIMIT_NOFILE, &files);
	base = event_base_new();
	reader = net_reader_new(base, &homes, count_read, &reads);
	return base && reader ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	net_reader_free(reader);
	event_base_free(base);
	return setrlimit(RLIMIT_NOFILE, &files);
}

static void run(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
	poll(NULL, 0, PATIENCE_ROUND_MS);
}

static void run_until_read(unsigned wanted)
{
	for (int round = 0; reads < wanted && round < PATIENCE_ROUNDS; round++)
		run();
	assert_int_equal(reads, wanted);
}

static void a_read_is_told_from_the_loop(void **state)
{
	struct net_links *former = calloc(1, sizeof(*former)), *found;

	(void)state;
	net_reader_ask(reader);
	assert_int_equal(reads, 0);
	run_until_read(1);
	found = net_reader_swap(reader, former);
	assert_ptr_not_equal(found, former);
	assert_ptr_equal(found->homes, &homes);
	free(found);
	net_reader_ask(reader);
	run_until_read(2);
}

/* The second one may see what came too late for the first. */
static void each_of_two_reads_is_told(void **state)
{
	(void)state;
	net_reader_ask(reader);
	net_reader_ask(reader);
	run_until_read(2);
}

/* Each round asks before it looks whether a read is over. */
static void reads_that_are_asked_for_without_a_pause_are_told(void **state)
{
	(void)state;
	for (int round = 0; reads < 3 && round < PATIENCE_ROUNDS; round++) {
		net_reader_ask(reader);
		event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK); /* one event, perhaps */
		poll(NULL, 0, PATIENCE_ROUND_MS);
	}
	assert_true(reads >= 3);
}

/* A read that began before lo was used for its default route does not say that lo is there. */
static void a_void_read_is_not_told_and_repeated(void **state)
{
	struct net_links *former = calloc(1, sizeof(*former)), *found;

	(void)state;
	net_reader_ask(reader);
	homes.items[0].ifindex = LO;
	homes.items[0].routed = true;
	net_reader_renew(reader);
	run_until_read(1);
	found = net_reader_swap(reader, former);
	assert_true(found->routed_there);
	free(found);
}

static void a_read_that_fails_says_so(void **state)
{
	const struct rlimit none = { .rlim_max = files.rlim_max };

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	expected = -EMFILE;
	for (unsigned i = 1; i <= FAILURES; i++) {
		net_reader_ask(reader);
		while (reads < i)
			event_base_loop(base, EVLOOP_ONCE);
	}
}

static int ask_without_a_thread(void)
{
	if (set_up(NULL))
		return CHILD_CANNOT;
	expected = -EAGAIN;
	for (unsigned i = 1; i <= 2; i++) {
		net_reader_ask(reader);
		if (reads != i - 1)
			return 1;
		event_base_loop(base, EVLOOP_ONCE);
	}
	return reads == 2 ? CHILD_OK : 1;
}

static void a_thread_that_is_refused_is_a_read_that_fails(void **state)
{
	static const struct refused threads[] = { { SYS_clone3, EAGAIN, 0, false },
		{ SYS_clone, EAGAIN, 0, false }, { 0 } };

	(void)state;
	NOT_UNDER_VALGRIND();
	ASSERT_BEHIND(threads, ask_without_a_thread);
}

static void nothing_is_told_of_a_read_that_was_never_asked_for(void **state)
{
	(void)state;
	net_reader_renew(reader);
	event_base_loop(base, EVLOOP_NONBLOCK);
	assert_int_equal(reads, 0);
	net_reader_ask(reader);
	run_until_read(1);
}

/* The sanitizers see what is freed twice, or used afterwards. */
static void a_reader_may_go_while_it_reads(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		net_reader_ask(reader);
		net_reader_free(reader);
		reader = net_reader_new(base, &homes, count_read, &reads);
		assert_non_null(reader);
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_read_is_told_from_the_loop),
		T(each_of_two_reads_is_told),
		T(reads_that_are_asked_for_without_a_pause_are_told),
		T(a_void_read_is_not_told_and_repeated),
		T(a_read_that_fails_says_so),
		cmocka_unit_test(a_thread_that_is_refused_is_a_read_that_fails),
		T(nothing_is_told_of_a_read_that_was_never_asked_for),
		T(a_reader_may_go_while_it_reads),
	};

	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
