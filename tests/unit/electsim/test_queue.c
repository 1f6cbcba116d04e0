/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the simulator's event queue (by time, then by creation), and of disks after a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "electsim/hosts/hosts.h"

static void events_come_in_the_order_of_their_times(void **state)
{
	struct sim_queue q = { 0 };
	struct rng rng = { .state = 7 };
	struct sim_event event = { 0 };
	uint64_t last = 0;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		event.at_us = rng_below(&rng, 1000);
		queue_push(&q, &event);
	}
	for (unsigned i = 0; i < 5000; i++) {
		queue_pop(&q, &event);
		assert_true(event.at_us >= last);
		last = event.at_us;
	}
	assert_null(queue_first(&q));
	queue_free(&q);
}

static void events_of_one_moment_come_in_the_order_of_their_creation(void **state)
{
	struct sim_queue q = { 0 };
	struct sim_event event = { .at_us = 5 };

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		event.host = i;
		queue_push(&q, &event);
	}
	for (unsigned i = 0; i < 100; i++) {
		queue_pop(&q, &event);
		assert_int_equal(event.host, i);
	}
	queue_free(&q);
}

static void a_datagram_lives_until_its_last_receiver_has_it(void **state)
{
	struct sim_queue q = { 0 };
	struct sim_datagram *a = queue_datagram(&q), *b;

	(void)state;
	a->refs++;
	queue_unref(&q, a);
	b = queue_datagram(&q);
	assert_ptr_not_equal(a, b);
	queue_unref(&q, a);
	assert_ptr_equal(queue_datagram(&q), a);
	queue_unref(&q, a);
	queue_unref(&q, b);
	queue_free(&q);
}

/* ---- disks ---------------------------------------------------------------------------------- */

static void settle_disk(struct sim *s, struct sim_host *h, uint64_t reserved)
{
	struct elect_persisted image = { .reserved = reserved }, result;

	disk_write(s, h, &image);
	while (h->disk.busy)
		disk_written(s, h, &result);
}

static void a_newer_image_replaces_a_waiting_one(void **state)
{
	struct sim *s = sim_new();
	struct elect_persisted result;
	struct sim_host *h;

	(void)state;
	sim_reset(s, 1, 1);
	h = s->hosts[0];
	for (uint64_t i = 1; i <= 3; i++)
		disk_write(s, h, &(struct elect_persisted){ .reserved = i });
	disk_written(s, h, &result);
	assert_int_equal(result.reserved, 1);
	disk_written(s, h, &result);
	assert_int_equal(result.reserved, 3);
	assert_false(h->disk.busy);
	sim_free(s);
}

static void a_crash_can_take_the_last_write_and_no_more(void **state)
{
	struct sim *s = sim_new();
	struct sim_host *h;

	(void)state;
	sim_reset(s, 1, 1);
	h = s->hosts[0];
	for (uint64_t i = 1; i <= 3; i++)
		settle_disk(s, h, i);
	disk_crash(s, h, true);
	assert_int_equal(h->disk.content.saved.reserved, 2);
	disk_crash(s, h, true);
	assert_int_equal(h->disk.content.saved.reserved, 2);
	sim_free(s);
}

static void a_failing_disk_reports_it_and_keeps_its_content(void **state)
{
	struct sim *s = sim_new();
	struct elect_persisted result;
	struct sim_host *h;

	(void)state;
	sim_reset(s, 1, 1);
	h = s->hosts[0];
	settle_disk(s, h, 1);
	h->disk.failing = true;
	disk_write(s, h, &(struct elect_persisted){ .reserved = 2 });
	disk_written(s, h, &result);
	assert_false(result.ok);
	assert_int_equal(h->disk.content.saved.reserved, 1);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_in_the_order_of_their_times),
		cmocka_unit_test(events_of_one_moment_come_in_the_order_of_their_creation),
		cmocka_unit_test(a_datagram_lives_until_its_last_receiver_has_it),
		cmocka_unit_test(a_newer_image_replaces_a_waiting_one),
		cmocka_unit_test(a_crash_can_take_the_last_write_and_no_more),
		cmocka_unit_test(a_failing_disk_reports_it_and_keeps_its_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
