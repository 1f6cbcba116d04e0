/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of the metrics, and that Prometheus can read the text. If METRICS_PRINT is set, the
 * program only prints the text, for tests/tidy/promtool.sh.
 */
#include "words/metrics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* the longest domain that is allowed */
#define DOMAIN "a.site-a.123456789.123456789.123456789.123456789.123456789.1234"

static const struct elect_id self = { { 3 } }, other = { { 1 } };
static struct metrics m;
static struct host_counters packets;
static struct elect_view view;
static struct hooks hooks;
static struct addresses addresses;
static bool degraded;
static char text[METRICS_TEXT_MAX];

static int fresh(void **state)
{
	(void)state;
	memset(&m, 0, sizeof(m));
	memset(&packets, 0, sizeof(packets));
	memset(&view, 0, sizeof(view));
	memset(&hooks, 0, sizeof(hooks));
	memset(&addresses, 0, sizeof(addresses));
	degraded = false;
	return 0;
}

static const char *print_text(void)
{
	const struct metrics_now now = {
		.now_us = 5000000,
		.domain = DOMAIN,
		.version = "1.2.3",
		.view = &view,
		.list_repairs = 11,
		.beacon_us = 4750000,
		.packets = &packets,
		.ttl_bad = 2,
		.interface_bad = 5,
		.unsent = 7,
		.degraded = degraded,
		.hooks = &hooks,
		.addresses = &addresses,
	};

	size_t size = metrics_text(&m, &now, text);

	assert_int_equal(size, strlen(text));
	return text;
}

/* The text contains exactly this line, after the label of the domain is inserted. */
static void has(const char *line)
{
	int name = (int)strcspn(line, "{ ");
	char whole[256];

	snprintf(whole, sizeof(whole), "\n%.*s{domain=\"%s\"%s%s\n", name, line, DOMAIN,
		line[name] == '{' ? "," : "}", line + name + (line[name] == '{'));
	if (!strstr(print_text(), whole))
		fail_msg("no %s in\n%s", line, text);
}

static void show(uint64_t now_us, enum elect_state state, const struct elect_id *leader,
	enum elect_reason reason)
{
	view.state = state;
	view.reason = reason;
	view.leader = leader ? *leader : (struct elect_id){ { 0 } };
	view.role = !leader			? ELECT_ROLE_NONE
		: elect_id_equal(leader, &self) ? ELECT_ROLE_LEADER
						: ELECT_ROLE_FOLLOWER;
	metrics_view(&m, now_us, &self, &view);
}

/* ---- the format -------------------------------------------------------------------------- */

struct reader {
	const char *at;
	char family[64], type[16];
	unsigned samples, buckets;
	uint64_t last_bucket;
	bool infinite;
};

static void take(struct reader *r, const char *expected)
{
	if (strncmp(r->at, expected, strlen(expected)) != 0)
		fail_msg("expected \"%s\" at \"%.60s\"", expected, r->at);
	r->at += strlen(expected);
}

static void take_name(struct reader *r, char *ret_name, size_t size)
{
	size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789_");

	assert_in_range(length, 1, size - 1);
	assert_true(r->at[0] >= 'a' && r->at[0] <= 'z');
	snprintf(ret_name, size, "%.*s", (int)length, r->at);
	r->at += length;
}

static void read_value(struct reader *r, char *ret_value, size_t size)
{
	size_t length = strspn(r->at, "0123456789.");
	char *end;

	assert_in_range(length, 1, size - 1);
	snprintf(ret_value, size, "%.*s", (int)length, r->at);
	strtod(ret_value, &end);
	assert_int_equal(*end, '\0');
	r->at += length;
	take(r, "\n");
}

/* {domain="DOMAIN",name="value"…}; returns the last label. */
static void read_labels(struct reader *r, char *ret_name, char *ret_value, size_t size)
{
	take(r, "{domain=\"" DOMAIN "\"");
	ret_name[0] = ret_value[0] = '\0';
	while (*r->at == ',') {
		size_t length;

		take(r, ",");
		take_name(r, ret_name, size);
		take(r, "=\"");
		/* no character that would need an escape */
		length = strcspn(r->at, "\"\\\n");
		assert_in_range(length, 1, size - 1);
		snprintf(ret_value, size, "%.*s", (int)length, r->at);
		r->at += length;
		take(r, "\"");
	}
	take(r, "}");
}

static void check_bucket(struct reader *r, const char *label, const char *end, const char *value)
{
	uint64_t count = strtoull(value, NULL, 10);

	assert_string_equal(label, "le");
	assert_false(r->infinite);
	assert_true(count >= r->last_bucket);
	r->infinite = strcmp(end, "+Inf") == 0;
	r->last_bucket = count;
	r->buckets++;
}

static void read_sample(struct reader *r)
{
	char name[64], label[64], of[64], value[64];
	const char *suffix;

	take_name(r, name, sizeof(name));
	read_labels(r, label, of, sizeof(label));
	take(r, " ");
	read_value(r, value, sizeof(value));
	assert_int_equal(strncmp(name, r->family, strlen(r->family)), 0);
	suffix = name + strlen(r->family);
	r->samples++;
	if (strcmp(r->type, "histogram") != 0)
		assert_string_equal(suffix, "");
	else if (strcmp(suffix, "_bucket") == 0)
		check_bucket(r, label, of, value);
	else if (strcmp(suffix, "_count") == 0)
		assert_int_equal(strtoull(value, NULL, 10), r->last_bucket);
	else
		assert_string_equal(suffix, "_sum");
}

/* The order of promtool: help and type before samples; only counters end in _total. */
static void read_family(struct reader *r)
{
	char name[64];
	size_t length;
	bool total;

	take(r, "# HELP ");
	take_name(r, r->family, sizeof(r->family));
	take(r, " ");
	length = strcspn(r->at, "\n");
	assert_in_range(length, 10, 200);
	assert_null(memchr(r->at, '\\', length));
	r->at += length;
	take(r, "\n# TYPE ");
	take_name(r, name, sizeof(name));
	assert_string_equal(name, r->family);
	take(r, " ");
	take_name(r, r->type, sizeof(r->type));
	take(r, "\n");
	assert_int_equal(strncmp(r->family, "electd_", 7), 0);
	total = strlen(r->family) > 6 && !strcmp(r->family + strlen(r->family) - 6, "_total");
	assert_int_equal(total, strcmp(r->type, "counter") == 0);
	r->samples = r->buckets = 0;
	r->last_bucket = 0;
	r->infinite = false;
	while (*r->at && *r->at != '#')
		read_sample(r);
	if (strcmp(r->type, "histogram") == 0)
		assert_true(r->infinite && r->buckets == METRICS_BUCKETS);
}

static void check_format(unsigned families)
{
	struct reader r = { .at = print_text() };
	char seen[32][64];
	unsigned count = 0;

	while (*r.at) {
		read_family(&r);
		assert_true(count < 32);
		for (unsigned i = 0; i < count; i++)
			assert_string_not_equal(seen[i], r.family);
		snprintf(seen[count++], sizeof(seen[0]), "%s", r.family);
	}
	assert_int_equal(count, families);
}

/* No two lines name the same series. */
static void check_series(void)
{
	static char names[1024][192];
	unsigned count = 0;

	for (const char *at = print_text(); *at; at = strchr(at, '\n') + 1) {
		if (*at == '#')
			continue;
		assert_true(count < 1024);
		snprintf(names[count], sizeof(names[0]), "%.*s", (int)strcspn(at, " "), at);
		for (unsigned i = 0; i < count; i++)
			assert_string_not_equal(names[i], names[count]);
		count++;
	}
}

static void fill(void)
{
	for (unsigned i = 0; i < ELECT_MSG_TYPES; i++)
		packets.sent[i] = packets.received[i] = UINT64_MAX - i;
	for (unsigned i = 0; i < WIRE_VERDICTS; i++)
		packets.dropped[i] = UINT64_MAX / 2;
	for (unsigned i = 0; i < METRICS_BUCKETS; i++)
		m.election_buckets[i] = i;
	for (unsigned i = 0; i < HOOK_EVENTS * HOOK_RESULTS; i++)
		m.hook_runs[i / HOOK_RESULTS][i % HOOK_RESULTS] = UINT64_MAX;
	for (unsigned i = 0; i < ELECT_REASONS; i++)
		m.leader_changes[i] = UINT64_MAX;
	view.problems = UINT32_MAX;
	m.clock_gaps = m.election_us_sum = UINT64_MAX;
	view.token = UINT64_MAX;
	view.role = ELECT_ROLE_LEADER;
	for (unsigned i = 0; i < ADDRESSES_MAX; i++) {
		struct addresses_row *row = &addresses.rows[addresses.count++];

		*row = (struct addresses_row){ .state = ADDRESSES_HELD,
			.lease_ms = UINT64_MAX / 1000,
			.restored = UINT64_MAX };
		memset(row->address.bytes, 0xff, sizeof(row->address.bytes));
		row->address.bytes[15] = (uint8_t)i;
		row->address.family = 6;
	}
}

static void the_text_is_what_prometheus_reads(void **state)
{
	(void)state;
	check_format(30);
	check_series();
	fill(); /* The largest numbers fit into METRICS_TEXT_MAX: asserted in metrics_text(). */
	check_format(30);
	check_series();
}

/* ---- gauges ---------------------------------------------------------------------------------- */

static void the_present_state_is_in_gauges(void **state)
{
	(void)state;
	view.members_count = 5;
	view.token = 314874694;
	show(1, ELECT_NORMAL, &self, ELECT_REASON_START);
	has("electd_is_leader 1");
	has("electd_role{role=\"leader\"} 1");
	has("electd_role{role=\"follower\"} 0");
	has("electd_role{role=\"none\"} 0");
	has("electd_group_members 5");
	has("electd_token 314874694");
	has("electd_beacon_age_seconds 0.250000");
	has("electd_build_info{version=\"1.2.3\"} 1");
	show(2, ELECT_NORMAL, &other, ELECT_REASON_INVITED);
	has("electd_is_leader 0");
	has("electd_role{role=\"follower\"} 1");
}

static void each_name_that_is_reported_has_its_gauge(void **state)
{
	static const struct elect_reported reported[] = {
		{ .name = "pg", .health = ELECT_HEALTH_SICK, .heard_us = 1000000 },
		{ .name = "disk", .required = true },
	};
	const struct metrics_now now = { .now_us = 1500000,
		.domain = "shop",
		.view = &view,
		.version = "1",
		.packets = &packets,
		.hooks = &hooks,
		.addresses = &addresses,
		.reported_count = 2,
		.reported = reported };

	(void)state;
	metrics_text(&m, &now, text);
	assert_non_null(strstr(text, "electd_health{domain=\"shop\",name=\"pg\"} 0\n"));
	assert_non_null(
		strstr(text, "electd_health_age_seconds{domain=\"shop\",name=\"pg\"} 0.500000\n"));
	assert_null(strstr(text, "electd_health_age_seconds{domain=\"shop\",name=\"disk\"}"));
}

static void a_host_that_waits_for_no_beacon_has_no_beacon_age(void **state)
{
	const struct metrics_now now = { .view = &view,
		.version = "1",
		.packets = &packets,
		.hooks = &hooks,
		.addresses = &addresses };

	(void)state;
	metrics_text(&m, &now, text);
	assert_non_null(strstr(text, "# TYPE electd_beacon_age_seconds gauge\n# HELP"));
}

static void packets_are_named_by_type_and_fault(void **state)
{
	(void)state;
	packets.sent[ELECT_AYCOORD] = 11;
	packets.received[ELECT_HELLO] = 12;
	packets.dropped[WIRE_TAG_BAD] = 13;
	packets.dropped[WIRE_TTL_BAD] = 1;
	packets.dropped[WIRE_OWN] = 99;
	has("electd_packets_sent_total{type=\"AYCoord\"} 11");
	has("electd_packets_received_total{type=\"Hello\"} 12");
	has("electd_packets_dropped_total{reason=\"tag\"} 13");
	has("electd_packets_dropped_total{reason=\"ttl\"} 3");
	has("electd_packets_dropped_total{reason=\"interface\"} 5");
	has("electd_packets_dropped_total{reason=\"unsent\"} 7");
	assert_null(strstr(text, "} 99\n"));
}

static void problems_are_named(void **state)
{
	struct hooks_report script = {
		.script = "10-vip", .event = HOOK_LEADER, .result = HOOK_RESULT_FAILED
	};
	bool changed;

	(void)state;
	has("electd_degraded 0");
	has("electd_problem{problem=\"no-quorum\"} 0");
	has("electd_problem{problem=\"kernel-silent\"} 0");
	has("electd_hooks_failed{kind=\"script\"} 0");
	has("electd_hooks_failed{kind=\"unit\"} 0");
	degraded = true;
	view.problems = ELECT_PROBLEM_NO_QUORUM;
	hooks_take(&hooks, &script, &changed);
	has("electd_degraded 1");
	has("electd_problem{problem=\"no-quorum\"} 1");
	has("electd_problem{problem=\"not-persisted\"} 0");
	has("electd_hooks_failed{kind=\"script\"} 1");
	has("electd_hooks_failed{kind=\"unit\"} 0");
}

static void each_address_of_the_leader_has_its_series(void **state)
{
	(void)state;
	print_text();
	assert_null(strstr(text, "electd_address_held{"));
	addresses.count = 2;
	addresses.rows[0] =
		(struct addresses_row){ .address = { .bytes = { 192, 0, 2, 100 }, .family = 4 },
			.state = ADDRESSES_HELD,
			.lease_ms = 1500,
			.restored = 3,
			.conflict = "02:00:00:00:00:01",
			.conflict_us = 4000000 };
	addresses.rows[1] = (struct addresses_row){
		.address = { .bytes = { 0x20, 1, 0xd, 0xb8, [15] = 1 }, .family = 6 },
		.state = ADDRESSES_FREE,
		.lease_ms = 1500,
	};
	has("electd_address_held{address=\"192.0.2.100\"} 1");
	has("electd_address_restored_total{address=\"192.0.2.100\"} 3");
	has("electd_address_conflict{address=\"192.0.2.100\"} 1");
	has("electd_address_lease_seconds{address=\"192.0.2.100\"} 2");
	has("electd_address_held{address=\"2001:db8::1\"} 0");
	has("electd_address_restored_total{address=\"2001:db8::1\"} 0");
	has("electd_address_conflict{address=\"2001:db8::1\"} 0");
	has("electd_address_lease_seconds{address=\"2001:db8::1\"} 0");
}

/* ---- counters -------------------------------------------------------------------------------- */

static void a_leader_that_becomes_known_is_a_change(void **state)
{
	(void)state;
	show(1, ELECT_NORMAL, &other, ELECT_REASON_INVITED);
	show(2, ELECT_NORMAL, &other, ELECT_REASON_JOINED); /* the same leader */
	show(3, ELECT_NORMAL, NULL, ELECT_REASON_COORDINATOR_SILENT);
	show(4, ELECT_NORMAL, &self, ELECT_REASON_COORDINATOR_SILENT);
	show(5, ELECT_NORMAL, NULL, ELECT_REASON_QUORUM_LOST);
	show(6, ELECT_NORMAL, &self, ELECT_REASON_QUORUM_MET);
	has("electd_leader_changes_total{reason=\"invited\"} 1");
	has("electd_leader_changes_total{reason=\"joined\"} 0");
	has("electd_leader_changes_total{reason=\"coordinator-silent\"} 1");
	has("electd_leader_changes_total{reason=\"quorum-lost\"} 0");
	has("electd_leader_changes_total{reason=\"quorum-met\"} 1");
}

static void an_election_is_counted_once_with_its_end(void **state)
{
	(void)state;
	view.group.coordinator = self;
	view.members_count = 3;
	show(1000000, ELECT_ELECTION, NULL, ELECT_REASON_START);
	show(1010000, ELECT_REORGANIZING, NULL, ELECT_REASON_START);
	show(1020000, ELECT_NORMAL, NULL, ELECT_REASON_START);
	show(1020001, ELECT_NORMAL, &self, ELECT_REASON_START);
	has("electd_elections_total{result=\"won\"} 1");
	has("electd_election_duration_seconds_sum 0.020000");
	has("electd_election_duration_seconds_bucket{le=\"0.01\"} 0");
	has("electd_election_duration_seconds_bucket{le=\"0.025\"} 1");
	has("electd_election_duration_seconds_bucket{le=\"+Inf\"} 1");
	view.members_count = 1;
	show(2000000, ELECT_ELECTION, NULL, ELECT_REASON_COORDINATOR_SILENT);
	show(2100000, ELECT_NORMAL, NULL, ELECT_REASON_ALONE);
	has("electd_elections_total{result=\"alone\"} 1");
	show(3000000, ELECT_REORGANIZING, NULL, ELECT_REASON_INVITED);
	view.group.coordinator = other;
	show(23000000, ELECT_NORMAL, &other, ELECT_REASON_INVITED);
	has("electd_elections_total{result=\"followed\"} 1");
	has("electd_election_duration_seconds_bucket{le=\"10\"} 2");
	show(24000000, ELECT_ELECTION, NULL, ELECT_REASON_INVITED);
	show(24000010, ELECT_DOWN, NULL, ELECT_REASON_DROPPED);
	has("electd_elections_total{result=\"failed\"} 1");
	has("electd_election_duration_seconds_count 4");
	check_format(30);
}

static void a_duration_on_the_edge_is_in_the_lower_bucket(void **state)
{
	(void)state;
	show(1000000, ELECT_ELECTION, NULL, ELECT_REASON_START);
	show(1005000, ELECT_NORMAL, NULL, ELECT_REASON_START);
	show(2000000, ELECT_ELECTION, NULL, ELECT_REASON_START);
	show(2005001, ELECT_NORMAL, NULL, ELECT_REASON_START);
	has("electd_election_duration_seconds_bucket{le=\"0.005\"} 1");
	has("electd_election_duration_seconds_bucket{le=\"0.01\"} 2");
}

static void the_worst_lag_is_forgotten_after_a_while(void **state)
{
	uint64_t now_us = UINT64_C(1000) * METRICS_LAG_WINDOW_US;

	(void)state;
	metrics_lag(&m, now_us, 250);
	metrics_lag(&m, now_us + 1, 30250);
	metrics_lag(&m, now_us + 2, 40);
	has("electd_loop_lag_seconds 0.030250");
	metrics_lag(&m, now_us + METRICS_LAG_WINDOW_US, 50);
	has("electd_loop_lag_seconds 0.030250");
	metrics_lag(&m, now_us + 2 * METRICS_LAG_WINDOW_US, 20);
	has("electd_loop_lag_seconds 0.000050");
	metrics_lag(&m, now_us + 9 * METRICS_LAG_WINDOW_US, 10);
	has("electd_loop_lag_seconds 0.000010");
}

static void writes_and_gaps_are_counted(void **state)
{
	(void)state;
	metrics_state_write(&m, true);
	metrics_state_write(&m, true);
	metrics_state_write(&m, false);
	metrics_clock_gap(&m);
	has("electd_state_writes_total{result=\"ok\"} 2");
	has("electd_state_writes_total{result=\"failed\"} 1");
	has("electd_clock_gaps_total 1");
	metrics_hook_run(&m, HOOK_LEADER, HOOK_RESULT_TIMED_OUT);
	has("electd_hook_runs_total{event=\"leader\",result=\"timed-out\"} 1");
	has("electd_hook_runs_total{event=\"stop\",result=\"ok\"} 0");
}

static void false_suspicions_and_the_adaptive_timeout_are_shown(void **state)
{
	(void)state;
	has("electd_false_alarms_total 0");
	has("electd_patience_seconds 0.000000");
	view.suspected = 9;
	view.adaptive_us = 1200000;
	has("electd_false_alarms_total 9");
	has("electd_patience_seconds 1.200000");
	has("electd_list_repairs_total 11");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_text_is_what_prometheus_reads, fresh),
		cmocka_unit_test_setup(false_suspicions_and_the_adaptive_timeout_are_shown, fresh),
		cmocka_unit_test_setup(the_present_state_is_in_gauges, fresh),
		cmocka_unit_test_setup(each_name_that_is_reported_has_its_gauge, fresh),
		cmocka_unit_test_setup(problems_are_named, fresh),
		cmocka_unit_test_setup(each_address_of_the_leader_has_its_series, fresh),
		cmocka_unit_test_setup(a_host_that_waits_for_no_beacon_has_no_beacon_age, fresh),
		cmocka_unit_test_setup(packets_are_named_by_type_and_fault, fresh),
		cmocka_unit_test_setup(a_leader_that_becomes_known_is_a_change, fresh),
		cmocka_unit_test_setup(an_election_is_counted_once_with_its_end, fresh),
		cmocka_unit_test_setup(a_duration_on_the_edge_is_in_the_lower_bucket, fresh),
		cmocka_unit_test_setup(the_worst_lag_is_forgotten_after_a_while, fresh),
		cmocka_unit_test_setup(writes_and_gaps_are_counted, fresh),
	};

	if (getenv("METRICS_PRINT")) {
		fill();
		fputs(print_text(), stdout);
		return 0;
	}
	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
