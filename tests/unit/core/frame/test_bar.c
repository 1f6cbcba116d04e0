/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bar.c: the table of bars decides as the conditions that it replaced (old_role.h), for each set of
 * up to three bars in each scene; and the wire numbers of core/bar_list.h.
 *
 * A scene sets fields of one host, so some are rarer than the protocol makes them. An act that
 * follows the decision may call role_review() again; that call is the present one on both sides.
 */
#include "unit/core/frame/bench.h"
#include "unit/core/frame/old_role.h"

#include "core/frame/bar.h"
#include "core/frame/role.h"
#include "core/invitation/own.h"

enum { RIVAL = 70, AHEAD_BY = 100, BARS_AT_ONCE = 3 };

/* ---- scenes ---------------------------------------------------------------------------------- */

enum role { LEADS, HAS_LED, NEVER_LED };
enum place { AT_WORK, IN_ELECTION, IN_DOWN, MEMBER_OF_RIVAL };
/* After a stall a leader is unsure, and any other coordinator asks. */
enum stall { CALM, STALLED, ANSWERED };
enum demotion { STAYS, YIELDS, RESIGNS, BARRED, LEAVES };
enum special {
	PLAIN,
	READS,		/* messages wait, so no quorum is lost yet */
	MOVED,		/* the role has changed in this step */
	ALONE,		/* in a group of one */
	NO_LINK,	/* without a carrier, and was alone before */
	BOUND,		/* a member is bound to another host */
	WAITS_LITTLE,	/* waits for rivals, not for long yet */
	WAITS_LONG,	/* ... longer than a rival is waited for */
	AHEAD_UNLISTED, /* the coordinator ahead is on no list */
	SUCCEEDS,	/* ... and this host is a successor */
	SPECIALS
};

struct scene {
	enum role role;
	enum place place;
	enum stall stall;
	enum demotion demotion;
	enum special special;
	bool others_may, sick_stays;
};

/* A leader does not say Goodbye, and without the role only a demotion for a merge may go on. */
static bool demotes(const struct scene *s)
{
	return s->role == LEADS ? s->demotion != LEAVES
				: s->demotion != RESIGNS && s->demotion != BARRED;
}

static bool special_fits(const struct scene *s)
{
	if (s->special == READS)
		return s->role == LEADS;
	if (s->special == MOVED)
		return s->role == HAS_LED;
	if (s->special == ALONE)
		return !s->others_may;
	return s->special == PLAIN || s->special == NO_LINK || s->role != LEADS;
}

/* Leaves out what cannot be, and combinations of what does not interact. */
static bool makes_sense(const struct scene *s)
{
	bool simple = s->stall == CALM && s->demotion == STAYS;

	if (s->place != AT_WORK)
		return simple && s->special == PLAIN && s->role != HAS_LED && s->others_may &&
			!s->sick_stays && (s->role != LEADS || s->place == IN_ELECTION);
	if (s->special != PLAIN && !simple)
		return false;
	return demotes(s) && special_fits(s) && !(s->sick_stays && s->demotion != STAYS);
}

static void take_place(struct elect *e, enum place place)
{
	static const enum elect_state states[] = { [AT_WORK] = ELECT_NORMAL,
		[IN_ELECTION] = ELECT_ELECTION,
		[IN_DOWN] = ELECT_DOWN,
		[MEMBER_OF_RIVAL] = ELECT_NORMAL };

	e->state = states[place];
	if (place == MEMBER_OF_RIVAL)
		e->group.coordinator = bench_id(RIVAL);
}

static void take_role(struct elect *e, enum role role)
{
	e->phase = role == LEADS ? ELECT_PHASE_LEADS : role_idle(e);
	e->watch.led = role != NEVER_LED;
	if (role != LEADS)
		memset(&e->leader_group, 0, sizeof(e->leader_group));
}

static void ask(struct elect *e, bool answered)
{
	e->watch.asked_count = e->up.count;
	e->watch.lead_from_us = e->now_us + 700;
	e->timers[TIMER_LEAD] = e->now_us + pace_probe_us(e);
	for (unsigned i = 1; i < e->up.count; i++) {
		e->watch.members[i].former = true;
		e->watch.members[i].answered = answered;
	}
}

static void stall(struct elect *e, enum stall stall)
{
	if (stall == CALM)
		return;
	if (role_leads(e))
		e->phase = ELECT_PHASE_ASKS;
	ask(e, stall == ANSWERED);
}

static void demote(struct elect *e, enum demotion demotion)
{
	static const enum elect_purpose purposes[] = { [YIELDS] = ELECT_PURPOSE_YIELD,
		[RESIGNS] = ELECT_PURPOSE_RESIGN,
		[BARRED] = ELECT_PURPOSE_BAR,
		[LEAVES] = ELECT_PURPOSE_RESIGN };

	e->purpose = purposes[demotion];
	e->yield_to.id = bench_id(RIVAL);
	if (demotion == LEAVES)
		e->phase = ELECT_PHASE_LEAVES;
	else if (demotion != STAYS)
		e->phase = role_leads(e) ? ELECT_PHASE_DEMOTES : ELECT_PHASE_LOST;
}

static void be_special(struct elect *e, enum special special)
{
	e->read_until_us = special == READS ? e->now_us + 300 : 0;
	e->moved = special == MOVED;
	e->link_down = special == NO_LINK;
	e->succeeds = special == SUCCEEDS;
	if (special == ALONE) {
		e->up.count = 1;
		e->config.quorum = 1;
	}
	if (special == BOUND)
		e->up.members[2].bound_until_us = e->now_us + 900;
	if (special == WAITS_LITTLE)
		e->rivals_from_us = e->now_us - pace_beacons(e, 1);
	if (special == WAITS_LONG)
		e->rivals_from_us = e->now_us - pace_beacons(e, FOREIGN_BEACONS) - 1;
}

/* The last member may lead, or none but this host; the first one waits for its bar to end. */
static void set_scene(struct elect *e, const struct scene *s)
{
	take_place(e, s->place);
	take_role(e, s->role);
	for (unsigned i = 1; i < e->up.count; i++)
		e->up.members[i].may_lead = s->others_may && i + 1 == e->up.count;
	e->why_nots_count = 1;
	e->why_nots[0].id = e->up.members[1].id;
	e->why_nots[0].why.kind = ELECT_BAR_RECOVERING;
	e->config.sick_stays = s->sick_stays;
	be_special(e, s->special);
	stall(e, s->stall);
	demote(e, s->demotion);
}

/* ---- bars ------------------------------------------------------------------------------------ */

static uint32_t bit(enum elect_bar bar)
{
	return UINT32_C(1) << bar;
}

static void set_health(struct elect *e, enum elect_health health, const char *name)
{
	struct elect_reported *row = &e->health.rows[e->health.count++];

	row->health = health;
	row->required = true;
	snprintf(row->name, sizeof(row->name), "%s", name);
}

static void lose_quorum(struct elect *e)
{
	e->config.quorum = 2;
	e->counted = 1;
	for (unsigned i = 1; i < e->up.count; i++)
		e->watch.members[i].asked_us = 0;
}

static void hear_ahead(struct elect *e, enum special special)
{
	uint64_t top = e->counter > e->base ? e->counter : e->base;

	e->advance.ahead = bench_group(RIVAL, top + AHEAD_BY);
	e->advance.ahead_us = e->now_us;
	e->advance.ahead_member = special != AHEAD_UNLISTED && special != SUCCEEDS;
}

/* old_role.h does not know bars that are newer than the table: they are left out. */
enum { NEWER = ELECT_BAR_PREEMPT_DELAY };

/* The moments differ, and a bar that comes first does not end first. */
static void set_bar(struct elect *e, enum elect_bar bar, enum special special)
{
	uint64_t us = e->now_us + UINT64_C(10000) * (ELECT_BARS - bar);

	switch (bar) {
	case ELECT_BAR_HELD:
		e->held = true;
		break;
	case ELECT_BAR_STATE_FILE:
		e->persist_failed = true;
		break;
	case ELECT_BAR_DUPLICATE_ID:
		e->duplicate_until_us = us;
		break;
	case ELECT_BAR_RESIGNED:
		e->barred_until_us = us;
		break;
	case ELECT_BAR_PRIORITY:
		e->config.priority = 0;
		break;
	case ELECT_BAR_CUT_OFF:
		e->link_down = e->had_company = true;
		break;
	case ELECT_BAR_SICK:
		set_health(e, ELECT_HEALTH_SICK, "pg");
		break;
	case ELECT_BAR_UNKNOWN:
		set_health(e, ELECT_HEALTH_UNKNOWN, "disk");
		break;
	case ELECT_BAR_RECOVERING:
		e->sick_until_us = us;
		break;
	case ELECT_BAR_QUORUM:
		lose_quorum(e);
		break;
	case ELECT_BAR_ANSWERS:
		if (e->watch.asked_count == 0)
			ask(e, false);
		e->lead_from_us = us;
		break;
	case ELECT_BAR_MERGE:
		e->lead_from_us = e->merge_until_us = us;
		break;
	case ELECT_BAR_SURVIVORS:
		e->lead_from_us = e->unfollowed_until_us = us;
		e->survivors = e->up.count + 1;
		break;
	case ELECT_BAR_ALONE:
		if (e->lead_from_us <= e->now_us)
			e->lead_from_us = us;
		e->alone_until_us = e->lead_from_us;
		e->link_sign = ELECT_SIGN_NONE;
		break;
	case ELECT_BAR_LISTENS:
		if (e->lead_from_us <= e->now_us)
			e->lead_from_us = us;
		break;
	case ELECT_BAR_UNHEARD:
		e->unheard_until_us = us;
		break;
	case ELECT_BAR_SILENT:
		e->silent_until_us = us;
		break;
	case ELECT_BAR_CRASH:
		e->crashes[0] = (struct elect_crash){ bench_id(1), 1, us, us, true, false };
		break;
	case ELECT_BAR_RIVAL:
		own(e)->others_count = 1;
		break;
	case ELECT_BAR_AHEAD:
		hear_ahead(e, special);
		break;
	case ELECT_BAR_PREEMPT_DELAY: /* test_preempt_delay.c */
	case ELECT_BAR_NONE:
	case ELECT_BAR_OTHER:
	case ELECT_BARS:
		fail_msg("no test makes the bar \"%s\" hold", elect_bar_name(bar));
	}
}

/*
 * Five bars share one moment, so one of them holds: answers after a stall, of members; else the
 * first of the set; and listens, if there are no members to answer.
 */
static uint32_t waits_for(uint32_t set, const struct scene *s)
{
	uint32_t answers = bit(ELECT_BAR_ANSWERS), listens = bit(ELECT_BAR_LISTENS);

	if (!set)
		return 0;
	if (s->stall != CALM)
		return answers;
	if (s->special == ALONE)
		set = (set & ~answers) | listens;
	return set & -set; /* the lowest bit */
}

/* Not all bars of `set` hold: some exclude others, and some need a role or a place. */
static uint32_t expected(uint32_t set, const struct scene *s)
{
	const uint32_t waits = bit(ELECT_BAR_ANSWERS) | bit(ELECT_BAR_MERGE) |
		bit(ELECT_BAR_SURVIVORS) | bit(ELECT_BAR_ALONE) | bit(ELECT_BAR_LISTENS);

	set = (set & ~waits) | waits_for(set & waits, s);
	if (set & bit(ELECT_BAR_SICK))
		set &= ~bit(ELECT_BAR_UNKNOWN);
	if (s->role == LEADS || s->special == ALONE)
		set &= ~bit(ELECT_BAR_RECOVERING);
	if (s->place != AT_WORK || s->special == READS)
		set &= ~bit(ELECT_BAR_QUORUM);
	if (s->special == WAITS_LONG)
		set &= ~bit(ELECT_BAR_RIVAL);
	if (s->special == SUCCEEDS)
		set &= ~bit(ELECT_BAR_AHEAD);
	return set;
}

static uint32_t holding(const struct elect *e)
{
	uint32_t set = 0;

	for (enum elect_bar b = ELECT_BAR_NONE + 1; b < ELECT_BAR_OTHER; b++)
		if (bar_until(e, b))
			set |= bit(b);
	return set;
}

/* ---- comparison ------------------------------------------------------------------------------ */

struct side {
	struct elect *e;
	struct elect_actions out;
};

static struct {
	struct elect *scene;
	struct side old, new;
	unsigned cases;
	unsigned stopped, handed_over, barred, begins, waits, unchanged;
} t;

#define PART(first, end)                                                                           \
	{                                                                                          \
		offsetof(struct elect, first), offsetof(struct elect, end)                         \
	}

/*
 * The parts of struct elect that a review of a host with two members may change. The rest, most of
 * 800 KiB, is compared for the sets of one bar alone, which lead to each outcome.
 */
static const struct {
	size_t first, end;
} parts[] = {
	PART(config, out),
	PART(state, watch.members[4]),
	{ offsetof(struct elect, own),
		offsetof(struct elect, own) + offsetof(struct invitation_own, down) },
	PART(losses_count, foreign),
	PART(reason, up.members[4]),
	PART(next, next.members[4]),
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static void restore(struct side *side, bool whole)
{
	if (whole)
		memcpy(side->e, t.scene, sizeof(*side->e));
	for (unsigned i = 0; i < PARTS && !whole; i++)
		memcpy((char *)side->e + parts[i].first, (char *)t.scene + parts[i].first,
			parts[i].end - parts[i].first);
	memset(side->out.items, 0, side->out.count * sizeof(side->out.items[0]));
	side->out.count = 0;
	side->e->out = &side->out;
}

/* The one structure that the core copies with padding that it did not write: merge_own(). */
static void clear_padding(struct elect *e)
{
	struct elect_invited *mine = &own(e)->election.groups[0];
	size_t end = offsetof(struct elect_invited, size) + sizeof(mine->size);

	memset((char *)mine + end, 0, sizeof(*mine) - end);
}

static bool same(bool whole)
{
	const char *a = (char *)t.old.e, *b = (char *)t.new.e;
	bool equal = t.old.out.count ==
		t.new.out.count &&memcmp(t.old.out.items, t.new.out.items,
			t.new.out.count * sizeof(t.new.out.items[0])) == 0;

	t.old.e->out = t.new.e->out;
	clear_padding(t.old.e);
	clear_padding(t.new.e);
	if (whole)
		return equal && memcmp(a, b, sizeof(struct elect)) == 0;
	for (unsigned i = 0; i < PARTS; i++)
		equal &= memcmp(a + parts[i].first, b + parts[i].first,
				 parts[i].end - parts[i].first) == 0;
	return equal;
}

static void fail_case(const struct scene *s, uint32_t set, const char *what)
{
	char names[200] = "";

	for (enum elect_bar b = ELECT_BAR_NONE + 1; b < ELECT_BAR_OTHER; b++)
		if (set & bit(b))
			snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s",
				elect_bar_name(b));
	fail_msg("%s: bars%s; role %d place %d stall %d demotion %d special %d others %d stays %d",
		what, names, s->role, s->place, s->stall, s->demotion, s->special, s->others_may,
		s->sick_stays);
}

/* Counts what became of the host; each case is one of these. */
static void tally_outcome(const struct elect *before, const struct elect *after)
{
	bool led = role_leads(before), idle = before->purpose == ELECT_PURPOSE_NONE;

	if (led && !role_leads(after))
		t.stopped++;
	else if (idle && after->purpose == ELECT_PURPOSE_RESIGN)
		t.handed_over++;
	else if (idle && after->purpose == ELECT_PURPOSE_BAR)
		t.barred++;
	else if (!led && (role_leads(after) || !elect_group_equal(&after->group, &before->group)))
		t.begins++;
	else if (!led && after->timers[TIMER_LEAD] != before->timers[TIMER_LEAD])
		t.waits++;
	else
		t.unchanged++;
}

/* Numbers on the wire were the kinds themselves; priority 0 had none. */
static bool tells_the_same(const struct elect *e)
{
	enum elect_why_not_kind kind = old_sick_kind(e);
	bool priority = kind == ELECT_WHY_NOT_PRIORITY;
	struct elect_why_not why;

	sick_why(e, &why);
	return priority == (why.kind == ELECT_BAR_PRIORITY) &&
		elect_bar_wire(why.kind) == (priority ? 0 : kind);
}

static uint32_t old_problems(const struct elect *e)
{
	return e->persist_failed ? ELECT_PROBLEM_NOT_PERSISTED : 0;
}

/* Compares what the bars report, before the review acts on them. */
static void compare_reports(const struct scene *s, uint32_t set)
{
	const struct elect *e = t.new.e;

	if (holding(e) != expected(set, s))
		fail_case(s, set, "other bars hold");
	if (self_may_lead(e) != old_self_may_lead(e))
		fail_case(s, set, "may lead");
	if ((bar_told(e) == ELECT_BAR_NONE) != self_may_lead(e))
		fail_case(s, set, "bar_told() and self_may_lead() differ");
	if (!tells_the_same(e))
		fail_case(s, set, "sick_why()");
	if (bar_next_end(e) != old_barred_until(e))
		fail_case(s, set, "TIMER_BARRED");
	if (bar_problems(e) != old_problems(e))
		fail_case(s, set, "problems");
}

static void compare(const struct scene *s, uint32_t set, bool whole)
{
	static struct elect before;
	struct side *sides[] = { &t.old, &t.new };

	for (unsigned i = 0; i < 2; i++) {
		restore(sides[i], whole);
		for (enum elect_bar b = ELECT_BAR_NONE + 1; b < ELECT_BAR_OTHER; b++)
			if (set & bit(b))
				set_bar(sides[i]->e, b, s->special);
	}
	compare_reports(s, set);
	before.phase = t.new.e->phase;
	before.purpose = t.new.e->purpose;
	before.group = t.new.e->group;
	before.timers[TIMER_LEAD] = t.new.e->timers[TIMER_LEAD];
	old_role_review(t.old.e);
	role_review(t.new.e);
	tally_outcome(&before, t.new.e);
	if (!same(whole))
		fail_case(s, set, "the decisions differ");
	t.cases++;
}

/* ---- all cases ------------------------------------------------------------------------------- */

static void compare_sets(const struct scene *s, uint32_t set, unsigned from, unsigned left)
{
	for (unsigned b = from; b < NEWER && left > 0; b++) {
		compare(s, set | bit(b), set == 0);
		compare_sets(s, set | bit(b), b + 1, left - 1);
	}
}

static void rival_leads(void)
{
	bench_aycoord(RIVAL, 9)->standing.established = true;
	bench_receive();
}

/* A leader of two members that hears another leader; no bar holds. */
static void base(struct elect *e)
{
	assert_int_equal(own(e)->others_count, 1);
	assert_true(e->algorithm->rival(e));
	own(e)->others_count = 0;
	e->config.quorum = 2;
	e->counted = e->up.count;
	e->lead_from_us = 0;
	timers_stop(e, TIMER_LEAD);
	timers_stop(e, TIMER_QUORUM);
	for (unsigned i = 1; i < e->up.count; i++)
		e->watch.members[i].asked_us = e->now_us - 100 * i;
	assert_int_equal(holding(e), 0);
}

static void compare_scene(const struct scene *s)
{
	memcpy(t.scene, bench.e, sizeof(*t.scene));
	set_scene(t.scene, s);
	compare(s, 0, true);
	compare_sets(s, 0, ELECT_BAR_NONE + 1, BARS_AT_ONCE);
}

static void compare_all_scenes(void)
{
	struct scene s;

	for (unsigned n = 0; n < 3 * 4 * 3 * 5 * SPECIALS * 4; n++) {
		unsigned i = n;

		s = (struct scene){ .role = i % 3 };
		i /= 3;
		s.place = i % 4;
		i /= 4;
		s.stall = i % 3;
		i /= 3;
		s.demotion = i % 5;
		i /= 5;
		s.special = i % SPECIALS;
		i /= SPECIALS;
		s.others_may = i % 2;
		s.sick_stays = i / 2;
		if (makes_sense(&s))
			compare_scene(&s);
	}
}

static void the_table_decides_as_the_conditions_before_it(void **state)
{
	(void)state;
	bench_leading(2);
	rival_leads();
	base(bench.e);
	t.scene = calloc(1, sizeof(struct elect));
	t.old.e = calloc(1, sizeof(struct elect));
	t.new.e = calloc(1, sizeof(struct elect));
	assert_true(t.scene && t.old.e && t.new.e);
	compare_all_scenes();
	print_message("%u cases: %u stopped, %u handed over, %u barred, %u began, %u wait, %u "
		      "unchanged\n",
		t.cases, t.stopped, t.handed_over, t.barred, t.begins, t.waits, t.unchanged);
	assert_true(t.stopped > 0);
	assert_true(t.handed_over > 0);
	assert_true(t.barred > 0);
	assert_true(t.begins > 0);
	assert_true(t.waits > 0);
	free(t.scene);
	free(t.old.e);
	free(t.new.e);
}

/* ---- wire numbers ---------------------------------------------------------------------------- */

static bool has_number(uint8_t number)
{
	for (enum elect_bar b = ELECT_BAR_NONE; b < ELECT_BAR_OTHER; b++)
		if (elect_bar_wire(b) == number)
			return true;
	return false;
}

static void each_number_means_one_bar(void **state)
{
	(void)state;
	for (enum elect_bar b = ELECT_BAR_NONE + 1; b < ELECT_BAR_OTHER; b++)
		if (elect_bar_wire(b))
			assert_int_equal(elect_bar_of_wire(elect_bar_wire(b)), b);
	assert_int_equal(elect_bar_of_wire(0), ELECT_BAR_NONE);
}

static void an_unknown_number_is_another_bar(void **state)
{
	unsigned unknown = 0;

	(void)state;
	for (unsigned number = 0; number <= UINT8_MAX; number++) {
		if (has_number((uint8_t)number))
			continue;
		assert_int_equal(elect_bar_of_wire((uint8_t)number), ELECT_BAR_OTHER);
		unknown++;
	}
	assert_true(unknown > 0);
	assert_false(has_number(9)); /* "algorithm" before 0.2 */
	assert_int_equal(elect_bar_wire(ELECT_BAR_OTHER), UINT8_MAX);
	assert_int_equal(elect_bar_of_wire(UINT8_MAX), ELECT_BAR_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_table_decides_as_the_conditions_before_it),
		TEST(each_number_means_one_bar),
		TEST(an_unknown_number_is_another_bar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
