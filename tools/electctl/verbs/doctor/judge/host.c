/* SPDX-License-Identifier: Apache-2.0 */
#include "inside.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "electctl/field.h"

/* ---- not running ------------------------------------------------------------------------ */

/* Derives from the exit status why the unit does not run. */
static void judge_unit(const json_t *unit, json_t *findings)
{
	const char *name = field_text(unit, "name", NULL);
	char status[JUDGE_NUMBER];

	if (strcmp(field_text(unit, "active", NULL), "failed") != 0 &&
		strcmp(field_text(unit, "active", NULL), "activating") != 0)
		return;
	switch (field_number(unit, "exit", NULL, 0)) {
	case EX_CONFIG:
		found(findings, FOUND_CONFIGURATION, name, NULL);
		return;
	case EX_IOERR:
		found(findings, FOUND_STATE_FILE, name, NULL);
		return;
	default:
		break;
	}
	if (!strcmp(field_text(unit, "active", NULL), "failed"))
		found(findings, FOUND_UNIT_BROKEN, name, field_text(unit, "result", NULL),
			judge_number(unit, "exit", NULL, status), NULL);
}

static void judge_taken(const json_t *taken, json_t *findings)
{
	bool several = field_number(taken, "last", NULL, 0) > field_number(taken, "port", NULL, 0);
	char port[JUDGE_NUMBER], last[JUDGE_NUMBER];

	found(findings, several ? FOUND_PORTS_TAKEN : FOUND_PORT_TAKEN,
		judge_number(taken, "port", NULL, port), field_text(taken, "who", NULL),
		judge_number(taken, "last", NULL, last), NULL);
}

static void judge_running(const json_t *facts, json_t *findings)
{
	const json_t *taken = json_object_get(facts, "taken"), *unit;
	size_t i;

	if (taken)
		judge_taken(taken, findings);
	json_array_foreach(json_object_get(facts, "units"), i, unit)
	{
		judge_unit(unit, findings);
	}
	if (!json_object_get(facts, "status"))
		found(findings, FOUND_NOT_RUNNING, field_text(facts, "unit", NULL), NULL);
}

/* ---- timing ----------------------------------------------------------------------------- */

/* A host whose beacon is late by a whole interval is suspected by other hosts. */
static void judge_time(const json_t *facts, json_t *findings)
{
	const json_t *doctor = json_object_get(facts, "doctor");
	int64_t lag = field_number(doctor, "lag_ms", NULL, 0);
	int64_t beacon = field_number(doctor, "timings", "beacon_ms", INT64_MAX);
	char late[JUDGE_NUMBER], every[JUDGE_NUMBER], gaps[JUDGE_NUMBER];

	if (lag >= beacon)
		found(findings, FOUND_LATE, judge_number(doctor, "lag_ms", NULL, late),
			judge_number(doctor, "timings", "beacon_ms", every),
			field_text(facts, "unit", NULL), NULL);
	if (field_number(doctor, "gaps", NULL, 0) > 0)
		found(findings, FOUND_STOOD_STILL, judge_number(doctor, "gaps", NULL, gaps), NULL);
}

/* ---- reports ---------------------------------------------------------------------------- */

static void judge_report(const json_t *report, json_t *findings)
{
	const char *name = field_text(report, "name", NULL);
	const char *said = field_text(report, "words", NULL);
	char words[FINDINGS_TEXT_MAX];

	if (!strcmp(field_text(report, "health", NULL), "sick")) {
		snprintf(words, sizeof words, "%s%s", *said ? ": " : "", said);
		found(findings, FOUND_SICK, name, words, NULL);
	} else if (field_true(report, "required", NULL) &&
		!strcmp(field_text(report, "health", NULL), "unknown")) {
		found(findings, FOUND_UNREPORTED, name, NULL);
	}
}

static void judge_hook(const json_t *report, json_t *findings)
{
	const char *result = field_text(report, "result", NULL);
	const char *script = field_text(report, "script", NULL);

	if (field_true(report, "ok", NULL) || !strcmp(result, "gone"))
		return;
	if (!strcmp(result, "unit-failed"))
		found(findings, FOUND_UNIT_FAILED, script, NULL);
	else
		found(findings, FOUND_HOOK_FAILED, script, field_text(report, "event", NULL),
			result, NULL);
}

/* The program that removes the address is known for IPv4 only, if it still runs. */
static void judge_address(const json_t *row, json_t *findings)
{
	const char *by = field_text(row, "restored_by", NULL);
	bool manager = !strcmp(by, "NetworkManager");
	char times[JUDGE_NUMBER];

	if (!field_true(row, "often", NULL))
		return;
	found(findings, manager ? FOUND_ADDRESS_RESTORED_NM : FOUND_ADDRESS_RESTORED,
		*by ? by : "another program", field_text(row, "address", NULL),
		field_text(row, "interface", NULL), judge_number(row, "restored", NULL, times),
		NULL);
}

void judge_host(const json_t *facts, json_t *findings)
{
	const json_t *row;
	size_t i;

	judge_running(facts, findings);
	judge_time(facts, findings);
	json_array_foreach(json_object_get(json_object_get(facts, "health"), "reports"), i, row)
	{
		judge_report(row, findings);
	}
	json_array_foreach(json_object_get(json_object_get(facts, "hooks"), "reports"), i, row)
	{
		judge_hook(row, findings);
	}
	json_array_foreach(
		json_object_get(json_object_get(facts, "addresses"), "addresses"), i, row)
	{
		judge_address(row, findings);
	}
	json_array_foreach(json_object_get(facts, "slow_stops"), i, row)
	{
		found(findings, FOUND_SLOW_STOP, field_text(row, "words", NULL),
			field_text(row, "name", NULL), NULL);
	}
}

/* ---- problems that electd reports ------------------------------------------------------- */

/* True if a finding describes the problem in more detail. */
static bool found_better(const json_t *findings, const char *problem)
{
	static const struct {
		const char *problem;
		enum finding finding;
	} better[] = {
		{ "timings-differ", FOUND_OTHER_TIMINGS },
		{ "no-carrier", FOUND_NO_INTERFACE },
		{ "no-carrier", FOUND_LINK_DOWN }, /* all rows of this name */
		{ "no-carrier", FOUND_INTERFACE_OFF },
		{ "no-carrier", FOUND_INTERFACE_MISSING },
		{ "no-carrier", FOUND_NO_MULTICAST },
		{ "no-carrier", FOUND_NO_ADDRESS },
		{ "broken-links", FOUND_FOREIGN },
	};

	for (size_t i = 0; i < sizeof(better) / sizeof(*better); i++)
		if (!strcmp(problem, better[i].problem) && found_any(findings, better[i].finding))
			return true;
	return false;
}

/* True if a finding already names the source of datagrams with wrong tags. */
static bool forged_found(const json_t *facts, const json_t *findings, const char *words)
{
	const char *own = judge_translated(facts);

	return (own && !strcmp(own, words)) ||
		(strstr(words, " sends is not authentic: address translation") &&
			(found_any(findings, FOUND_OTHER_SECRET) ||
				found_any(findings, FOUND_NAT)));
}

/* "hook 10-vip: failed": true if `words` is `before`, `name` and `behind`, and more. */
static bool stand_round(const char *words, const char *name, const char *before, const char *behind)
{
	size_t skip = strlen(before), length = strlen(name);

	return !strncmp(words, before, skip) && !strncmp(words + skip, name, length) &&
		!strncmp(words + skip + length, behind, strlen(behind));
}

/* True if the problem is about an interface: judge_links() has found it already. */
static bool told_of_links(const json_t *facts, const char *words)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(facts, "doctor"), "links"), i, row)
	{
		if (stand_round(words, field_text(row, "name", NULL), "", ": "))
			return true;
	}
	return false;
}

/* True if the problem is about a report: judge_report() or judge_hook() has found it already. */
static bool told(const json_t *facts, const char *words)
{
	static const struct {
		const char *list, *key, *before, *behind;
	} forms[] = {
		{ "health", "name", "", " is sick" },
		{ "health", "name", "", " is required" },
		{ "hooks", "script", "hook ", ": " },
		{ "hooks", "script", "unit ", ", which follows the leader, " },
	};
	const json_t *row;
	size_t n;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		json_array_foreach(
			json_object_get(json_object_get(facts, forms[i].list), "reports"), n, row)
		{
			if (stand_round(words, field_text(row, forms[i].key, NULL), forms[i].before,
				    forms[i].behind))
				return true;
		}
	}
	return false;
}

/* The row for a problem without a name: some have their own advice. */
static enum finding row_of(const char *words)
{
	static const struct {
		const char *begin;
		enum finding row;
	} rows[] = {
		{ "yield-overrun: ", FOUND_OVERRUN },
		{ "hookd-missing: ", FOUND_HOOKD_MISSING },
		{ "address-late: ", FOUND_ADDRESS_LATE },
		{ "address-lost: ", FOUND_ADDRESS_LOST },
		{ "address-foreign: ", FOUND_ADDRESS_FOREIGN },
		{ "address-kept: ", FOUND_ADDRESS_KEPT },
		{ "address-conflict: ", FOUND_ADDRESS_CONFLICT },
		{ "lease-short: ", FOUND_LEASE_SHORT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strncmp(words, rows[i].begin, strlen(rows[i].begin)))
			return rows[i].row;
	return strstr(words, "which this host does not use") ? FOUND_FAMILY_UNUSED : FOUND_PROBLEM;
}

/*
 * The first problems in the status are those with names, in the order of Doctor's answer. The
 * others are about reported names, scripts and units, or have no name.
 */
void judge_problems(const json_t *facts, json_t *findings)
{
	const json_t *named = json_object_get(json_object_get(facts, "doctor"), "problems");
	const json_t *health = json_object_get(json_object_get(facts, "status"), "health"), *row;
	size_t i;

	json_array_foreach((json_t *)named, i, row)
	{
		const char *name = field_text(row, "name", NULL);

		if (!found_better(findings, name))
			found_problem(findings, name, field_text(row, "text", NULL));
	}
	json_array_foreach(json_object_get(health, "problems"), i, row)
	{
		const char *words = json_string_value(row);

		if (i >= json_array_size(named) && words && !told(facts, words) &&
			!told_of_links(facts, words) && !forged_found(facts, findings, words))
			found(findings, row_of(words), words, NULL);
	}
}
