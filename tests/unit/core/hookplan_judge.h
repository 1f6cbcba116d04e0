/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hookplan_judge: judges hookplan from outside, by electd-hooks(7) and promise P7 alone: by the
 * events from electd, the record on the disk, and the scripts and targets that ran. It must not
 * look inside the plan, and shares no code with it.
 */
#ifndef ELECTD_TEST_CORE_HOOKPLAN_JUDGE_H
#define ELECTD_TEST_CORE_HOOKPLAN_JUDGE_H

#include "core/hookplan.h"

#include <stdio.h>
#include <string.h>

struct judge {
	/* Input from electd. */
	bool known, let_go, stopping, electd_stops, release_due;
	struct hookplan_view latest;
	uint64_t release;
	bool waited; /* the hold of a follower's `none` has ended */

	/* State of the disk, the scripts and the units, which outlives a crash. */
	struct hookplan_phase disk;
	bool owes;	 /* `leader` was begun, or may have been according to the disk */
	bool target_up;	 /* a start was tried, and no stop since */
	bool target_ok;	 /* that start did not fail */
	bool from_disk;	 /* an earlier process left `owes` behind */
	uint64_t leader; /* the token of the last promotion */
	uint64_t floor;	 /* minimum token: the last `leader`'s, while electd's tokens only grow */

	/* State of this process. */
	bool lost; /* the leadership has ended since it began */
	bool resigns, resign_due, look_due;
	bool gave_up; /* the last `leader` ended early because of its own failure */
	bool members_due, online;
	bool replayed, any_told;
	enum hook_event told; /* the last state */
	uint64_t told_token;
	struct hookplan_step run; /* the last step of the last run */
	bool run_open, run_scripted, run_over;
	bool ends; /* the scripts of a demotion are over, its work may continue */
	bool busy;
	struct hookplan_step step;

	const char *broken; /* the first rule that was broken */
};

#define RULE(j, holds) judge_rule(j, holds, #holds)

static inline void judge_rule(struct judge *j, bool holds, const char *words)
{
	if (!holds && !j->broken)
		j->broken = words;
}

/* ---- input from electd ----------------------------------------------------------------------- */

static inline bool judge_leads(const struct judge *j)
{
	return j->known && !j->let_go && j->latest.role == ELECT_ROLE_LEADER;
}

static inline bool judge_demotes(const struct judge *j)
{
	return j->owes && j->lost && j->run_open && !j->run_over && j->run.event != HOOK_LEADER &&
		j->run.event != HOOK_MEMBERS;
}

static inline bool judge_promoting(const struct judge *j)
{
	return j->busy && j->step.type == HOOKPLAN_RECORD && j->step.phase.mark == HOOKPLAN_STARTED;
}

/* The last script reported another host as leader, and now there is no leader. */
static inline bool judge_holds(const struct judge *j)
{
	bool leads = (j->owes && !judge_demotes(j)) || judge_promoting(j);

	return j->told == HOOK_FOLLOWER && !leads && j->latest.role == ELECT_ROLE_NONE &&
		!j->waited && !j->stopping;
}

static inline void judge_waited(struct judge *j)
{
	j->waited |= judge_holds(j) && !j->latest.awaits;
}

static inline void judge_lost(struct judge *j)
{
	j->resign_due = false;
	if (j->owes || judge_promoting(j))
		j->lost = true;
}

static inline void judge_view(struct judge *j, const struct hookplan_view *view)
{
	uint64_t begun = judge_promoting(j) ? j->step.token : j->leader;
	bool owed = j->owes || judge_promoting(j);

	if (view->role != ELECT_ROLE_LEADER || view->first)
		j->let_go = false;
	if (view->first)
		j->release_due = false;
	if (view->role != ELECT_ROLE_LEADER || (owed && view->token < begun))
		judge_lost(j);
	j->latest = *view;
	j->known = true;
	j->members_due |= view->members;
	j->waited &= view->role == ELECT_ROLE_NONE && !view->awaits;
}

static inline void judge_silence(struct judge *j)
{
	memset(&j->latest, 0, sizeof(j->latest));
	judge_lost(j);
}

static inline void judge_release(struct judge *j, uint64_t number, bool stop)
{
	judge_lost(j);
	j->release_due = true;
	j->release = number;
	j->let_go = true;
	j->electd_stops |= stop && j->lost && !judge_demotes(j);
}

static inline void judge_look(struct judge *j)
{
	j->look_due = true;
}

static inline void judge_stop(struct judge *j)
{
	j->stopping = true;
	judge_lost(j);
}

/* Restarts hookd: only the disk, the units and the configuration are kept. */
static inline void judge_start(struct judge *j)
{
	RULE(j, !j->owes || j->disk.mark != HOOKPLAN_IDLE);
	*j = (struct judge){
		.disk = j->disk,
		.owes = j->disk.mark != HOOKPLAN_IDLE,
		.target_up = j->target_up,
		.leader = j->leader,
		.floor = j->floor,
		.resigns = j->resigns,
		.broken = j->broken,
	};
	j->lost = j->from_disk = j->owes;
}

/* ---- a run begins ---------------------------------------------------------------------------- */

static inline void judge_demotion(struct judge *j, const struct hookplan_step *s)
{
	bool stop = j->stopping || j->electd_stops;
	bool follows = j->known && j->latest.role == ELECT_ROLE_FOLLOWER;

	RULE(j, j->owes && j->lost && s->type == HOOKPLAN_TARGET_STOP);
	j->ends = false;
	RULE(j, (s->event == HOOK_STOP) == stop);
	RULE(j, stop || (s->event == HOOK_FOLLOWER) == follows);
	RULE(j, stop || follows || s->event == HOOK_NONE);
	RULE(j, s->replay == j->from_disk && !s->confirmed);
	j->told = s->event;
	j->told_token = j->latest.token;
	j->replayed |= s->event == HOOK_FOLLOWER;
	j->electd_stops = false;
	j->any_told = true;
}

static inline void judge_promotion(struct judge *j, const struct hookplan_step *s)
{
	RULE(j, s->type == HOOKPLAN_RECORD && s->phase.mark == HOOKPLAN_STARTED);
	RULE(j, s->phase.token == s->token && s->token == j->latest.token);
	RULE(j, judge_leads(j) && !j->stopping);
	RULE(j, s->confirmed == j->owes);
	RULE(j, s->confirmed || !j->latest.promoting);
	RULE(j, !s->confirmed || s->token > j->leader);
	RULE(j, s->token >= j->floor);
	j->gave_up = false;
}

/* Only the first state after the start is a replay. */
static inline void judge_replay(struct judge *j, const struct hookplan_step *s)
{
	RULE(j, !s->replay || !j->replayed);
	RULE(j, s->replay || j->any_told);
	j->replayed = true;
}

static inline void judge_state(struct judge *j, const struct hookplan_step *s)
{
	bool stop = s->event == HOOK_STOP;
	bool follows = j->known && !j->let_go && j->latest.role == ELECT_ROLE_FOLLOWER;

	RULE(j, s->type == HOOKPLAN_SCRIPT && !j->owes && !s->confirmed);
	RULE(j, stop == j->stopping);
	RULE(j, stop || j->known);
	RULE(j, stop || ((s->event == HOOK_FOLLOWER) == follows && !judge_leads(j)));
	RULE(j, s->event != j->told || (follows && j->latest.token != j->told_token));
	RULE(j, s->event != HOOK_NONE || j->told != HOOK_STOP);
	RULE(j, !(s->replay && stop));
	if (!stop)
		judge_replay(j, s);
	j->told = s->event;
	j->told_token = j->latest.token;
	j->any_told = true;
}

static inline void judge_members(struct judge *j, const struct hookplan_step *s)
{
	RULE(j, s->type == HOOKPLAN_SCRIPT && !s->replay && !s->confirmed);
	RULE(j, j->members_due && !j->stopping && j->known && j->told != HOOK_STOP);
	RULE(j, judge_leads(j) == (j->told == HOOK_LEADER));
}

static inline void judge_run(struct judge *j, const struct hookplan_step *s)
{
	/* The last run is over, or was cut short by a lost leadership or a failure. */
	RULE(j, !j->run_open || j->run_over || j->lost);
	RULE(j, s->run > j->run.run && s->index == 0);
	j->run_open = true;
	j->run_scripted = j->run_over = false;
	if (j->owes && j->lost)
		judge_demotion(j, s);
	else if (s->event == HOOK_LEADER)
		judge_promotion(j, s);
	else if (s->event == HOOK_MEMBERS)
		judge_members(j, s);
	else
		judge_state(j, s);
	j->members_due = false;
}

/* ---- a step is given ------------------------------------------------------------------------- */

static inline bool judge_of_run(const struct hookplan_step *s)
{
	return s->type == HOOKPLAN_SCRIPT || s->type == HOOKPLAN_TARGET_START ||
		s->type == HOOKPLAN_TARGET_STOP || s->type == HOOKPLAN_ENDED ||
		(s->type == HOOKPLAN_RECORD && s->phase.mark == HOOKPLAN_STARTED);
}

static inline void judge_script(struct judge *j, const struct hookplan_step *s)
{
	unsigned next =
		j->run.type == HOOKPLAN_SCRIPT && j->run.run == s->run ? j->run.index + 1 : 0;

	RULE(j, s->index == next && !j->run_over);
	if (s->event != HOOK_LEADER) {
		RULE(j, !j->owes || !j->target_up || s->event == HOOK_MEMBERS);
		return;
	}
	RULE(j, j->owes && !j->lost);
	RULE(j, j->disk.mark == HOOKPLAN_STARTED && j->disk.token == s->token);
	if (s->index > 0)
		return;
	judge_replay(j, s);
	j->told = HOOK_LEADER;
	j->told_token = j->floor = s->token;
	j->any_told = true;
}

static inline void judge_record(struct judge *j, const struct hookplan_step *s)
{
	switch (s->phase.mark) {
	case HOOKPLAN_IDLE:
		RULE(j, !j->owes && !j->release_due && s->run == j->run.run);
		break;
	case HOOKPLAN_STARTED:
		RULE(j, !j->run_scripted);
		break;
	case HOOKPLAN_MARKS:
		RULE(j, false);
	}
}

/* Steps that must come before any other. */
static inline void judge_urgent(struct judge *j, const struct hookplan_step *s)
{
	if (j->release_due && !j->owes)
		RULE(j, s->type == HOOKPLAN_RELEASED);
	else if (judge_demotes(j))
		RULE(j,
			s->run == j->run.run &&
				s->type == (j->ends ? HOOKPLAN_ENDED : HOOKPLAN_SCRIPT));
	else if (j->owes && j->lost)
		RULE(j, s->type == HOOKPLAN_TARGET_STOP);
	else if (j->resign_due)
		RULE(j, s->type == HOOKPLAN_RESIGN);
}

/* While a follower's `none` is held back, only the end of a run that has begun is allowed. */
static inline void judge_held(struct judge *j, const struct hookplan_step *s)
{
	bool goes_on = judge_of_run(s) && s->run == j->run.run;
	bool ends = s->type == HOOKPLAN_RELEASED || s->type == HOOKPLAN_RESIGN ||
		(s->type == HOOKPLAN_RECORD && s->phase.mark == HOOKPLAN_IDLE);

	if (judge_holds(j) && !(j->owes && j->lost))
		RULE(j, s->type == HOOKPLAN_WAIT || goes_on || ends);
}

/* A leader that gave up may have a target or not. */
static inline bool judge_may_look(const struct judge *j)
{
	return !j->owes || (j->target_ok && !j->gave_up);
}

static inline bool judge_same(const struct hookplan_step *a, const struct hookplan_step *b)
{
	return a->type == b->type && a->run == b->run && a->event == b->event &&
		a->index == b->index && a->token == b->token && a->phase.mark == b->phase.mark;
}

static inline void judge_gave(struct judge *j, const struct hookplan_step *s)
{
	RULE(j, !j->busy || judge_same(s, &j->step));
	if (j->busy || j->broken)
		return;
	judge_urgent(j, s);
	judge_held(j, s);
	if (judge_of_run(s)) {
		if (s->run != j->run.run)
			judge_run(j, s);
		if (s->type == HOOKPLAN_SCRIPT)
			judge_script(j, s);
		j->run = *s;
	}
	if (s->type == HOOKPLAN_RECORD)
		judge_record(j, s);
	if (s->type == HOOKPLAN_TARGET_START) {
		RULE(j, s->event == HOOK_LEADER && j->run_scripted && j->owes && !j->lost);
		j->target_up = true;
	}
	if (s->type == HOOKPLAN_TARGET_AGAIN)
		RULE(j,
			j->target_up && !j->target_ok && j->owes && !j->lost && j->run_over &&
				j->told == HOOK_LEADER);
	if (s->type == HOOKPLAN_TARGET_STOP) {
		RULE(j, j->owes && j->lost);
		j->look_due = false;
	}
	if (s->type == HOOKPLAN_LOOK) {
		RULE(j,
			j->look_due && !j->stopping && !j->lost && (!j->run_open || j->run_over) &&
				judge_may_look(j));
		j->look_due = false;
	}
	if (s->type == HOOKPLAN_RELEASED)
		RULE(j, j->release_due && s->release == j->release && !j->target_up);
	if (s->type == HOOKPLAN_RESIGN)
		RULE(j, j->resign_due);
	if (s->type == HOOKPLAN_ENDED)
		RULE(j, j->ends && judge_demotes(j));
	if (s->type == HOOKPLAN_EXIT)
		RULE(j, j->stopping && !j->owes && !j->online && j->told == HOOK_STOP);
	j->step = *s;
	j->busy = s->type != HOOKPLAN_WAIT && s->type != HOOKPLAN_EXIT;
}

/* ---- a step is over -------------------------------------------------------------------------- */

static inline void judge_script_over(struct judge *j, enum hookplan_result result)
{
	if (result != HOOKPLAN_NO_MORE)
		return;
	j->run_scripted = true;
	j->ends = judge_demotes(j);
	j->run_over = j->step.event != HOOK_LEADER && !j->ends;
}

static inline void judge_ended(struct judge *j)
{
	j->run_over = true;
	j->owes = j->lost = j->from_disk = false;
}

static inline void judge_record_over(struct judge *j, enum hookplan_result result)
{
	if (j->step.phase.mark == HOOKPLAN_STARTED && result == HOOKPLAN_OK) {
		j->owes = true;
		j->leader = j->step.token;
	}
	if (j->step.phase.mark == HOOKPLAN_STARTED && result != HOOKPLAN_OK) {
		j->run_over = true;
		j->lost &= j->owes;
		j->electd_stops &= j->owes;
	}
}

/* A failure of `leader` makes a host resign if its leadership has not ended. */
static inline bool judge_gives_up(const struct judge *j, enum hookplan_result result)
{
	bool step = j->step.type == HOOKPLAN_SCRIPT || j->step.type == HOOKPLAN_TARGET_START ||
		judge_promoting(j);

	return result == HOOKPLAN_FAILED && j->resigns && step && !j->lost &&
		j->step.event == HOOK_LEADER;
}

/* The step looked at the work of a leader whose leadership has not ended. */
static inline bool judge_looked(const struct judge *j)
{
	return j->step.type == HOOKPLAN_LOOK && j->owes && !j->lost;
}

/* If a unit failed or the target stopped, a leader that `resigns` gives the leadership back. */
static inline bool judge_unit_failed(const struct judge *j, enum hookplan_result result)
{
	return judge_looked(j) && result != HOOKPLAN_OK && j->resigns;
}

/* If the target stopped, a leader that does not resign has it started again. */
static inline bool judge_target_stopped(const struct judge *j, enum hookplan_result result)
{
	return judge_looked(j) && result == HOOKPLAN_DOWN && !j->resigns;
}

static inline void judge_done(struct judge *j, enum hookplan_result result)
{
	if (judge_unit_failed(j, result))
		j->resign_due = true;
	if (judge_gives_up(j, result))
		j->gave_up = j->resign_due = j->run_over = true;
	switch (j->step.type) {
	case HOOKPLAN_RECORD:
		judge_record_over(j, result);
		break;
	case HOOKPLAN_SCRIPT:
		judge_script_over(j, result);
		break;
	case HOOKPLAN_TARGET_STOP:
		j->target_up = j->target_ok = false;
		break;
	case HOOKPLAN_ENDED:
		judge_ended(j);
		break;
	case HOOKPLAN_ONLINE_START:
	case HOOKPLAN_ONLINE_STOP:
		j->online = j->step.type == HOOKPLAN_ONLINE_START;
		break;
	case HOOKPLAN_RELEASED:
		j->release_due &= j->release != j->step.release;
		break;
	case HOOKPLAN_RESIGN:
		j->resign_due = false;
		break;
	case HOOKPLAN_LOOK:
		j->target_ok &= !judge_target_stopped(j, result);
		break;
	case HOOKPLAN_TARGET_START:
		j->run_over = true;
		j->target_ok = result == HOOKPLAN_OK;
		break;
	case HOOKPLAN_TARGET_AGAIN:
		j->target_ok = result == HOOKPLAN_OK;
		break;
	case HOOKPLAN_WAIT:
	case HOOKPLAN_EXIT:
	case HOOKPLAN_STEPS:
		break;
	}
	j->busy = false;
}

static inline void judge_obsolete(struct judge *j, bool obsolete)
{
	const struct hookplan_step *s = &j->step;
	bool leaders = judge_of_run(s) && (s->event == HOOK_LEADER || s->event == HOOK_MEMBERS);
	bool unit = s->type == HOOKPLAN_ONLINE_START || s->type == HOOKPLAN_ONLINE_STOP ||
		s->type == HOOKPLAN_TARGET_AGAIN || s->type == HOOKPLAN_LOOK;
	bool look = s->type == HOOKPLAN_LOOK && (j->stopping || (judge_leads(j) && !j->owes));

	RULE(j, obsolete == (j->busy && ((j->lost && (leaders || unit)) || look)));
}

static inline void judge_hold(struct judge *j, bool holds)
{
	RULE(j, holds == (judge_holds(j) && !j->latest.awaits));
}

/* ---- at rest: no event is pending, the disk works, every request is done --------------------- */

static inline void judge_quiet(struct judge *j)
{
	static const enum hook_event states[ELECT_ROLES] = { HOOK_NONE, HOOK_FOLLOWER,
		HOOK_LEADER };
	enum hook_event state = states[j->let_go ? ELECT_ROLE_NONE : j->latest.role];

	RULE(j, !j->busy && !j->release_due && !j->resign_due && !j->lost);
	RULE(j, j->owes || j->disk.mark == HOOKPLAN_IDLE);
	RULE(j, j->step.type == (j->stopping ? HOOKPLAN_EXIT : HOOKPLAN_WAIT));
	if (!j->known || j->stopping) {
		RULE(j, !j->owes);
		return;
	}
	RULE(j, j->told == state || (state == HOOK_NONE && j->told == HOOK_STOP));
	RULE(j, state == HOOK_NONE || j->told_token == j->latest.token);
	RULE(j, j->owes == (state == HOOK_LEADER));
	RULE(j, j->target_ok || j->gave_up || state != HOOK_LEADER);
	RULE(j, j->told == HOOK_STOP || !j->members_due);
	RULE(j, !j->look_due || !judge_may_look(j));
	RULE(j, j->online == (j->latest.role != ELECT_ROLE_NONE));
	j->replayed = true; /* the first state was reported */
}

#endif
