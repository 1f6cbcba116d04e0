/* SPDX-License-Identifier: Apache-2.0 */
/* The requests and the answers of a real kernel, in a network namespace. */
#define _GNU_SOURCE /* unshare */

#include "machine.h"

#include <errno.h>
#include <string.h>

static struct rtnl rtnl;
static int answers[RTNL_DEEDS_MAX];
static unsigned answers_count;

static void rtnl_on_answer(void *user, const struct plan_deed *deed, int error)
{
	(void)user;
	(void)deed;
	answers[answers_count++] = error;
}

static void queue(enum plan_deed_type type, const char *text)
{
	const struct plan_deed deed = { .type = type, .at = machine_at(text) };

	assert_true(rtnl_queue(&rtnl, &deed, 60));
}

static void send_all(void)
{
	answers_count = 0;
	rtnl_send(&rtnl, rtnl_on_answer, NULL);
}

static bool marked(const struct message_address *a)
{
	return rtnl.labels ? a->mark != MESSAGE_UNMARKED : a->mark == MESSAGE_MARKED;
}

static void many_deeds_are_answered_in_one_call(void **state)
{
	struct message_address a;

	(void)state;
	queue(PLAN_ADD, "192.0.2.100");
	queue(PLAN_ADD, "2001:db8::100");
	queue(PLAN_ADD, "192.0.2.100"); /* it exists by now */
	queue(PLAN_REMOVE, "192.0.2.99");
	send_all();
	assert_int_equal(answers_count, 4);
	assert_int_equal(answers[0], 0);
	assert_int_equal(answers[1], 0);
	assert_int_equal(answers[2], -EEXIST);
	assert_int_equal(answers[3], -EADDRNOTAVAIL);
	assert_true(machine_has("192.0.2.100", &a));
	assert_int_equal(a.prefix, 32);
	assert_true(marked(&a));
	assert_true(machine_has("2001:db8::100", &a));
	assert_int_equal(a.prefix, 128);
}

static void a_refresh_keeps_the_mark(void **state)
{
	struct message_address a;

	(void)state;
	queue(PLAN_REFRESH, "192.0.2.100");
	queue(PLAN_REFRESH, "2001:db8::100");
	send_all();
	assert_int_equal(answers_count, 2);
	assert_int_equal(answers[0] | answers[1], 0);
	assert_true(machine_has("192.0.2.100", &a));
	assert_true(marked(&a));
	assert_true(machine_has("2001:db8::100", &a));
	assert_true(marked(&a));
}

static void the_own_address_carries_no_mark(void **state)
{
	struct message_address a;

	(void)state;
	assert_true(machine_has("192.0.2.1", &a));
	assert_int_equal(a.mark, MESSAGE_UNMARKED);
	assert_int_equal(a.prefix, 24);
}

struct news {
	unsigned added, removed;
	uint32_t port;
};

static void rtnl_on_news(void *user, const struct nlmsghdr *message)
{
	struct news *news = user;

	news->added += message->nlmsg_type == RTM_NEWADDR;
	if (message->nlmsg_type != RTM_DELADDR)
		return;
	news->removed++;
	news->port = message->nlmsg_pid ? message->nlmsg_pid : news->port;
}

static void changes_are_heard_at_once(void **state)
{
	struct news news = { 0 };

	(void)state;
	assert_true(rtnl_hear(&rtnl, rtnl_on_news, &news));
	news = (struct news){ 0 };
	queue(PLAN_REFRESH, "192.0.2.100");
	queue(PLAN_REMOVE, "192.0.2.100");
	queue(PLAN_REMOVE, "2001:db8::100");
	send_all();
	assert_true(rtnl_hear(&rtnl, rtnl_on_news, &news));
	assert_int_equal(news.added, 1);
	assert_int_equal(news.removed, 2);
	assert_int_not_equal(news.port, 0);
	assert_false(machine_has("192.0.2.100", NULL));
	assert_false(machine_has("2001:db8::100", NULL));
}

static void a_removal_leaves_another_prefix_alone(void **state)
{
	struct message_address a;

	(void)state;
	queue(PLAN_REMOVE, "192.0.2.1");
	send_all();
	assert_int_equal(answers[0], -EADDRNOTAVAIL);
	assert_true(machine_has("192.0.2.1", &a));
}

static void lost_notifications_are_reported(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		queue(PLAN_ADD, "192.0.2.100");
		queue(PLAN_REMOVE, "192.0.2.100");
		send_all();
	}
	assert_false(rtnl_hear(&rtnl, rtnl_on_news, &(struct news){ 0 }));
	assert_true(rtnl_hear(&rtnl, rtnl_on_news, &(struct news){ 0 }));
}

static void the_queue_has_an_end(void **state)
{
	const struct plan_deed deed = { .type = PLAN_REMOVE, .at = machine_at("192.0.2.99") };

	(void)state;
	for (unsigned i = 0; i < RTNL_DEEDS_MAX; i++)
		assert_true(rtnl_queue(&rtnl, &deed, 1));
	assert_false(rtnl_queue(&rtnl, &deed, 1));
	send_all();
	assert_int_equal(answers_count, RTNL_DEEDS_MAX);
	send_all();
	assert_int_equal(answers_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_deeds_are_answered_in_one_call),
		cmocka_unit_test(a_refresh_keeps_the_mark),
		cmocka_unit_test(the_own_address_carries_no_mark),
		cmocka_unit_test(changes_are_heard_at_once),
		cmocka_unit_test(a_removal_leaves_another_prefix_alone),
		cmocka_unit_test(lost_notifications_are_reported),
		cmocka_unit_test(the_queue_has_an_end),
	};
	int r = machine_make();

	if (r) {
		puts("no network namespaces with links may be made here");
		return r;
	}
	assert_int_equal(rtnl_open(&rtnl), 0);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	rtnl_close(&rtnl);
	return r;
}
