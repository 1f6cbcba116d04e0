/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts that this host hears, their answers, and the refused datagrams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "node/heard.h"
#include "other_peer.h"

static const struct elect_address from = { .bytes = { 10, 0, 0, 2 }, .port = 7544, .family = 4 };
static const struct elect_address own = { .bytes = { 10, 0, 0, 1 }, .port = 7544, .family = 4 };
static const struct elect_transaction question = { { 1, 2, 3 } }, another = { { 9 } };

static struct heard heard;
static uint64_t now_us;

static int set_up(void **state)
{
	(void)state;
	memset(&heard, 0, sizeof(heard));
	now_us = 1000000;
	return 0;
}

struct said {
	enum elect_msg_type type;
	uint16_t host;
	bool to_all;
	struct elect_transaction transaction;
};

static size_t encode(const struct said *s, uint8_t bytes[WIRE_SIZE_MAX])
{
	const struct wire_header header = {
		.algorithm = WIRE_TAG_BLAKE2B, .to_all = s->to_all, .sequence = 1
	};
	struct elect_msg m = { .type = s->type,
		.session = 7,
		.transaction = s->transaction,
		.loss = ELECT_LOSS_STOP };

	m.sender.bytes[0] = (uint8_t)(s->host >> 8);
	m.sender.bytes[1] = (uint8_t)s->host;
	return wire_encode(&m, &header, bytes);
}

static void take_by(enum wire_verdict verdict, const struct elect_way *way, struct said s)
{
	static const struct elect_msg told = {
		.type = ELECT_HELLO, .timings = { 200000, 600000 }, .version = "1.2.3"
	};
	static const struct elect_msg unproven = { .type = ELECT_CHALLENGE };
	bool decoded = verdict == WIRE_OK || verdict == WIRE_UNPROVEN;
	uint8_t bytes[WIRE_SIZE_MAX];

	heard_take(&heard, now_us, verdict, way, bytes, encode(&s, bytes),
		!decoded		     ? NULL
			: verdict == WIRE_OK ? &told
					     : &unproven);
}

static void take(enum wire_verdict verdict, const struct elect_address *address, struct said s)
{
	take_by(verdict, &(struct elect_way){ *address, 2 }, s);
}

static void ask_all(void)
{
	const struct said s = { ELECT_CHALLENGE, 1, true, question };
	uint8_t bytes[WIRE_SIZE_MAX];

	heard_begin(&heard);
	heard_ask(&heard, bytes, encode(&s, bytes));
}

static void multicast_and_unicast_are_recorded_separately(void **state)
{
	(void)state;
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.hosts[0].to_all_us, 1000000);
	assert_int_equal(heard.hosts[0].to_one_us, 0);
	assert_int_equal(heard.hosts[0].timings.beacon_us, 200000);
	assert_int_equal(heard.hosts[0].timings_us, 1000000);
	assert_string_equal(heard.hosts[0].version, "1.2.3");
	now_us++;
	take(WIRE_UNPROVEN, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = false });
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.hosts[0].to_one_us, 1000001);
	assert_int_equal(heard.hosts[0].timings_us, 1000000);
	assert_true(elect_address_equal(&heard.hosts[0].way.address, &from));
}

static void a_brief_beacon_says_no_timings(void **state)
{
	const struct said s = { ELECT_CHALLENGE, 2, .to_all = true };
	struct elect_msg beacon = { .type = ELECT_AYCOORD, .timings = { 200000, 600000 } };
	uint8_t bytes[WIRE_SIZE_MAX];
	size_t size = encode(&s, bytes);

	(void)state;
	heard_take(&heard, now_us, WIRE_OK, &(struct elect_way){ from, 2 }, bytes, size, &beacon);
	assert_int_equal(heard.hosts[0].timings.beacon_us, 200000);
	beacon.brief = true;
	beacon.timings = (struct elect_timings){ 0 };
	now_us++;
	heard_take(&heard, now_us, WIRE_OK, &(struct elect_way){ from, 2 }, bytes, size, &beacon);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.hosts[0].timings.beacon_us, 200000);
}

static void an_answer_is_recorded_for_its_question(void **state)
{
	(void)state;
	ask_all();
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE_ANSWER, 2, .transaction = question });
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE_ANSWER, 3, .transaction = another });
	assert_int_equal(heard.hosts[0].answered_all_us, now_us);
	assert_int_equal(heard.hosts[0].answered_one_us, 0);
	assert_int_equal(heard.hosts[1].answered_all_us, 0);
	assert_int_equal(heard.hosts[1].answered_one_us, now_us);
	heard_begin(&heard);
	assert_int_equal(heard.hosts[0].answered_all_us, 0);
	assert_int_equal(heard.hosts[1].answered_one_us, 0);
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE_ANSWER, 2, .transaction = question });
	assert_int_equal(heard.hosts[0].answered_all_us, 0); /* an answer of the round before */
}

/* Two cables: each one has its own times of hearing and answering. */
static void each_link_is_recorded_separately(void **state)
{
	const struct elect_way second = { own, 3 };
	const struct ctl_heard *host = &heard.hosts[0];

	(void)state;
	ask_all();
	take_by(WIRE_OK, &(struct elect_way){ from, 2 },
		(struct said){ ELECT_CHALLENGE_ANSWER, 2, .transaction = question });
	now_us++;
	take_by(WIRE_DUPLICATE, &second, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	assert_int_equal(host->by_count, 2);
	assert_int_equal(host->by[0].heard_us, 1000000);
	assert_int_equal(host->by[0].answered_us, 1000000);
	assert_int_equal(host->by[1].heard_us, 1000001);
	assert_int_equal(host->by[1].answered_us, 0);
	assert_true(elect_address_equal(&host->by[1].way.address, &own));
	take_by(WIRE_OK, &second,
		(struct said){ ELECT_CHALLENGE_ANSWER, 2, .transaction = another });
	assert_int_equal(host->by[1].answered_us, 1000001);
	heard_begin(&heard);
	assert_int_equal(host->by[0].answered_us, 0);
	assert_int_equal(host->by[1].answered_us, 0);
	assert_int_equal(host->by_count, 2); /* the link stays in the row of the host */
}

/* If the row has no space for another link, the link heard longest ago is forgotten. */
static void the_last_heard_of_many_links_are_kept(void **state)
{
	(void)state;
	for (uint32_t link = 1; link <= ELECT_WAYS_MAX + 1; link++, now_us++)
		take_by(WIRE_OK, &(struct elect_way){ from, link },
			(struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	assert_int_equal(heard.hosts[0].by_count, ELECT_WAYS_MAX);
	assert_int_equal(heard.hosts[0].by[0].way.link, ELECT_WAYS_MAX + 1);
	assert_int_equal(heard.hosts[0].by[1].way.link, 2);
}

/* Another host may send the Goodbye too (a will). The host owes no answer; its version stays. */
static void a_host_that_said_goodbye_is_not_heard(void **state)
{
	(void)state;
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = false });
	take(WIRE_OK, &from, (struct said){ ELECT_GOODBYE, 2, .to_all = true });
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.hosts[0].to_all_us, 0);
	assert_int_equal(heard.hosts[0].to_one_us, 0);
	assert_string_equal(heard.hosts[0].version, "1.2.3");
}

static void the_beginning_of_multicast_reception_is_known(void **state)
{
	(void)state;
	assert_int_equal(heard.to_all_last_us, 0);
	now_us = 20000000;
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	now_us += HEARD_SILENT_US;
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE, 3, .to_all = true });
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE, 3, .to_all = false });
	assert_int_equal(heard.to_all_since_us, 20000000);
	assert_int_equal(heard.to_all_last_us, now_us);
	now_us += HEARD_SILENT_US + 1;
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE, 3, .to_all = false });
	assert_int_equal(heard.to_all_last_us, 20000000 + HEARD_SILENT_US);
	take(WIRE_OK, &from, (struct said){ ELECT_CHALLENGE, 3, .to_all = true });
	assert_int_equal(heard.to_all_since_us, now_us);
}

static void a_datagram_that_is_not_authentic_makes_no_row(void **state)
{
	(void)state;
	take(WIRE_TAG_BAD, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	take(WIRE_KEY_BAD, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	take(WIRE_UNRESPONSIVE, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	assert_int_equal(heard.count, 0);
	assert_int_equal(heard.refused[WIRE_TAG_BAD].at_us, now_us);
	assert_true(elect_address_equal(&heard.refused[WIRE_TAG_BAD].from, &from));
	assert_int_equal(heard.refused[WIRE_OK].at_us, 0);
}

static void refusals_that_keep_coming_have_a_beginning(void **state)
{
	uint64_t first_us = now_us;

	(void)state;
	take(WIRE_TAG_BAD, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	now_us += HEARD_SILENT_US - 1;
	take(WIRE_TAG_BAD, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	assert_int_equal(heard.refused[WIRE_TAG_BAD].since_us, first_us);
	now_us += HEARD_SILENT_US;
	take(WIRE_TAG_BAD, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	assert_int_equal(heard.refused[WIRE_TAG_BAD].since_us, now_us);
}

/* A host that hears nothing of this host becomes unresponsive after a while, and is still heard. */
static void an_unresponsive_host_is_still_heard(void **state)
{
	(void)state;
	take(WIRE_UNPROVEN, &from, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	now_us += 9000000;
	take(WIRE_UNRESPONSIVE, &own, (struct said){ ELECT_CHALLENGE, 2, .to_all = true });
	assert_int_equal(heard.hosts[0].to_all_us, now_us);
	assert_true(elect_address_equal(
		&heard.hosts[0].way.address, &from)); /* the source is unverified */
}

static void the_host_heard_longest_ago_is_replaced(void **state)
{
	(void)state;
	for (uint16_t i = 0; i <= CTL_HEARD_MAX; i++, now_us++)
		take(WIRE_OK, &from,
			(struct said){ ELECT_CHALLENGE, (uint16_t)(i + 2), .to_all = false });
	assert_int_equal(heard.count, CTL_HEARD_MAX);
	assert_int_equal(heard.hosts[0].to_one_us, now_us - 1);
	assert_int_equal(heard.hosts[1].to_one_us, 1000001);
}

/* ---- with a whole host ----------------------------------------------------------------------- */

static enum wire_verdict take_by_host(struct host *host, struct elect_msg m)
{
	static struct elect_actions actions;
	const struct elect_way way = { other_address, 1 };
	uint8_t bytes[WIRE_SIZE_MAX];
	size_t size = other_seal(m, bytes);
	enum wire_verdict verdict;

	verdict = host_receive(host, now_us, &way, bytes, size, &actions);
	heard_take(&heard, now_us, verdict, &way, bytes, size, host_heard(host));
	return verdict;
}

/* The greeting of the peer is not decoded, but its Challenge_answer is. */
static void a_host_of_another_algorithm_is_heard_when_it_has_answered(void **state)
{
	struct host *host = other_host(now_us);

	(void)state;
	assert_int_equal(take_by_host(host, other_greeting()), WIRE_TYPE_BAD);
	assert_int_equal(heard.count, 0);
	assert_int_equal(take_by_host(host, other_answer(host, now_us)), WIRE_OK);
	assert_int_equal(heard.count, 1);
	assert_memory_equal(&heard.hosts[0].id, &other_peer.self, sizeof(other_peer.self));
	assert_int_equal(heard.hosts[0].timings_us, 0);
	assert_string_equal(heard.hosts[0].version, "1.2.3");
	free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(multicast_and_unicast_are_recorded_separately, set_up),
		cmocka_unit_test_setup(a_brief_beacon_says_no_timings, set_up),
		cmocka_unit_test_setup(an_answer_is_recorded_for_its_question, set_up),
		cmocka_unit_test_setup(each_link_is_recorded_separately, set_up),
		cmocka_unit_test_setup(the_last_heard_of_many_links_are_kept, set_up),
		cmocka_unit_test_setup(a_host_that_said_goodbye_is_not_heard, set_up),
		cmocka_unit_test_setup(the_beginning_of_multicast_reception_is_known, set_up),
		cmocka_unit_test_setup(a_datagram_that_is_not_authentic_makes_no_row, set_up),
		cmocka_unit_test_setup(refusals_that_keep_coming_have_a_beginning, set_up),
		cmocka_unit_test_setup(an_unresponsive_host_is_still_heard, set_up),
		cmocka_unit_test_setup(the_host_heard_longest_ago_is_replaced, set_up),
		cmocka_unit_test_setup(
			a_host_of_another_algorithm_is_heard_when_it_has_answered, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
