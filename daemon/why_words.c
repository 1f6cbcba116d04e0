/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why_words: see why_words.h. Complete: every reason has words for every side, though some pairs
 * hardly happen.
 */
#include "why_words.h"

#include "why.h"

#include <assert.h>

enum { SUCCESSION = 1, OWN_ABSENCE = 2 };

static const struct {
	const char *words[WHY_SIDES];
	unsigned kind;
} reasons[ELECT_REASONS] = {
	[ELECT_REASON_NONE] = { { "nothing has changed yet", "nothing has changed yet",
					"nothing has changed yet", "nothing has changed yet" },
		0 },
	[ELECT_REASON_START] = { { "nobody led when the hosts found each other",
					 "nobody led when the hosts found each other",
					 "electd has just started and listens first",
					 "electd started" },
		OWN_ABSENCE },
	[ELECT_REASON_ALONE] = { { "no other host was heard", "no other host was heard",
					 "no other host was heard, and this host waits a little "
					 "before it leads alone",
					 "no other host was heard" },
		0 },
	[ELECT_REASON_MERGED] = { { "its group merged with that of $",
					  "its group merged with that of $",
					  "groups that hear each other merge",
					  "the group merged with that of $" },
		0 },
	[ELECT_REASON_JOINED] = { { "$ joined its group", "this host joined its group",
					  "this host joined the group of $, which has no leader "
					  "yet",
					  "$ joined" },
		OWN_ABSENCE },
	[ELECT_REASON_INVITED] = { { "$ invited it", "$ invited this host into its group",
					   "$ invited this host into a group that has no leader "
					   "yet",
					   "$ invited the group into its own" },
		0 },
	[ELECT_REASON_COORDINATOR_SILENT] = { { "& fell silent", "& fell silent", "& fell silent",
						      "& fell silent" },
		SUCCESSION },
	[ELECT_REASON_COORDINATOR_STOPPED] = { { "& was stopped", "& was stopped", "& was stopped",
						       "& was stopped" },
		SUCCESSION },
	[ELECT_REASON_COORDINATOR_RESIGNED] = { { "& handed over", "& handed over", "& handed over",
							"& handed over" },
		SUCCESSION },
	[ELECT_REASON_COORDINATOR_RESTARTED] = { { "& restarted", "& restarted", "& restarted",
							 "& restarted" },
		SUCCESSION },
	[ELECT_REASON_COORDINATOR_CRASHED] = { { "& crashed", "& crashed", "& crashed",
						       "& crashed" },
		SUCCESSION },
	[ELECT_REASON_DROPPED] = { { "$ no longer answered and was dropped",
					   "this host had been dropped from its group and came "
					   "back",
					   "this host was dropped from the group of $",
					   "$ no longer answered and was dropped" },
		OWN_ABSENCE },
	[ELECT_REASON_QUORUM_LOST] = { { "too few hosts were left for the quorum",
					       "too few hosts were left for the quorum",
					       "too few hosts are left for the quorum",
					       "too few hosts are left for the quorum" },
		0 },
	[ELECT_REASON_QUORUM_MET] = { { "enough hosts are here for the quorum",
					      "enough hosts are here for the quorum",
					      "enough hosts are here for the quorum",
					      "enough hosts are here for the quorum" },
		0 },
	[ELECT_REASON_CARRIER_LOST] = { { "no network interface of this host has a link",
						"no network interface of this host had a link",
						"no network interface of this host has a link",
						"no network interface of this host has a link" },
		OWN_ABSENCE },
	[ELECT_REASON_STALLED] = { { "this host stood still for a while, and was then confirmed",
					   "this host stood still for a while (paused, suspended "
					   "or starved)",
					   "this host stood still for a while (paused, suspended "
					   "or starved) and asks first",
					   "this host stood still for a while (paused, suspended "
					   "or starved)" },
		OWN_ABSENCE },
	[ELECT_REASON_HELD] = { { "$ was told only to follow", "$ was told only to follow",
					"$ was told only to follow", "$ was told only to follow" },
		0 },
	[ELECT_REASON_YIELDED] = { { "$ is the better leader", "this host made way for $",
					   "this host makes way for $, the better leader",
					   "this host made way for $" },
		0 },
	[ELECT_REASON_CONFIRMED] = { { "its group merged with %", "its group merged with %",
					     "its group merged with %", "the group merged with %" },
		0 },
	[ELECT_REASON_DEFINITION] = { { "the definition that it hands out changed",
					      "the definition that it hands out changed",
					      "the definition that the group shares changed",
					      "the definition that the group shares changed" },
		0 },
	[ELECT_REASON_STATE_FILE] = { { "the state file of $ could not be written",
					      "the state file of $ could not be written",
					      "the state file of $ cannot be written",
					      "the state file of $ cannot be written" },
		0 },
	[ELECT_REASON_DUPLICATE_ID] = { { "another host used the id of $",
						"another host used the id of $",
						"another host uses the id of $",
						"another host uses the id of $" },
		0 },
	[ELECT_REASON_STOPPING] = { { "$ was stopped", "$ was stopped", "electd stops on $",
					    "$ was stopped" },
		0 },
};

const char *why_words(enum elect_reason reason, enum why_side side)
{
	assert(reason < ELECT_REASONS);
	assert(side < WHY_SIDES);
	return reasons[reason].words[side];
}

bool why_is_succession(enum elect_reason reason)
{
	assert(reason < ELECT_REASONS);
	return reasons[reason].kind == SUCCESSION;
}

bool why_is_own_absence(enum elect_reason reason)
{
	assert(reason < ELECT_REASONS);
	return reasons[reason].kind == OWN_ABSENCE;
}

/* ---- problems ---------------------------------------------------------------------------- */

static const struct {
	enum elect_problem bit;
	const char *name, *words;
} problems[WHY_PROBLEMS] = {
	{ ELECT_PROBLEM_NOT_PERSISTED, "not-persisted",
		"the state file cannot be written: this host follows, but does not lead" },
	{ ELECT_PROBLEM_STATE_LOST, "state-lost",
		"started without its state: it was damaged or lost" },
	{ ELECT_PROBLEM_DUPLICATE_ID, "duplicate-id",
		"another host uses this host's id: neither leads" },
	{ ELECT_PROBLEM_TIMINGS_DIFFER, "timings-differ",
		"a host of this domain has other timings" },
	{ ELECT_PROBLEM_PREEMPT_DIFFERS, "preempt-differs",
		"hosts of this domain disagree about preempt: it counts as off" },
	{ ELECT_PROBLEM_NO_CARRIER, "no-carrier", "no network interface has a carrier" },
	{ ELECT_PROBLEM_NO_QUORUM, "no-quorum",
		"the group is smaller than the quorum: nobody leads" },
	{ ELECT_PROBLEM_BROKEN_LINKS, "broken-links",
		"other coordinators are heard, but do not hear this host's group" },
	{ ELECT_PROBLEM_TAG_CLASH, "tag-clash",
		"two hosts have the same token tag: tokens may be equal" },
	{ ELECT_PROBLEM_COUNTER_REFUSED, "counter-refused",
		"a counter far above all others was refused" },
	{ ELECT_PROBLEM_GROUP_FULL, "group-full", "the group is full: a host was refused" },
};

enum elect_problem why_problem_bit(unsigned index)
{
	assert(index < WHY_PROBLEMS);
	return problems[index].bit;
}

const char *why_problem_name(unsigned index)
{
	assert(index < WHY_PROBLEMS);
	return problems[index].name;
}

const char *why_problem_words(unsigned index)
{
	assert(index < WHY_PROBLEMS);
	return problems[index].words;
}
