/* SPDX-License-Identifier: Apache-2.0 */
/* ask: the questions of stories about what hosts show. Reads only; expect.c judges the answers. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "story.h"

static void say(struct answer *a, bool yes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct answer *a, bool yes, const char *format, ...)
{
	va_list args;

	a->yes = yes;
	va_start(args, format);
	vsnprintf(a->was, sizeof(a->was), format, args);
	va_end(args);
}

static const char *host_name(struct story *st, const struct elect_id *id)
{
	const struct sim_host *h = sim_by_id(st->s, id);

	return h ? h->config.name : "nobody";
}

static int ask_agree(struct story *st, struct words *w, struct answer *a)
{
	struct sim_liveness l;

	(void)w;
	shown_look(st->s, &l);
	say(a, l.agree, "%u hosts in %u groups", l.living, l.groups);
	return 0;
}

static int ask_led(struct story *st, struct words *w, struct answer *a)
{
	struct sim_liveness l;

	(void)w;
	shown_look(st->s, &l);
	say(a, l.agree && l.led, "%u hosts in %u groups, %u leaders", l.living, l.groups,
		l.leaders);
	return 0;
}

static int ask_leader(struct story *st, struct words *w, struct answer *a)
{
	int leader = shown_leader(st->s);
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	say(a, leader == (int)h->index, "%u leaders, %s", shown_leaders(st->s),
		leader < 0 ? "none alone" : st->s->hosts[leader]->config.name);
	return 0;
}

static int ask_leaders(struct story *st, struct words *w, struct answer *a)
{
	uint64_t n;

	if (words_number(w, &n) < 0)
		return -EINVAL;
	say(a, shown_leaders(st->s) == n, "%u leaders", shown_leaders(st->s));
	return 0;
}

/* "one group of 5" */
static int ask_one(struct story *st, struct words *w, struct answer *a)
{
	struct sim_liveness l;
	uint64_t n;

	if (!words_take(w, "group") || !words_take(w, "of") || words_number(w, &n) < 0)
		return -EINVAL;
	shown_look(st->s, &l);
	a->yes = l.agree && l.living == n;
	say(a, a->yes, "%u living hosts in %u groups", l.living, l.groups);
	for (unsigned i = 0; a->yes && i < st->hosts_count; i++) {
		const struct sim_host *h = st->s->hosts[i];

		if (h->on && h->watch.view.members_count != n)
			say(a, false, "%s lists %u", h->config.name, h->watch.view.members_count);
	}
	return 0;
}

static int ask_groups(struct story *st, struct words *w, struct answer *a)
{
	struct sim_liveness l;
	uint64_t n;

	if (words_number(w, &n) < 0)
		return -EINVAL;
	shown_look(st->s, &l);
	say(a, l.groups == n, "%u groups", l.groups);
	return 0;
}

/* "same group 1 2 3" */
static int ask_same(struct story *st, struct words *w, struct answer *a)
{
	const struct elect_view *v = NULL;
	struct sim_host *h;

	if (!words_take(w, "group"))
		return -EINVAL;
	say(a, true, "yes");
	while (words_peek(w) && words_host(st, w, &h) == 0) {
		if (!h->on || h->watch.view.state != ELECT_NORMAL)
			say(a, false, "%s is not Normal", h->config.name);
		else if (v &&
			(v->group.counter != h->watch.view.group.counter ||
				!elect_id_equal(
					&v->group.coordinator, &h->watch.view.group.coordinator)))
			say(a, false, "%s is in another group", h->config.name);
		v = &h->watch.view;
	}
	return v ? 0 : -EINVAL;
}

static const struct elect_id *suspected_by(
	const struct sim_host *h, unsigned first, unsigned last, const struct sim *s)
{
	for (unsigned i = 0; h->on && i < elect_members_count(host_elect(h->core)); i++) {
		struct elect_member_info info;
		const struct sim_host *of;

		elect_member_at(host_elect(h->core), i, &info);
		of = info.silent ? sim_by_id(s, &info.member.id) : NULL;
		if (of && of->index >= first && of->index <= last)
			return &of->config.id;
	}
	return NULL;
}

/* "silent all", "silent 2..4": a coordinator suspects one of these hosts */
static int ask_silent(struct story *st, struct words *w, struct answer *a)
{
	unsigned first, last;

	if (words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	say(a, false, "nobody is suspected");
	for (unsigned i = 0; i < st->hosts_count; i++) {
		const struct sim_host *h = st->s->hosts[i];
		const struct elect_id *of = suspected_by(h, first, last, st->s);

		if (of)
			say(a, true, "%s suspects %s", h->config.name, host_name(st, of));
	}
	return 0;
}

static int ask_role(struct story *st, struct words *w, struct answer *a)
{
	const char *role, *is;
	struct sim_host *h;

	if (words_host(st, w, &h) < 0 || !(role = words_next(w)))
		return -EINVAL;
	is = elect_role_name(h->watch.view.role);
	say(a, strcmp(role, is) == 0, "%s", is);
	return 0;
}

static int ask_state(struct story *st, struct words *w, struct answer *a)
{
	const char *state, *is;
	struct sim_host *h;

	if (words_host(st, w, &h) < 0 || !(state = words_next(w)))
		return -EINVAL;
	is = h->on ? elect_state_name(h->watch.view.state) : "off";
	say(a, strcasecmp(state, is) == 0, "%s", is);
	return 0;
}

static int ask_reason(struct story *st, struct words *w, struct answer *a)
{
	const char *reason, *is;
	struct sim_host *h;

	if (words_host(st, w, &h) < 0 || !(reason = words_next(w)))
		return -EINVAL;
	is = elect_reason_name(h->watch.view.reason);
	say(a, strcmp(reason, is) == 0, "%s", is);
	return 0;
}

static int ask_cause(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h, *cause;

	if (words_host(st, w, &h) < 0 || words_host(st, w, &cause) < 0)
		return -EINVAL;
	say(a, elect_id_equal(&h->watch.view.cause, &cause->config.id), "%s",
		host_name(st, &h->watch.view.cause));
	return 0;
}

static int ask_members(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h;
	uint64_t n;

	if (words_host(st, w, &h) < 0 || words_number(w, &n) < 0)
		return -EINVAL;
	say(a, h->watch.view.members_count == n, "%u", h->watch.view.members_count);
	return 0;
}

/* The one problem that is not in the view. */
static bool ask_other_algorithm(
	const struct story *st, const struct sim_host *h, const char *name, struct answer *a)
{
	if (strcmp(name, "other-algorithm") != 0)
		return false;
	say(a, h->on && host_runs_other(h->core, sim_to_host(h, st->s->now_us)), "none is heard");
	return true;
}

static int ask_problem(struct story *st, struct words *w, struct answer *a)
{
	const char *name;
	struct sim_host *h;

	if (words_host(st, w, &h) < 0 || !(name = words_next(w)))
		return -EINVAL;
	if (ask_other_algorithm(st, h, name, a))
		return 0;
	for (unsigned i = 0; i < ELECT_PROBLEMS; i++)
		if (strcmp(elect_problem_row(i)->name, name) == 0) {
			say(a, h->watch.view.problems & elect_problem_row(i)->bit, "problems %#x",
				h->watch.view.problems);
			return 0;
		}
	return -EINVAL;
}

/* "token of 2 > token of 1": the tokens of their present or last leaderships */
static int ask_token(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *x, *y;

	if (!words_take(w, "of") || words_host(st, w, &x) < 0 || !words_take(w, ">") ||
		!words_take(w, "token") || !words_take(w, "of") || words_host(st, w, &y) < 0)
		return -EINVAL;
	say(a, x->watch.token_last > y->watch.token_last, "%" PRIu64 " and %" PRIu64,
		x->watch.token_last, y->watch.token_last);
	return 0;
}

/* "foreign 3 1": host 3 reports host 1 as a coordinator that no host can merge with */
static int ask_foreign(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h, *other;
	const struct elect *e;

	if (words_host(st, w, &h) < 0 || words_host(st, w, &other) < 0)
		return -EINVAL;
	e = host_elect(h->core);
	say(a, false, "%u reported", elect_foreign_count(e));
	for (unsigned i = 0; i < elect_foreign_count(e); i++) {
		struct elect_foreign f;

		elect_foreign_at(e, i, &f);
		a->yes = a->yes || elect_id_equal(&f.id, &other->config.id);
	}
	return 0;
}

static int ask_definition(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h;
	const char *text;
	const uint8_t *bytes;
	size_t size;

	if (words_host(st, w, &h) < 0 || !(text = words_next(w)))
		return -EINVAL;
	size = elect_definition(host_elect(h->core), &bytes);
	say(a, size == strlen(text) && memcmp(bytes, text, size) == 0, "%.*s", (int)size,
		(const char *)bytes);
	return 0;
}

/* "name of 2 at 1 web": the name of the first in the list of the second */
static int ask_name(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *of, *at;
	const char *text, *name;

	if (!words_take(w, "of") || words_host(st, w, &of) < 0 || !words_take(w, "at") ||
		words_host(st, w, &at) < 0 || !(text = words_next(w)))
		return -EINVAL;
	name = elect_name(host_elect(at->core), &of->config.id);
	say(a, name && strcmp(name, text) == 0, "%s", name ? name : "not known");
	return 0;
}

/* "fit 2 at 1", "priority of 2 at 1": finds the first in the list of the second */
static int words_line(
	struct story *st, struct words *w, bool *ret_listed, struct elect_member_info *ret_info)
{
	struct sim_host *of, *at;
	const struct elect *e;

	if (words_host(st, w, &of) < 0 || !words_take(w, "at") || words_host(st, w, &at) < 0)
		return -EINVAL;
	e = host_elect(at->core);
	*ret_listed = false;
	for (unsigned i = 0; !*ret_listed && i < elect_members_count(e); i++) {
		elect_member_at(e, i, ret_info);
		*ret_listed = elect_id_equal(&ret_info->member.id, &of->config.id);
	}
	return 0;
}

/* "priority of 2 at 1 90": the priority of the first in the list of the second */
static int ask_priority(struct story *st, struct words *w, struct answer *a)
{
	struct elect_member_info info;
	bool listed;
	uint64_t n;

	if (!words_take(w, "of") || words_line(st, w, &listed, &info) < 0 ||
		words_number(w, &n) < 0)
		return -EINVAL;
	if (listed)
		say(a, info.member.priority == n, "%u", info.member.priority);
	else
		say(a, false, "not listed");
	return 0;
}

/* "fit 2 at 1": the first may lead, by the list of the second */
static int ask_fit(struct story *st, struct words *w, struct answer *a)
{
	struct elect_member_info info;
	bool listed;

	if (words_line(st, w, &listed, &info) < 0)
		return -EINVAL;
	say(a, listed && info.member.may_lead, listed ? "it may not lead" : "not listed");
	return 0;
}

/* "asking 1": it leads, but waits for answers of its members before it shows that */
static int ask_asking(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	say(a, h->watch.view.asking, "it does not");
	return 0;
}

/* "address 1": the address of the leader is on it, and on no other host */
static int ask_address(struct story *st, struct words *w, struct answer *a)
{
	unsigned count = 0;
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < st->hosts_count; i++)
		count += st->s->hosts[i]->address.has;
	say(a, h->address.has && count == 1, "%u hosts have it", count);
	return 0;
}

/* "promoted 1": its promotion hook has ended */
static int ask_promoted(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	say(a, h->on && elect_promoted(host_elect(h->core)), "it is not");
	return 0;
}

/* "sick 1": it shows that it is sick */
static int ask_sick(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h;

	if (words_host(st, w, &h) < 0)
		return -EINVAL;
	say(a, h->on && h->watch.view.sick, "it is not");
	return 0;
}

/* "unfit 2 of 1 sick": host 2 knows this reason why host 1 may not lead */
static int ask_unfit(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h, *of;
	struct elect_why_not why;
	const char *kind;

	if (words_host(st, w, &h) < 0 || !words_take(w, "of") || words_host(st, w, &of) < 0 ||
		!(kind = words_next(w)))
		return -EINVAL;
	elect_why_not(host_elect(h->core), &of->config.id, &why);
	say(a, strcmp(kind, elect_bar_name(why.kind)) == 0, "%s (%s)", elect_bar_name(why.kind),
		why.name);
	return 0;
}

/* "bar 1 nobody-heard", "bar 1 none": the strongest reason for which that host does not lead */
static int ask_bar(struct story *st, struct words *w, struct answer *a)
{
	enum elect_bar bar;
	uint64_t until_us;
	struct sim_host *h;
	const char *name;

	if (words_host(st, w, &h) < 0 || !(name = words_next(w)))
		return -EINVAL;
	bar = elect_bar(host_elect(h->core), &until_us);
	say(a, strcmp(name, elect_bar_name(bar)) == 0, "%s", elect_bar_name(bar));
	return 0;
}

/* "ever led 3" */
static int ask_ever(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h;

	if (!words_take(w, "led") || words_host(st, w, &h) < 0)
		return -EINVAL;
	say(a, h->watch.ever_led, "never");
	return 0;
}

/* "two acting since MARK": a host began to lead during the demotion of a crashed one */
static int ask_two_acting(struct story *st, struct words *w, struct answer *a)
{
	const struct story_mark *m;

	if (!words_take(w, "since") || !(m = story_mark(st, words_next(w))))
		return -EINVAL;
	a->yes = st->s->two_acting_us >= m->at_us;
	say(a, a->yes, "last at %" PRIu64 " us",
		st->s->two_acting_us ? st->s->two_acting_us - SIM_EPOCH_US : 0);
	return 0;
}

/* "two leaders since MARK" */
static int ask_two(struct story *st, struct words *w, struct answer *a)
{
	const struct story_mark *m;

	if (words_take(w, "acting"))
		return ask_two_acting(st, w, a);
	if (!words_take(w, "leaders") || !words_take(w, "since") ||
		!(m = story_mark(st, words_next(w))))
		return -EINVAL;
	a->yes = st->s->two_leaders_us >= m->at_us || shown_leaders(st->s) > 1;
	say(a, a->yes, "last at %" PRIu64 " us",
		st->s->two_leaders_us ? st->s->two_leaders_us - SIM_EPOCH_US : 0);
	return 0;
}

/* "blocked 1 enforce 1 [by 3]": the host refuses that step, and names that host */
static int ask_blocked(struct story *st, struct words *w, struct answer *a)
{
	struct elect_keys_refusal refusal = { 0 };
	enum elect_keys_step step;
	struct sim_host *h, *by;
	struct sim_keys next;

	if (words_host(st, w, &h) < 0 || words_keys(w, &next) < 0)
		return -EINVAL;
	step = keys_step(h, &next, &refusal);
	say(a, step == ELECT_KEYS_NOT_ACCEPTED || step == ELECT_KEYS_STILL_SENT,
		"step %d, key %u, %u hosts, the first is %s", (int)step, refusal.key.id,
		refusal.hosts, host_name(st, &refusal.named[0]));
	if (!words_take(w, "by"))
		return 0;
	if (words_host(st, w, &by) < 0)
		return -EINVAL;
	a->yes = a->yes && elect_id_equal(&refusal.named[0], &by->config.id);
	return 0;
}

/* How many members lack the key, and how many send it. false: the host does not know. */
static bool key_row(const struct sim_host *h, uint64_t id, struct elect_key_row *ret_row)
{
	struct elect_key_table t;
	bool known = elect_keys_report(host_elect(h->core), &t);

	*ret_row = (struct elect_key_row){ .lacking = h->watch.view.members_count };
	for (unsigned i = 0; i < t.rows_count; i++)
		if (t.rows[i].key.id == id)
			*ret_row = t.rows[i];
	return known;
}

/* "key 1 accepted", "key 1 sent", "key 1 unsent": by all members, as each living host knows */
static int ask_key(struct story *st, struct words *w, struct answer *a)
{
	const char *word;
	uint64_t id;

	if (words_number(w, &id) < 0 || !(word = words_next(w)))
		return -EINVAL;
	say(a, true, "yes");
	for (unsigned i = 0; i < st->hosts_count; i++) {
		const struct sim_host *h = st->s->hosts[i];
		struct elect_key_row row;
		bool known, so;

		if (!h->on)
			continue;
		known = key_row(h, id, &row);
		so = strcmp(word, "accepted") == 0  ? !row.lacking
			: strcmp(word, "sent") == 0 ? row.sending == h->watch.view.members_count
						    : !row.sending;
		if (!known || !so)
			say(a, false, "%s: %u lack it, %u send it", h->config.name, row.lacking,
				row.sending);
	}
	return 0;
}

/* "elected 2 4": the coordinator of host 2 is host 4; "elected nobody" */
static int ask_elected(struct story *st, struct words *w, struct answer *a)
{
	struct sim_host *h, *of;
	struct sim_shown shown;

	if (words_take(w, "nobody")) {
		say(a, shown_leaders(st->s) == 0, "%u leaders", shown_leaders(st->s));
		return 0;
	}
	if (words_host(st, w, &h) < 0 || words_host(st, w, &of) < 0)
		return -EINVAL;
	shown_by(st->s, h, &shown);
	say(a, shown.coordinator == (int)of->index, "%s",
		shown.coordinator < 0 ? "nobody" : st->s->hosts[shown.coordinator]->config.name);
	return 0;
}

/* "report 1 \"failed in gathering\"" */
static int ask_report(struct story *st, struct words *w, struct answer *a)
{
	char text[STORY_QUOTED_MAX];
	const char *last;
	struct sim_host *h;

	if (!st->s->kind->reported || words_host(st, w, &h) < 0 ||
		words_quoted(w, text, sizeof(text)) < 0)
		return -EINVAL;
	last = st->s->kind->reported(h, NULL);
	say(a, st->s->kind->reported(h, text) != NULL, "%s", last ? last : "nothing reported");
	return 0;
}

static int ask_refusal(struct story *st, struct words *w, struct answer *a)
{
	char text[SIM_WORD_MAX];

	if (words_quoted(w, text, sizeof(text)) < 0)
		return -EINVAL;
	say(a, strcmp(st->refusal, text) == 0, "%s", st->refusal[0] ? st->refusal : "none");
	return 0;
}

static const struct {
	const char *name;
	int (*ask)(struct story *st, struct words *w, struct answer *a);
} questions[] = {
	{ "address", ask_address },
	{ "agree", ask_agree },
	{ "asking", ask_asking },
	{ "blocked", ask_blocked },
	{ "cause", ask_cause },
	{ "definition", ask_definition },
	{ "name", ask_name },
	{ "elected", ask_elected },
	{ "ever", ask_ever },
	{ "fit", ask_fit },
	{ "foreign", ask_foreign },
	{ "key", ask_key },
	{ "groups", ask_groups },
	{ "leader", ask_leader },
	{ "leaders", ask_leaders },
	{ "led", ask_led },
	{ "members", ask_members },
	{ "one", ask_one },
	{ "priority", ask_priority },
	{ "problem", ask_problem },
	{ "promoted", ask_promoted },
	{ "reason", ask_reason },
	{ "refusal", ask_refusal },
	{ "report", ask_report },
	{ "role", ask_role },
	{ "same", ask_same },
	{ "sick", ask_sick },
	{ "silent", ask_silent },
	{ "state", ask_state },
	{ "token", ask_token },
	{ "two", ask_two },
	{ "bar", ask_bar },
	{ "unfit", ask_unfit },
};

/* "[no] QUESTION ..." */
int ask(struct story *st, struct words *w, struct answer *a)
{
	bool no = words_take(w, "no");
	const char *name = words_next(w);

	for (size_t i = 0; name && i < sizeof(questions) / sizeof(questions[0]); i++)
		if (strcmp(questions[i].name, name) == 0) {
			if (questions[i].ask(st, w, a) < 0)
				return -EINVAL;
			a->yes = a->yes != no;
			return 0;
		}
	return -EINVAL;
}
