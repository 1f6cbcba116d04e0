/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of the links in a thread, on any machine. Each test waits for its event. */
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
	/* In some of these rounds the read fails before signals_thread() returns. */
	FAILURES = 2000,
};

static struct event_base *base;
static struct net_reader *reader;
static unsigned reads;
static int expected;		/* the error of each read */
static struct rlimit files;	/* before the test */
static struct net_links *links; /* of the last read */

static void count_read(void *user, int error)
{
	assert_ptr_equal(user, &reads);
	assert_int_equal(error, expected);
	if (!error)
		links = net_reader_swap(reader, links);
	reads++;
}

static int set_up(void **state)
{
	(void)state;
	reads = 0;
	expected = 0;
	getrlimit(RLIMIT_NOFILE, &files);
	links = calloc(1, sizeof(*links));
	base = event_base_new();
	reader = net_reader_new(base, NET_BOTH, count_read, &reads);
	return base && reader && links ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	net_reader_free(reader);
	event_base_free(base);
	net_links_clear(links);
	free(links);
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

static void a_read_is_reported_from_the_loop(void **state)
{
	struct net_links *former = links;

	(void)state;
	net_reader_ask(reader);
	assert_int_equal(reads, 0);
	run_until_read(1);
	assert_ptr_not_equal(links, former);
	net_reader_ask(reader);
	run_until_read(2);
}

/* The second read may find a change that came too late for the first. */
static void each_of_two_reads_is_reported(void **state)
{
	(void)state;
	net_reader_ask(reader);
	net_reader_ask(reader);
	run_until_read(2);
}

/* The first of the two reads is not delivered. */
static void a_void_read_is_repeated_and_not_delivered(void **state)
{
	(void)state;
	net_reader_ask(reader);
	net_reader_renew(reader);
	run_until_read(1);
	for (int round = 0; round < 3; round++)
		run();
	assert_int_equal(reads, 1);
}

static void a_failed_read_reports_its_error(void **state)
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
		event_base_loop(base, EVLOOP_NONBLOCK); /* nothing to wait for */
	}
	return reads == 2 ? CHILD_OK : 1;
}

static void a_refused_thread_is_a_failed_read(void **state)
{
	static const struct refused threads[] = { { SYS_clone3, EAGAIN, 0, false },
		{ SYS_clone, EAGAIN, 0, false }, { 0 } };

	(void)state;
	NOT_UNDER_VALGRIND();
	ASSERT_BEHIND(threads, ask_without_a_thread);
}

static void a_read_that_was_not_requested_is_not_reported(void **state)
{
	(void)state;
	net_reader_renew(reader);
	event_base_loop(base, EVLOOP_NONBLOCK);
	assert_int_equal(reads, 0);
	net_reader_ask(reader);
	run_until_read(1);
}

/* The sanitizers find a double free and a use after free. */
static void a_reader_may_be_freed_while_it_reads(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		net_reader_ask(reader);
		net_reader_free(reader);
		reader = net_reader_new(base, NET_BOTH, count_read, &reads);
		assert_non_null(reader);
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_read_is_reported_from_the_loop),
		T(each_of_two_reads_is_reported),
		T(a_void_read_is_repeated_and_not_delivered),
		T(a_failed_read_reports_its_error),
		cmocka_unit_test(a_refused_thread_is_a_failed_read),
		T(a_read_that_was_not_requested_is_not_reported),
		T(a_reader_may_be_freed_while_it_reads),
	};

	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
