/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world: a node of constants that counts its calls, and the calls of a client, for tests and the
 * fuzzer of requests. Asserts what must hold of every call.
 */
#ifndef ELECTD_TEST_CONTROL_WORLD_H
#define ELECTD_TEST_CONTROL_WORLD_H

#include "control/call.h"
#include "words/history.h"
#include "words/times.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a node of constants --------------------------------------------------------------------- */

static struct {
	struct elect_view view;
	struct elect_config config;
	bool link_local; /* of the members' addresses, too */
	unsigned members_count, foreign_count, problems_count, other_keys_count;
	const char *interface_name; /* NULL: "eth0" */
	bool degraded;
	const struct elect_id *untaken;
	unsigned resigned;
	uint64_t resigned_us, barred_until_us, bar_until_us;
	enum elect_bar bar;
	struct elect_id resigned_to;
	bool namesakes; /* the second and the third member have one name */
	bool able;	/* members may lead */
	bool follows;
	unsigned changes; /* except by Resign */
	uint8_t priority;
	bool held;
	struct elect_report report; /* the last one */
	uint64_t promoted;
	char hookd_missing[ELECT_WORDS_MAX + 1];
	bool alone;
	enum elect_report_verdict report_verdict;
	uint8_t definition[ELECT_DEFINITION_MAX];
	size_t definition_size;
	uint64_t released;
	char holder[CTL_NAME_MAX + 1]; /* the name it gave */
	enum rank rank;
	uint64_t begun; /* token with which that holder has begun */
	struct ctl_reload reload;
	char keys[128]; /* given with the last reload; "-": none */
	bool keys_only, force;
	bool in_no_group;
	const char *definition_path;
	bool changed; /* there was a change of leader */
	bool hookd;   /* electd-hookd is connected */
	struct hooks hooks;
	bool address; /* electd-address is connected */
	struct addresses addresses;
	unsigned addresses_reported;
	unsigned renewed, asked;
	const struct ctl_peer *caller;
} world;

static const struct elect_id ids[] = {
	{ { 1 } },
	{ { 2 } },
	{ { 3 } },
};

static const struct other_key_info other_keys[] = {
	{
		.id = { { 2 } },
		.from = { .bytes = { 192, 0, 2, 9 }, .family = 4 },
		.key_id = 7,
		.heard_us = 9000000,
		.per_minute = 31,
		.seen = true,
		.missing = true,
	},
	{ .id = { { 9 } }, .heard_us = 10000000, .per_minute = UINT64_MAX / 2 },
};

static const struct elect_keys own_keys = { 2, { { 1, 0x0a0b0c0d }, { 0, 0 } } };

static void facts(void *user, struct ctl_facts *ret_facts)
{
	(void)user;
	*ret_facts = (struct ctl_facts){
		.now_us = 10000000,
		.realtime_us = UINT64_C(1767225600123456), /* 2026-01-01T00:00:00.123456 */
		.domain = "test",
		.version = "1.2.3",
		.auth_mode = "permissive",
		.keys = &own_keys,
		.config = &world.config,
		.incarnation = UINT64_MAX,
		.view = world.view,
		.members_count = world.members_count,
		.foreign_count = world.foreign_count,
		.untaken = world.untaken,
		.degraded = world.degraded,
		.problems_count = world.problems_count,
		.problems = { world.interface_name ? world.interface_name : "one", "two" },
		.other_keys_count = world.other_keys_count,
		.other_keys = { { &other_keys[0], "in words" },
			{ &other_keys[1], "in other words" } },
		.addresses = &world.addresses,
		.hooks_timeout_ms = 10000,
		.hooks_on_failure = "ignore",
		.definition = world.definition_path,
		.bar = world.bar,
		.bar_until_us = world.bar_until_us,
		.barred_until_us = world.barred_until_us,
		.ranks = { .releases = RANK_HOOK },
		.beginning = "",
		.holding = "electd-hookd",
		.release_us = 9000000,
		.release_until_us = 25000000,
	};
}

static void member(void *user, unsigned rank, struct elect_member_info *ret_info)
{
	(void)user;
	*ret_info = (struct elect_member_info){ .rank = rank, .silent = rank == 2 };
	ret_info->member.id = ids[rank];
	ret_info->member.address =
		(struct elect_address){ .bytes = { 192, 0, 2, (uint8_t)(rank + 1) }, .family = 4 };
	if (world.link_local)
		ret_info->member.address =
			(struct elect_address){ .bytes = { 0xfe, 0x80, [15] = (uint8_t)(rank + 1) },
				.family = 6 };
	ret_info->last_heard_us = rank == 1 ? 9500000 : 0;
	ret_info->member.may_lead = world.able;
	snprintf(ret_info->member.name, sizeof(ret_info->member.name), "host%u",
		world.namesakes && rank == 2 ? 1 : rank);
}

static const char *interface(void *user, const struct elect_id *id, const struct elect_address *a)
{
	(void)user;
	assert_true(elect_address_link_local(a));
	return elect_id_equal(id, &ids[0]) ? "eth0" : NULL;
}

static void foreign(void *user, unsigned index, struct elect_foreign *ret_foreign)
{
	(void)user;
	(void)index;
	*ret_foreign = (struct elect_foreign){ .id = ids[2], .heard_by = ids[1], .name = "far" };
}

static const char *name(void *user, const struct elect_id *id)
{
	(void)user;
	return id->bytes[0] == 1 ? "host0" : "other";
}

static bool resign(void *user, uint64_t for_us, const struct elect_id *to)
{
	(void)user;
	assert(for_us <= (uint64_t)CTL_RESIGN_S_MAX * 1000000);
	assert(world.caller->admin);
	world.resigned++;
	world.resigned_us = for_us;
	world.resigned_to = *to;
	return !world.follows;
}

static const char *why(void *user, const struct elect_view *view)
{
	(void)user;
	(void)view;
	return "because";
}

/* Only an admin changes anything. */
static void changed_by_an_admin(void)
{
	assert(world.caller->admin);
	world.changes++;
}

static void priority(void *user, uint8_t p)
{
	(void)user;
	changed_by_an_admin();
	world.priority = p;
}

static void hold(void *user, bool on)
{
	(void)user;
	changed_by_an_admin();
	world.held = on;
}

static void define(void *user, const uint8_t *bytes, size_t size)
{
	(void)user;
	changed_by_an_admin();
	assert(size <= sizeof(world.definition));
	world.definition_size = size;
	memcpy(world.definition, bytes, size);
}

/* Only root may read the key file, so only root may hand one over. */
static void reload(void *user, const struct ctl_reload_wish *wish, struct ctl_reload *ret_reload)
{
	(void)user;
	changed_by_an_admin();
	assert(!wish->keys || world.caller->uid == 0);
	assert(!wish->keys || strlen(wish->keys) <= CTL_KEYS_MAX);
	assert(wish->keys || !wish->keys_only);
	snprintf(world.keys, sizeof(world.keys), "%s", wish->keys ? wish->keys : "-");
	world.keys_only = wish->keys_only;
	world.force = wish->force;
	*ret_reload = world.reload;
}

/* All members but one send with key 1; that one lacks it and sends with the built-in key. */
static void keys(void *user, struct ctl_keys *ret_keys)
{
	(void)user;
	*ret_keys = (struct ctl_keys){
		.file = "electd.keys",
		.since_us = 4000000,
		.known = !world.in_no_group,
		.group = { .rows_count = 3,
			.rows = { { { 1, 0x0a0b0c0d }, 1, 2 }, { { 0, 0 }, 0, 1 },
				{ { 9, 0xffffffff }, 2, 0 } },
			.lags_count = 2,
			.lags = { { ids[1], 0, false }, { ids[1], 1, true } } },
	};
}

/* A succession of two steps. */
static const struct times_change *times(void *user)
{
	static struct times_change change = { .count = 2,
		.records = { { .kind = TIMES_BEACON, .count = 1, .first_host = 1, .last_host = 1 },
			{ .kind = TIMES_LEADS, .first = 1234, .last = 1234, .count = 1 } } };

	(void)user;
	change.begin_us = 9800000;
	change.over_us = 9923400;
	change.hosts[0] = ids[1];
	return world.changed ? &change : NULL;
}

static const struct history *history(void *user)
{
	static const struct history empty;

	(void)user;
	return &empty;
}

static char *metrics(void *user)
{
	(void)user;
	return strdup("electd_is_leader 1\n");
}

static void doctor(void *user, struct ctl_doctor *ret_doctor)
{
	static const struct ctl_heard heard[] = {
		{
			.id = { { 2 } },
			.way = { { .bytes = { 192, 0, 2, 2 }, .port = 7544, .family = 4 }, 2 },
			.to_all_us = 9900000,
			.answered_all_us = 9950000,
			.by_count = 2,
			.by = { { { { .bytes = { 192, 0, 2, 2 }, .family = 4 }, 2 }, 9900000,
					9950000 },
				{ { { .bytes = { 192, 0, 2, 2 }, .family = 4 }, 99 }, 9900000,
					0 } },
			.timings = { 200000, 600000 },
			.timings_us = 9800000,
			.version = "1.2.2",
		},
		{ .id = { { 3 } }, .to_one_us = 9000000, .answered_one_us = 9999000 },
	};

	(void)user;
	world.asked++;
	*ret_doctor = (struct ctl_doctor){
		.asked_us = 9000000,
		.over = true,
		.group = { .bytes = { 224, 0, 0, 254 }, .port = 7543, .family = 4 },
		.port = 7544,
		.local_paths_count = 1,
		.port_first = 7544,
		.port_last = 7575,
		.to_all_since_us = 5000000,
		.to_all_last_us = 9900000,
		.local_paths = { { .link = 2,
			.interface = world.interface_name ? world.interface_name : "eth0",
			.address = { .bytes = { 192, 0, 2, 1 }, .family = 4 },
			.prefix = 24,
			.carrier = true,
			.back = true,
			.why = "it is named",
			.vrf = "blue",
			.dark = "carrier",
			.dark_at = "eth7" } },
		.links_count = 1,
		.links = { { "interface-port", "eth1", "br0", "eth1 is a port" } },
		.heard_count = 2,
		.heard = heard,
		.refused_count = 2,
		.refused = { { "ttl", 3, 9990000, heard[0].way.address, 0, 254 },
			{ "tag", .count = 0 } },
		.lag_us = 12000,
		.gaps = 1,
	};
}

static const struct hooks *hooks(void *user)
{
	(void)user;
	return &world.hooks;
}

static void hook_report(void *user, const struct hooks_report *report)
{
	bool changed;

	(void)user;
	assert(world.caller->admin);
	assert(report->event < HOOK_EVENTS && report->result < HOOK_RESULTS);
	assert(strlen(report->script) <= HOOKS_SCRIPT_MAX);
	hooks_take(&world.hooks, report, &changed);
}

static void addresses(void *user, const char *holder, const struct addresses *report)
{
	(void)user;
	assert(!strcmp(holder, "0123456789abcdef"));
	assert(report->count <= ADDRESSES_REPORTED_MAX);
	world.addresses_reported++;
	addresses_take(&world.addresses, report);
}

static void hookd_missing(void *user, const char *why)
{
	(void)user;
	snprintf(world.hookd_missing, sizeof(world.hookd_missing), "%s", why);
}

static void promoted(void *user, uint64_t token)
{
	(void)user;
	world.promoted = token;
}

static bool leading(void *user, bool alone)
{
	(void)user;
	world.alone = alone;
	return world.promoted != 0;
}

static enum elect_report_verdict report(void *user, const struct elect_report *r)
{
	(void)user;
	assert(world.caller->admin || world.caller->reporter);
	world.changes++;
	assert(elect_name_valid(r->name) && elect_words_valid(r->words));
	assert(r->forget || (r->fall > 0 && r->rise > 0));
	world.report = *r;
	return world.report_verdict;
}

static const struct elect_reported *reported(void *user, unsigned index)
{
	static const struct elect_reported all[] = {
		{ .name = "pg",
			.words = "down",
			.health = ELECT_HEALTH_SICK,
			.bad = 3,
			.heard_us = 1 },
		{ .name = "disk", .required = true },
	};

	(void)user;
	return index < sizeof(all) / sizeof(all[0]) ? &all[index] : NULL;
}

static bool why_not(void *user, const struct elect_id *id, struct elect_why_not *ret_why)
{
	(void)user;
	*ret_why = (struct elect_why_not){ ELECT_BAR_SICK, "pg", "down" };
	return elect_id_equal(id, &ids[1]);
}

/* The second host has a path that answers, and one that has lost its carrier and its name. */
static unsigned paths(
	void *user, const struct elect_id *id, struct ctl_path ret_paths[ELECT_WAYS_MAX])
{
	const struct elect_address there = { .bytes = { 192, 0, 2, 2 }, .family = 4 };

	const char *name = world.interface_name ? world.interface_name : "eth0";

	(void)user;
	ret_paths[0] = (struct ctl_path){ name, { { there, 1 }, 9900000, ELECT_WAY_ANSWERS } };
	ret_paths[1] = (struct ctl_path){ NULL, { { there, 2 }, 0, ELECT_WAY_UNANSWERED } };
	return elect_id_equal(id, &ids[1]) ? 2 : 0;
}

static void renew(void *user)
{
	(void)user;
	world.renewed++;
}

static const struct ctl_source source = {
	.facts = facts,
	.member = member,
	.interface = interface,
	.why_not = why_not,
	.paths = paths,
	.foreign = foreign,
	.name = name,
	.why = why,
	.resign = resign,
	.priority = priority,
	.hold = hold,
	.define = define,
	.promoted = promoted,
	.leading = leading,
	.report = report,
	.reported = reported,
	.keys = keys,
	.reload = reload,
	.history = history,
	.times = times,
	.metrics = metrics,
	.doctor = doctor,
	.hooks = hooks,
	.hook_report = hook_report,
	.addresses = addresses,
	.hooks_renew = renew,
	.hookd_missing = hookd_missing,
};

static const char *desk_hold(void *user, const char *name, enum rank rank)
{
	(void)user;
	assert(rank == RANK_ADDRESS ? world.caller->addresses : world.caller->admin);
	world.rank = rank;
	assert(!name || strlen(name) <= CTL_NAME_MAX);
	snprintf(world.holder, sizeof(world.holder), "%s", name ? name : "(none)");
	return "0123456789abcdef";
}

/* If there is a holder of rank ADDRESS, that is the only one. */
static bool desk_promoted(void *user, const char *holder, uint64_t token)
{
	(void)user;
	if (!world.address || strcmp(holder, "0123456789abcdef"))
		return false;
	world.begun = token;
	return true;
}

/* There is one holder; 0 is the number of no release. */
static enum ctl_error desk_release(void *user, const char *holder, uint64_t number)
{
	(void)user;
	assert(strlen(holder) < CTL_HOLDER_SIZE);
	world.released = number;
	if (strcmp(holder, "0123456789abcdef"))
		return CTL_NO_SUCH_HOLDER;
	return number ? CTL_OK : CTL_NOT_RELEASING;
}

static bool desk_hookd(void *user, const char *holder)
{
	(void)user;
	assert(!holder || world.caller->uid == 0);
	return world.hookd && (!holder || !strcmp(holder, "0123456789abcdef"));
}

static bool desk_address(void *user, const char *holder)
{
	(void)user;
	return world.address && (!holder || !strcmp(holder, "0123456789abcdef"));
}

static const uint64_t seventh = 7;
static const struct ctl_desk desk = {
	.sequence = &seventh,
	.hold = desk_hold,
	.release = desk_release,
	.promoted = desk_promoted,
	.hookd = desk_hookd,
	.address = desk_address,
};
__attribute__((unused)) static const struct ctl_peer admin = { 0, .admin = true },
						     anybody = { .uid = 1000 };

__attribute__((unused)) static int setup(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.config.id = ids[0];
	strcpy(world.config.name, "host0");
	world.config.priority = 100;
	return 0;
}

/* A call of HookReport. */
#define REPORT(script, event, result, token)                                                       \
	"{\"method\":\"io.electd.HookReport\",\"parameters\":{\"holder\":\"0123456789abcdef\","    \
	"\"script\":\"" script "\",\"event\":\"" event "\",\"result\":\"" result                   \
	"\",\"status\":1,"                                                                         \
	"\"runtime_ms\":12,\"seq\":7,\"token\":\"" token "\",\"output\":\"said\"}}"

static void ask(
	const struct ctl_peer *peer, const char *text, size_t size, struct ctl_reply *ret_reply)
{
	world.caller = peer;
	ctl_call(&source, peer, &desk, text, size, ret_reply);
}

/* Parses the reply to `text`; the caller releases it. */
static json_t *call_as(const struct ctl_peer *peer, const char *text, bool expect_hang_up)
{
	struct ctl_reply reply;
	json_t *object;

	ask(peer, text, strlen(text), &reply);
	assert_non_null(reply.text);
	assert_int_equal(reply.size, strlen(reply.text) + 1);
	assert_int_equal(reply.hang_up, expect_hang_up);
	object = json_loads(reply.text, 0, NULL);
	assert_non_null(object);
	free(reply.text);
	return object;
}

__attribute__((unused)) static json_t *call(const char *text)
{
	return call_as(&admin, text, false);
}

__attribute__((unused)) static void expect_error(
	const struct ctl_peer *peer, const char *text, const char *error)
{
	json_t *reply = call_as(peer, text, !strcmp(error, "io.electd.InvalidRequest"));

	assert_string_equal(json_string_value(json_object_get(reply, "error")), error);
	assert_true(json_is_object(json_object_get(reply, "parameters")));
	json_decref(reply);
}

#endif
