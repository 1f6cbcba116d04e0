/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `electctl check` about a host that runs another election algorithm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "node/inside.h"
#include "other_peer.h"
#include "program/clock.h"

#define RUNS                                                                                       \
	" runs another election algorithm and is in no group with this host: install this "        \
	"version of electd there"

static struct node n;

static int set_up(void **state)
{
	static struct node_names names;

	(void)state;
	memset(&names, 0, sizeof(names));
	n = (struct node){ .host = other_host(clock_boot_us()), .names = &names };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(n.host);
	return 0;
}

static void hear(struct elect_msg m)
{
	static struct elect_actions actions;
	static const struct elect_way way = { other_address, 1 };
	uint8_t bytes[WIRE_SIZE_MAX];
	size_t size = other_seal(m, bytes);

	host_receive(n.host, clock_boot_us(), &way, bytes, size, &actions);
}

static void assert_reported(const char *words)
{
	node_hear_other_election(&n);
	assert_string_equal(n.runs_other, words);
}

static void the_report_names_the_address_until_the_name_is_known(void **state)
{
	(void)state;
	hear(other_greeting());
	assert_reported("");
	hear(other_answer(n.host, clock_boot_us()));
	assert_reported("");
	hear(other_greeting());
	assert_reported("other-algorithm: 10.0.0.2 (id 9c41e7b2)" RUNS);
	node_names_learn(n.names, &other_peer.self, "web4");
	assert_reported("other-algorithm: web4" RUNS);
}

static void the_report_names_the_id_if_no_address_is_known(void **state)
{
	static const struct host_link none;

	(void)state;
	hear(other_greeting());
	hear(other_answer(n.host, clock_boot_us()));
	hear(other_greeting());
	host_set_links(n.host, &none, 0);
	assert_reported("other-algorithm: 9c41e7b2" RUNS);
}

static void the_text_is_empty_without_a_report(void **state)
{
	(void)state;
	snprintf(n.runs_other, sizeof(n.runs_other), "of a host that is gone");
	node_hear_other_election(&n);
	assert_string_equal(n.runs_other, "");
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_report_names_the_address_until_the_name_is_known),
		T(the_report_names_the_id_if_no_address_is_known),
		T(the_text_is_empty_without_a_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
