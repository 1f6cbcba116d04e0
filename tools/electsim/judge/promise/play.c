/* SPDX-License-Identifier: Apache-2.0 */
/*
 * play: one insider on one LAN: four members, a former member that is dead, and a host that starts
 * after the insider has gone.
 */
#include <string.h>

#include "promise.h"

enum { MEMBERS = 4, DEAD = MEMBERS, NEWCOMER, HOSTS };

#define SEED	   1
#define LIMIT_US   UINT64_C(20000000)
#define SETTLES_US UINT64_C(2000000)
#define EVERY_US   UINT64_C(5000)
/* Recordings of the insider are played for this time, after the three beacons. */
#define RECORDED_US UINT64_C(1000000)
enum { TIMES_PLAYED = 3 };
/* If this promise breaks, the case is also played without recordings: the cause may be another. */
#define RECORDINGS "recordings"
enum recordings { RECORDINGS_PLAYED, RECORDINGS_MISSED, RECORDINGS_UNJUDGED };
/* Tolerance: an election may begin anywhere between two beacons. */
#define CHANCE_US SIM_BEACON_US
/* The usual figures are taken in this many phases of a beacon. */
#define PHASES	 8
#define PHASE_US (SIM_BEACON_US / PHASES + 1000)

/* Exceptions: effects that may last longer, each with its bound. */
struct promise_exception {
	const char *what;
	/* applies while one of these is reported: bits of enum elect_problem; 0: always */
	unsigned alarms;
	bool (*applies)(const struct sim *s, const struct promise_case *c); /* NULL: always */
	bool bars;			   /* affected hosts may not lead */
	uint64_t late_us[PROMISE_FIGURES]; /* how much longer a figure may take meanwhile */
	uint64_t bound_us;		   /* time after the three beacons; ELECT_NEVER: no end */
};

#define WINDOW_US    UINT64_C(100000)
#define LONE_HOLD_US (2 * SIM_DEAD_US)
/* A host's reserve while others push, and its random step, at the rate of counter.md. */
#define CATCH_UP_US (((UINT64_C(1) << 18) + (UINT64_C(1) << 16)) * 1000000 / ELECT_ADVANCE_PER_S)

/* Forged sequences made a host believe that it was put back. */
static bool put_a_host_back(const struct sim *s, const struct promise_case *c)
{
	(void)c;
	return s->totals.anew > 0;
}

/* The insider faked a start of a living host, with a higher incarnation. */
static bool made_up_a_start(const struct sim *s, const struct promise_case *c)
{
	(void)s;
	return c->at[PROMISE_AS] == AS_TWICE;
}

/* Hosts that do not exist accept, and are members until they are missed. */
static bool makes_up_members(const struct sim *s, const struct promise_case *c)
{
	(void)s;
	return c->at[PROMISE_TYPE] == ELECT_ACCEPT &&
		strcmp(forge_part_name((unsigned)c->at[PROMISE_PART]), "sender") == 0;
}

static bool leader_was_dead(const struct sim *s, const struct promise_case *c)
{
	(void)s;
	return c->at[PROMISE_STATE] == STATE_ELECTION;
}

/* A recording that no host had heard yet was believed. */
static bool was_signed_for_later(const struct sim *s, const struct promise_case *c)
{
	(void)c;
	return s->insider_heard_us > s->insider_us + PROMISE_US;
}

static const struct promise_exception exceptions[] = {
	/* A starting host's counter advances as slowly as the others' did (counter.md). */
	{ .what = "another leader, higher counters and tokens, which a starting host must reach",
		.alarms = ELECT_PROBLEM_COUNTER_PUSHED,
		.late_us = { [PROMISE_JOIN] = PROMISE_US + SIM_BEACON_US,
			[PROMISE_RETURN] = PROMISE_US + SIM_BEACON_US,
			[PROMISE_BACK] = PROMISE_US + SIM_BEACON_US },
		.bound_us = ELECT_NEVER },
	/*
	 * A group ahead is forgotten three beacons after its last message; Hello follows
	 * (counter.md).
	 */
	{ .what = "a dropped host looks for a leader up to a beacon later",
		.alarms = ELECT_PROBLEM_COUNTER_PUSHED,
		.late_us = { [PROMISE_AGREE] = SIM_BEACON_US },
		.bound_us = SIM_BEACON_US },
	{ .what = "a duplicate id bars and is reported; other differences are reported",
		.alarms = ELECT_PROBLEM_DUPLICATE_ID | ELECT_PROBLEM_SAME_DOMAIN |
			ELECT_PROBLEM_TIMINGS_DIFFER | ELECT_PROBLEM_PREEMPT_DIFFERS |
			ELECT_PROBLEM_QUORUM_DIFFERS,
		.bars = true,
		.bound_us = 60000000 },
	/* Peers report it TRUST_TELLS times, and the host reports it KNOWN_FORGET_US longer. */
	{ .what = "a later start is reported",
		.alarms = ELECT_PROBLEM_STATE_OLD,
		.bound_us = TRUST_TELLS * UINT64_C(60000000) + 120000000 },
	/* Reported also while the hosts advance each other's counters to the highest one. */
	{ .what = "a pushed counter is reported",
		.alarms = ELECT_PROBLEM_COUNTER_PUSHED | ELECT_PROBLEM_COUNTER_REFUSED,
		.bound_us =
			UINT64_C(600000000) + ELECT_ADVANCE_FULL / ELECT_ADVANCE_PER_S * 1000000 },
	{ .what = "a false suspicion doubles dead_after at most",
		.late_us = { [PROMISE_SUCCEED] = SIM_DEAD_US },
		.bound_us = 600000000 },
	{ .what = "the same if the leader is dead",
		.applies = leader_was_dead,
		.late_us = { [PROMISE_AGREE] = SIM_DEAD_US },
		.bound_us = SIM_DEAD_US },
	/* Two groups hear each other with the first beacon, and check twice (merge.md). */
	{ .what = "a merge that begins with the third beacon takes a window",
		.late_us = { [PROMISE_AGREE] = WINDOW_US },
		.bound_us = WINDOW_US },
	/*
	 * The counters were out of reach of every successor; each host began anew, alone (role.md).
	 */
	{ .what = "a group of a dead leader fell apart over pushed counters",
		.applies = leader_was_dead,
		.alarms = ELECT_PROBLEM_COUNTER_PUSHED,
		.late_us = { [PROMISE_AGREE] = LONE_HOLD_US },
		.bound_us = LONE_HOLD_US },
	{ .what = "a faked start outdates the host for a beacon",
		.applies = made_up_a_start,
		.late_us = { [PROMISE_AGREE] = SIM_BEACON_US },
		.bound_us = SIM_BEACON_US },
	/* The host was excluded while the others' counters advanced. */
	{ .what = "after a faked start the host must reach counters that were pushed",
		.applies = made_up_a_start,
		.alarms = ELECT_PROBLEM_COUNTER_PUSHED,
		.late_us = { [PROMISE_AGREE] = PROMISE_US },
		.bound_us = PROMISE_US },
	/* A group without a majority of the former one leads after lone_hold (role.md). */
	{ .what = "members that do not exist were the majority",
		.applies = makes_up_members,
		.late_us = { [PROMISE_AGREE] = LONE_HOLD_US },
		.bound_us = LONE_HOLD_US },
	{ .what = "a recording that is heard for the first time pushes counters, which a member "
		  "reaches",
		.applies = was_signed_for_later,
		.alarms = ELECT_PROBLEM_COUNTER_PUSHED,
		.late_us = { [PROMISE_SUCCEED] = CATCH_UP_US },
		.bound_us = CATCH_UP_US },
	{ .what = "a host that was put back begins a session, which takes a start",
		.applies = put_a_host_back,
		.late_us = { [PROMISE_AGREE] = SIM_DEAD_US },
		.bound_us = SIM_DEAD_US },
	{ .what = "such a host begins above pushed counters, which all others must reach",
		.applies = put_a_host_back,
		.alarms = ELECT_PROBLEM_COUNTER_PUSHED,
		.late_us = { [PROMISE_AGREE] = CATCH_UP_US,
			[PROMISE_JOIN] = CATCH_UP_US,
			[PROMISE_RETURN] = CATCH_UP_US,
			[PROMISE_SUCCEED] = CATCH_UP_US,
			[PROMISE_BACK] = CATCH_UP_US },
		.bound_us = CATCH_UP_US },
};

enum { EXCEPTIONS = sizeof(exceptions) / sizeof(exceptions[0]) };

static const char *const figure_names[PROMISE_FIGURES] = {
	[PROMISE_AGREE] = "all agree",
	[PROMISE_JOIN] = "a new host joins",
	[PROMISE_RETURN] = "a dead host returns",
	[PROMISE_SUCCEED] = "a leader is succeeded",
	[PROMISE_BACK] = "a former leader is back",
	[PROMISE_RESTART] = "a member restarts",
};

const char *promise_figure_name(enum promise_figure f)
{
	return figure_names[f];
}

static void prepare(struct sim *s, enum promise_state state)
{
	sim_reset(s, SEED, HOSTS);
	daemons_begin(s, election_framed(NULL), false);
	for (unsigned i = 0; i < HOSTS && state == STATE_QUORUM; i++)
		s->hosts[i]->config.quorum = MEMBERS / 2 + 1;
	insider_listen(s);
	for (unsigned i = 0; i <= DEAD; i++)
		world_start(s, s->hosts[i]);
	sim_run_until_agree(s, LIMIT_US, true);
	sim_run_for(s, SETTLES_US);
	world_crash(s, s->hosts[DEAD], false);
	sim_run_until_agree(s, LIMIT_US, true);
	sim_run_for(s, SETTLES_US);
}

static unsigned leader_of(const struct sim *s)
{
	int leader = shown_leader(s);

	return leader < 0 ? 0 : (unsigned)leader;
}

static unsigned member_of(const struct sim *s, unsigned leader)
{
	for (unsigned i = 0; i < MEMBERS; i++)
		if (i != leader && s->hosts[i]->on)
			return i;
	return leader;
}

static struct insider_plan plan_of(const struct sim *s, const struct promise_case *c)
{
	unsigned leader = leader_of(s), member = member_of(s, leader);
	const unsigned hosts[] = { [AS_ITSELF] = leader,
		[AS_LEADER] = leader,
		[AS_MEMBER] = member,
		[AS_DEAD] = DEAD,
		[AS_TWICE] = leader,
		[AS_WILL] = leader };
	const int to[] = { [TO_ALL] = -1, [TO_LEADER] = (int)leader, [TO_MEMBER] = (int)member };
	int as = c->at[PROMISE_AS];

	return (struct insider_plan){
		.type = (unsigned)c->at[PROMISE_TYPE],
		.part = (unsigned)c->at[PROMISE_PART],
		.value = c->value,
		.as = as == AS_ITSELF	 ? INSIDER_ITSELF
			: as == AS_TWICE ? INSIDER_TWICE
					 : INSIDER_HOST,
		.host = hosts[as],
		.borrows = c->at[PROMISE_SOURCE],
		.will = as == AS_WILL,
		.to = to[c->at[PROMISE_TO]],
		.every_us = EVERY_US,
	};
}

static void disturb(struct sim *s, const struct promise_case *c)
{
	struct insider_plan plan = plan_of(s, c);

	if (c->at[PROMISE_STATE] == STATE_ELECTION)
		world_crash(s, s->hosts[leader_of(s)], false);
	insider_speak(s, &plan);
	sim_run_for(s, PROMISE_US);
	insider_reset(s);
}

static unsigned ms(uint64_t us)
{
	return (unsigned)(us / 1000);
}

/* Time until all hosts agree and one leads, or the limit. */
static uint64_t agree_us(struct sim *s)
{
	uint64_t from_us = s->now_us;

	s->changed_us = s->now_us; /* checks at once */
	sim_run_until_agree(s, LIMIT_US, true);
	return s->now_us - from_us;
}

/* Counts changes in the calm before the next host comes or goes. */
static uint64_t settle(struct sim *s)
{
	uint64_t changes;

	sim_run_for(s, 2 * SIM_BEACON_US); /* until the last hosts hear of a new leader */
	changes = s->totals.changes;
	sim_run_for(s, SETTLES_US);
	return s->totals.changes - changes;
}

static void happen(struct sim *s, enum promise_figure f, unsigned leader, unsigned member)
{
	switch (f) {
	case PROMISE_JOIN:
		world_start(s, s->hosts[NEWCOMER]);
		break;
	case PROMISE_RETURN:
		world_start(s, s->hosts[DEAD]);
		break;
	case PROMISE_SUCCEED:
		world_crash(s, s->hosts[leader], false);
		break;
	case PROMISE_BACK:
		world_start(s, s->hosts[leader]);
		break;
	case PROMISE_RESTART:
		world_crash(s, s->hosts[member], false);
		world_start(s, s->hosts[member]);
		break;
	case PROMISE_AGREE:
	case PROMISE_FIGURES:
		break;
	}
}

unsigned promise_alarms(const struct sim *s)
{
	unsigned alarms = 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		if (s->hosts[i]->on)
			alarms |= s->hosts[i]->watch.view.problems;
	return alarms;
}

/* An exception with alarms applies only while one of them is reported. */
static bool is_there(
	const struct sim *s, const struct promise_case *c, const struct promise_exception *e)
{
	return (!e->alarms || (promise_alarms(s) & e->alarms)) && (!e->applies || e->applies(s, c));
}

/* The time that the exceptions allow. */
static uint64_t late_us(const struct sim *s, const struct promise_case *c, enum promise_figure f)
{
	uint64_t us = 0;

	for (unsigned i = 0; i < EXCEPTIONS; i++)
		if (is_there(s, c, &exceptions[i]))
			us += exceptions[i].late_us[f];
	return us;
}

/* An insider that plays a dead leader delays the succession until it is gone. */
static uint64_t most_us(
	enum promise_state state, enum promise_figure f, const struct promise_figures *usual)
{
	if (f != PROMISE_AGREE)
		return usual->us[f] + CHANCE_US;
	if (state == STATE_ELECTION)
		return PROMISE_US + usual->us[PROMISE_SUCCEED];
	return PROMISE_US;
}

static void judge(struct sim *s, const struct promise_case *c, enum promise_figure f,
	const struct promise_figures *usual, const struct promise_figures *is)
{
	uint64_t most = most_us((unsigned)c->at[PROMISE_STATE], f, usual) + late_us(s, c, f);

	if (is->us[f] > most)
		check_fail(s, "promise", "%s after %u ms, not %u", figure_names[f], ms(is->us[f]),
			ms(most));
	if (is->changes[f] > usual->changes[f])
		check_fail(s, "promise",
			"%s, and something changes %u ms after the insider's last datagram",
			figure_names[f], ms(s->changed_us - s->insider_us));
}

/* The insider's last datagram, or the last recording that a host heard for the first time. */
static uint64_t last_word_us(const struct sim *s)
{
	return s->insider_heard_us > s->insider_us ? s->insider_heard_us : s->insider_us;
}

/* Waits until three beacons, and the exceptions, are over. */
static void calm(struct sim *s, const struct promise_case *c, const struct promise_figures *usual,
	uint64_t agreed_us)
{
	uint64_t late_until_us = 0;

	if (agreed_us < PROMISE_US)
		sim_run_for(s, PROMISE_US - agreed_us);
	if (usual && late_us(s, c, PROMISE_AGREE))
		late_until_us = late_us(s, c, PROMISE_AGREE) +
			most_us((unsigned)c->at[PROMISE_STATE], PROMISE_AGREE, usual);
	if (agreed_us < late_until_us)
		sim_run_until(s, last_word_us(s) + late_until_us);
}

static bool somebody_is_barred(const struct sim *s)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (s->hosts[i]->on && !s->hosts[i]->watch.view.may_lead)
			return true;
	return false;
}

/* Replays all datagrams of the insider to their receivers. false: a change followed. */
static bool recordings_are_void(struct sim *s, bool plays)
{
	uint64_t changes = s->totals.changes;
	unsigned alarms = promise_alarms(s);
	bool barred = somebody_is_barred(s);

	if (plays)
		forgeries_play(s, -1, FORGERIES_AS_SENT, 0, RECORDED_US / (s->forgeries.count + 1));
	sim_run_for(s, RECORDED_US);
	forgeries_end(s);
	return s->totals.changes == changes && !(promise_alarms(s) & ~alarms) &&
		(barred || !somebody_is_barred(s));
}

/*
 * A change is allowed if a host hears a recording for the first time, or believes that it was put
 * back (trust.md 3, outlives.md), but not each time.
 */
static void play_recordings(struct sim *s, const struct promise_case *c,
	const struct promise_figures *usual, enum recordings how)
{
	for (unsigned i = 0; i < TIMES_PLAYED && !s->broken; i++) {
		uint64_t anew = s->totals.anew, from_us = s->now_us;

		if (recordings_are_void(s, how == RECORDINGS_PLAYED) || how == RECORDINGS_UNJUDGED)
			return;
		if (s->totals.anew == anew && s->insider_heard_us < from_us)
			check_fail(s, RECORDINGS, "something changes");
		calm(s, c, usual, agree_us(s));
	}
	check_fail(s, RECORDINGS, "something changes each time");
}

/* `usual`: NULL while the usual figures are measured. */
static void measure(struct sim *s, const struct promise_case *c,
	const struct promise_figures *usual, enum recordings how, struct promise_figures *ret)
{
	unsigned leader = 0, member = 0;

	for (unsigned f = 0; f < PROMISE_FIGURES && !s->broken; f++) {
		if (f == PROMISE_SUCCEED)
			leader = leader_of(s);
		if (f == PROMISE_RESTART)
			member = member_of(s, leader_of(s));
		happen(s, f, leader, member);
		ret->us[f] = agree_us(s);
		if (f == PROMISE_AGREE)
			calm(s, c, usual, ret->us[f]);
		else if (ret->us[f] < LIMIT_US)
			ret->changes[f] = settle(s);
		if (usual)
			judge(s, c, f, usual, ret);
		if (usual && f == PROMISE_AGREE && !s->broken)
			play_recordings(s, c, usual, how);
	}
}

/* A succession was late, and must be in time again. */
static void judge_suspicion(struct sim *s, const struct promise_figures *usual)
{
	uint64_t us;

	world_crash(s, s->hosts[leader_of(s)], false);
	us = agree_us(s);
	if (us > usual->us[PROMISE_SUCCEED] + CHANCE_US)
		check_fail(s, "promise", "%s after %u ms when a suspicion is forgotten",
			figure_names[PROMISE_SUCCEED], ms(us));
}

/* Each exception must end at its bound. */
static void forget(
	struct sim *s, const struct promise_figures *usual, const struct promise_figures *is)
{
	bool late = is->us[PROMISE_SUCCEED] > usual->us[PROMISE_SUCCEED] + CHANCE_US;
	uint64_t left_us = last_word_us(s) + 2 * PROMISE_US;

	for (unsigned i = 0; i < EXCEPTIONS; i++) {
		const struct promise_exception *e = &exceptions[i];

		if (e->bound_us != ELECT_NEVER &&
			((promise_alarms(s) & e->alarms) || (e->bars && somebody_is_barred(s)) ||
				(e->late_us[PROMISE_SUCCEED] && late)))
			sim_run_until(s, left_us + e->bound_us);
	}
	if (promise_alarms(s))
		check_fail(s, "promise", "problems are still reported");
	if (somebody_is_barred(s))
		check_fail(s, "promise", "a host still may not lead");
	if (late)
		judge_suspicion(s, usual);
}

static void raise_to(uint64_t *most, uint64_t value)
{
	if (*most < value)
		*most = value;
}

void promise_usual(struct sim *s, enum promise_state state, struct promise_figures *ret)
{
	*ret = (struct promise_figures){ 0 };
	for (unsigned i = 0; i < PHASES; i++) {
		const struct promise_case nobody = { .at = { [PROMISE_STATE] = (int)state } };
		struct promise_figures one = { 0 };

		prepare(s, state);
		sim_run_for(s, i * PHASE_US);
		if (state == STATE_ELECTION)
			world_crash(s, s->hosts[leader_of(s)], false);
		sim_run_for(s, PROMISE_US);
		measure(s, &nobody, NULL, RECORDINGS_UNJUDGED, &one);
		for (unsigned f = 0; f < PROMISE_FIGURES; f++) {
			raise_to(&ret->us[f], one.us[f]);
			raise_to(&ret->changes[f], one.changes[f]);
		}
	}
}

static bool play(struct sim *s, const struct promise_case *c, const struct promise_figures *usual,
	enum recordings how, struct promise_figures *ret)
{
	*ret = (struct promise_figures){ 0 };
	prepare(s, (unsigned)c->at[PROMISE_STATE]);
	disturb(s, c);
	measure(s, c, usual, how, ret);
	if (!s->broken)
		forget(s, usual, ret);
	return !s->broken;
}

static bool recordings_broke(const struct sim *s)
{
	return s->broken && strncmp(s->problem, RECORDINGS, strlen(RECORDINGS)) == 0;
}

/* The effect of recordings may have another cause: such a case is played without them, too. */
bool promise_play(struct sim *s, const struct promise_case *c, const struct promise_figures *usual,
	struct promise_figures *ret)
{
	if (play(s, c, usual, RECORDINGS_PLAYED, ret) || !recordings_broke(s))
		return !s->broken;
	play(s, c, usual, RECORDINGS_MISSED, ret);
	return play(
		s, c, usual, recordings_broke(s) ? RECORDINGS_UNJUDGED : RECORDINGS_PLAYED, ret);
}
