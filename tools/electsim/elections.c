/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elections: the table of all elections (world/election.h). No other file of electsim knows both
 * the judge and the laboratory.
 */
#include <assert.h>
#include <string.h>

#include "core/frame/algorithm.h"
#include "electsim/judge/daemons/daemons.h"
#include "electsim/lab/bully/bully.h"
#include "electsim/lab/elections/lab.h"
#include "electsim/lab/road/road.h"

static const enum elect_msg_type invitation_steps[] = { ELECT_INVITATION, ELECT_ACCEPT, ELECT_READY,
	ELECT_READY_ANSWER, ELECT_DECLINE, ELECT_GOODBYE, ELECT_AYCOORD_ANSWER,
	ELECT_AYTHERE_ANSWER, ELECT_HELLO, ELECT_CHALLENGE_ANSWER },
				 invitation_pushes[] = { ELECT_HELLO, ELECT_AYCOORD, ELECT_AYTHERE,
					 ELECT_INVITATION };

static const enum elect_msg_type bully_steps[] = { ELECT_AYUP, ELECT_AYUP_ANSWER, ELECT_AYNORMAL,
	ELECT_AYNORMAL_ANSWER, ELECT_ENTERELECTION, ELECT_ENTERELECTION_ANSWER, ELECT_SETCOORD,
	ELECT_SETCOORD_ANSWER, ELECT_NEWSTATE, ELECT_NEWSTATE_ANSWER, ELECT_GOODBYE,
	ELECT_CHALLENGE_ANSWER },
				 bully_pushes[] = { ELECT_AYUP, ELECT_AYNORMAL, ELECT_ENTERELECTION,
					 ELECT_SETCOORD };

#define TYPES(which, list) .which = list, .which##_count = sizeof(list) / sizeof(list[0])

static const struct election framed[] = {
	{ .name = "invitation",
		.title = "Garcia-Molina 1982, invitation",
		.framed = &invitation,
		.hosts_max = SIM_HOSTS_MAX,
		.begin = daemons_begin,
		TYPES(steps, invitation_steps),
		TYPES(pushes, invitation_pushes) },
	{ .name = "bully",
		.title = "Garcia-Molina 1982, bully",
		.framed = &bully,
		.hosts_max = SIM_HOSTS_MAX,
		.begin = daemons_begin,
		.reelects = true,
		TYPES(steps, bully_steps),
		TYPES(pushes, bully_pushes) },
};

static struct election of_lab(const struct lab_algorithm *a)
{
	return (struct election){ .name = a->name,
		.title = a->title,
		.lab = a,
		.eventual = a->eventual,
		.lowest_wins = a->lowest_wins,
		.hosts_max = LAB_HOSTS_MAX,
		.begin = road_begin,
		.calm = road_calm,
		.faults = "crash,lost-write,lost-state,stall,pause,split,one-way,pair,carrier,"
			  "loss,duplicate,delay,blackout,kill" };
}

const struct election *elections_list(unsigned *ret_count)
{
	enum { FRAMED = sizeof(framed) / sizeof(framed[0]) };
	static struct election list[ELECTIONS_MAX];
	static unsigned count;

	if (count == 0) {
		memcpy(list, framed, sizeof(framed));
		for (count = FRAMED; lab_algorithms[count - FRAMED]; count++) {
			assert(count < ELECTIONS_MAX);
			list[count] = of_lab(lab_algorithms[count - FRAMED]);
		}
	}
	*ret_count = count;
	return list;
}

const struct election *election_named(const char *name)
{
	unsigned count;
	const struct election *all = elections_list(&count);

	for (unsigned i = 0; i < count; i++)
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	return NULL;
}

const struct election *election_framed(const struct elect_algorithm *algorithm)
{
	unsigned count;
	const struct election *all = elections_list(&count);
	unsigned i = 0;

	while (algorithm && i < count && all[i].framed != algorithm)
		i++;
	assert(i < count);
	return &all[i];
}
