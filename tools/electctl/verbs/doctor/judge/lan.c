/* SPDX-License-Identifier: Apache-2.0 */
#include "inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/line.h"
#include "electctl/field.h"

/* ---- hosts that are there --------------------------------------------------------------- */

static const json_t *hosts_of(const json_t *facts)
{
	return json_object_get(json_object_get(facts, "doctor"), "hosts");
}

static bool answers(const json_t *host)
{
	return field_true(host, "answered_all", NULL) || field_true(host, "answered_one", NULL);
}

static bool anybody_there(const json_t *facts)
{
	const json_t *host;
	size_t i;

	json_array_foreach((json_t *)hosts_of(facts), i, host)
	{
		if (judge_there(json_object_get(facts, "doctor"), host))
			return true;
	}
	return false;
}

/* The last sender refused for that reason, if it was refused recently; else NULL. */
static const json_t *refused(const json_t *facts, const char *reason)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(facts, "doctor"), "refused"), i, row)
	{
		if (!strcmp(field_text(row, "reason", NULL), reason) &&
			judge_ago(row, "last_ms") < JUDGE_LATELY_MS)
			return row;
	}
	return NULL;
}

/* ---- reception between hosts ------------------------------------------------------------ */

/* Each host that hears the question answers it, whatever its group is. */
static void judge_answers(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor"), *host;
	const char *group = judge_group(NULL, doctor);
	unsigned named = 0;
	char port[JUDGE_NUMBER];
	size_t i;

	json_array_foreach((json_t *)hosts_of(facts), i, host)
	{
		const char *name = field_text(host, "name", NULL);
		const char *address = field_text(host, "address", NULL);

		if (!judge_there(doctor, host) || field_true(host, "answered_all", NULL) ||
			named >= JUDGE_NAMED_MAX)
			continue;
		named++;
		if (field_true(host, "answered_one", NULL))
			found(findings, FOUND_MULTICAST_OUT, name, address, group, NULL);
		else
			found(findings, FOUND_ONE_WAY, name, address,
				judge_number(doctor, "group_port", NULL, port), NULL);
	}
}

static bool is_member(const json_t *facts, const char *id)
{
	const json_t *member;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(facts, "status"), "members"), i, member)
	{
		if (!strcmp(field_text(member, "id", NULL), id))
			return true;
	}
	return false;
}

/*
 * True if beacons should have arrived: `host` answers, and it coordinates this host's group or
 * belongs to another group, whose coordinator beacons.
 */
static bool owes_beacons(const json_t *facts, const json_t *host)
{
	const json_t *group = json_object_get(json_object_get(facts, "status"), "group");
	const char *id = field_text(host, "id", NULL);

	if (!answers(host))
		return false;
	return !strcmp(id, field_text(group, "coordinator", NULL)) || !is_member(facts, id);
}

static bool hears_all(const json_t *facts)
{
	const json_t *doctor = json_object_get(facts, "doctor"), *host;
	int64_t most = 3 * field_number(doctor, "timings", "dead_after_ms", 0);
	size_t i;

	json_array_foreach((json_t *)hosts_of(facts), i, host)
	{
		if (judge_ago(host, "to_all_ms") < most)
			return true;
	}
	return false;
}

/* If datagrams arrived until recently, a switch has probably forgotten the membership. */
static void found_lost(const json_t *doctor, const json_t *host, json_t *findings)
{
	const char *name = field_text(host, "name", NULL), *group = judge_group(NULL, doctor);
	const char *address = field_text(host, "address", NULL);
	int64_t last = judge_ago(doctor, "to_all_ms"), since = judge_ago(doctor, "to_all_since_ms");
	char ago[JUDGE_NUMBER], lasted[JUDGE_NUMBER];

	if (last == INT64_MAX) {
		found(findings, FOUND_MULTICAST_IN, name, address, group, NULL);
		return;
	}
	snprintf(ago, sizeof ago, "%" PRId64, last / 1000);
	snprintf(lasted, sizeof lasted, "%" PRId64, (since - last + 999) / 1000);
	found(findings, FOUND_MULTICAST_STOPS, name, address, group, ago, lasted, NULL);
}

static void judge_multicast(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor"), *host;
	size_t i;

	if (hears_all(facts) || !judge_multicasts(doctor))
		return;
	json_array_foreach((json_t *)hosts_of(facts), i, host)
	{
		if (!owes_beacons(facts, host))
			continue;
		found_lost(doctor, host, findings);
		return;
	}
}

/* A host coordinates another group, and the groups do not merge. */
static void judge_apart(const json_t *facts, json_t *findings)
{
	const json_t *problem, *other;
	bool broken = false;
	size_t i;

	json_array_foreach(
		json_object_get(json_object_get(facts, "doctor"), "problems"), i, problem)
	{
		broken = broken || !strcmp(field_text(problem, "name", NULL), "broken-links");
	}
	json_array_foreach(json_object_get(json_object_get(facts, "status"), "foreign"), i, other)
	{
		if (broken && i < JUDGE_NAMED_MAX)
			found(findings, FOUND_FOREIGN, field_text(other, "name", NULL),
				field_text(other, "heard_by", "name"), NULL);
	}
}

/* ---- refused datagrams ------------------------------------------------------------------ */

static void found_wrong_tag(const json_t *facts, const json_t *row, json_t *findings)
{
	const char *address = field_text(row, "address", NULL);
	char ports[FINDINGS_TEXT_MAX / 4];

	judge_list_ports(json_object_get(facts, "doctor"), ports, sizeof ports);
	found(findings, judge_on_lan(facts, address) ? FOUND_OTHER_SECRET : FOUND_NAT, address,
		ports, NULL);
}

static void judge_refused(const json_t *facts, json_t *findings)
{
	static const char *const versions[] = { "version", "type", "fields", "length" };
	const json_t *row = refused(facts, "ttl");
	char ttl[JUDGE_NUMBER], names[FINDINGS_TEXT_MAX / 2];

	if (row)
		found(findings, FOUND_ROUTED, field_text(row, "address", NULL),
			judge_number(row, "ttl", NULL, ttl), NULL);
	row = refused(facts, "interface");
	if (row)
		found(findings, FOUND_OTHER_INTERFACE, field_text(row, "interface", NULL),
			field_text(row, "address", NULL),
			judge_names_with(
				facts, field_text(row, "interface", NULL), names, sizeof names),
			NULL);
	row = refused(facts, "tag");
	if (row && !judge_translated(facts))
		found_wrong_tag(facts, row, findings);
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		row = refused(facts, versions[i]);
		if (row)
			found(findings, FOUND_OTHER_VERSION, field_text(row, "address", NULL),
				versions[i], NULL);
	}
}

/* "; up, but not used: eth1 10.1.0.1" */
static void list_unused(const json_t *facts, char *ret_text, size_t size)
{
	struct line line = line_begin(ret_text, size);
	unsigned count = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(facts, "interfaces"), i, row)
	{
		const char *name = field_text(row, "name", NULL);

		if (!judge_uses(facts, name) && field_true(row, "up", NULL))
			line_add(&line, "%s%s %s", count++ ? ", " : "; up, but not used: ", name,
				field_text(row, "address", NULL));
	}
}

/* Another instance on this host has another domain on purpose. */
static bool is_own(const json_t *facts, const char *address)
{
	const json_t *path;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(facts, "doctor"), "paths"), i, path)
	{
		if (!strcmp(field_text(path, "address", NULL), address))
			return true;
	}
	return false;
}

static void judge_silence(const json_t *facts, json_t *findings)
{
	const char *domain = field_text(json_object_get(facts, "status"), "domain", NULL);
	char used[FINDINGS_TEXT_MAX / 4], unused[FINDINGS_TEXT_MAX / 4];
	const json_t *other = refused(facts, "domain");

	if (!json_object_get(facts, "doctor") || anybody_there(facts))
		return;
	if (other && !is_own(facts, field_text(other, "address", NULL))) {
		found(findings, FOUND_OTHER_DOMAIN, domain, field_text(other, "address", NULL),
			NULL);
		return;
	}
	judge_list_used(facts, used, sizeof used);
	list_unused(facts, unused, sizeof unused);
	found(findings, FOUND_NOBODY, domain, used, unused, NULL);
}

/* ---- differences between hosts ---------------------------------------------------------- */

static void judge_timings(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor"), *host;
	const json_t *own = json_object_get(doctor, "timings");
	char beacon[JUDGE_NUMBER], dead[JUDGE_NUMBER], own_beacon[JUDGE_NUMBER],
		own_dead[JUDGE_NUMBER];
	size_t i;

	json_array_foreach((json_t *)hosts_of(facts), i, host)
	{
		const json_t *timings = json_object_get(host, "timings");

		if (!json_is_object(timings) || json_equal(timings, own) ||
			judge_ago(host, "timings_ms") >= JUDGE_LATELY_MS)
			continue;
		found(findings, FOUND_OTHER_TIMINGS, field_text(host, "name", NULL),
			judge_number(timings, "beacon_ms", NULL, beacon),
			judge_number(timings, "dead_after_ms", NULL, dead),
			judge_number(own, "beacon_ms", NULL, own_beacon),
			judge_number(own, "dead_after_ms", NULL, own_dead), NULL);
	}
}

/* Each answer contains the version, unless the host's version is too old to send it. */
static void judge_versions(const json_t *facts, json_t *findings)
{
	const json_t *status = json_object_get(facts, "status"), *host;
	const char *own = field_text(status, "version", NULL);
	char other[FINDINGS_TEXT_MAX / 4];
	unsigned named = 0;
	size_t i;

	json_array_foreach((json_t *)hosts_of(facts), i, host)
	{
		const char *version = field_text(host, "version", NULL);

		if (!field_true(host, "answered_all", NULL) || !strcmp(version, own) ||
			(!*version && !is_member(facts, field_text(host, "id", NULL))) ||
			named >= JUDGE_NAMED_MAX)
			continue;
		named++;
		snprintf(other, sizeof other, *version ? "version %s" : "an older version%s",
			version);
		found(findings, FOUND_OTHER_PACKAGE, field_text(host, "name", NULL), other, own,
			NULL);
	}
}

static void judge_keys(const json_t *facts, json_t *findings)
{
	const json_t *status = json_object_get(facts, "status"), *other;
	char key[JUDGE_NUMBER];
	size_t i;

	json_array_foreach(json_object_get(status, "other_keys"), i, other)
	{
		const char *address = field_text(other, "address", NULL);

		if (judge_ago(other, "last_heard_ms") >= JUDGE_LATELY_MS)
			continue;
		if (field_number(other, "key", NULL, 0))
			found(findings, FOUND_OTHER_KEY, address,
				judge_number(other, "key", NULL, key), NULL);
		else
			found(findings, FOUND_NO_KEY, address, NULL);
	}
	if (status && !field_true(status, "auth", "authenticated"))
		found(findings, FOUND_NO_AUTH, NULL);
}

/* A loss on this host can explain the others, which are judged when it is repaired. */
static void judge_losses(const json_t *facts, json_t *findings)
{
	if (found_any(findings, FOUND_FIREWALL_NFT) || found_any(findings, FOUND_NOT_BACK) ||
		found_any(findings, FOUND_CANNOT_JOIN))
		return;
	judge_answers(facts, findings);
	judge_multicast(facts, findings);
	judge_ways(facts, findings);
}

void judge_lan(const json_t *facts, json_t *findings)
{
	judge_losses(facts, findings);
	judge_peers(facts, findings);
	judge_apart(facts, findings);
	judge_refused(facts, findings);
	judge_silence(facts, findings);
	judge_timings(facts, findings);
	judge_versions(facts, findings);
	judge_keys(facts, findings);
}
