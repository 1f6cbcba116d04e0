/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reader: reads of the links in a thread, on whatever links this machine has. Each test waits
 * for its event.
 */
#include "net/reader.h"

#include "unit/patience.h"

#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct event_base *base;
static struct net_reader *reader;
static struct net_homes homes;
static unsigned reads;

static void count_read(void *user, int error)
{
	assert_ptr_equal(user, &reads);
	assert_int_equal(error, 0);
	reads++;
}

static int set_up(void **state)
{
	(void)state;
	reads = 0;
	base = event_base_new();
	reader = net_reader_new(base, &homes, count_read, &reads);
	return base && reader ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	net_reader_free(reader);
	event_base_free(base);
	return 0;
}

static void run_until_read(unsigned wanted)
{
	for (int round = 0; reads < wanted && round < PATIENCE_ROUNDS; round++) {
		event_base_loop(base, EVLOOP_NONBLOCK);
		poll(NULL, 0, PATIENCE_ROUND_MS);
	}
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

/* Whether the first one is over is not known before the loop runs. */
static void a_read_that_is_asked_for_twice_is_told_once(void **state)
{
	(void)state;
	net_reader_ask(reader);
	net_reader_ask(reader);
	run_until_read(1);
	net_reader_ask(reader);
	run_until_read(2);
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
		T(a_read_that_is_asked_for_twice_is_told_once),
		T(nothing_is_told_of_a_read_that_was_never_asked_for),
		T(a_reader_may_go_while_it_reads),
	};

	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
