/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_tell: what people and programs are told of the election: journal lines, the status line
 * of the service, the control socket. Tells, never acts.
 */
#include "node_inside.h"

#include "core/narrate.h"
#include "service.h"

#include <string.h>
#include <time.h>

/* What a set bit means to a person. */
static const struct {
	enum elect_problem bit;
	const char *words;
} problems[NODE_PROBLEMS] = {
	{ ELECT_PROBLEM_NOT_PERSISTED,
		"the state file cannot be written: this host follows, but does not lead" },
	{ ELECT_PROBLEM_STATE_LOST, "started without its state: it was damaged or lost" },
	{ ELECT_PROBLEM_DUPLICATE_ID, "another host uses this host's id: neither leads" },
	{ ELECT_PROBLEM_TIMINGS_DIFFER, "a host of this domain has other timings" },
	{ ELECT_PROBLEM_PREEMPT_DIFFERS,
		"hosts of this domain disagree about preempt: it counts as off" },
	{ ELECT_PROBLEM_NO_CARRIER, "no network interface has a carrier" },
	{ ELECT_PROBLEM_NO_QUORUM, "the group is smaller than the quorum: nobody leads" },
	{ ELECT_PROBLEM_BROKEN_LINKS,
		"other coordinators are heard, but do not hear this host's group" },
	{ ELECT_PROBLEM_TAG_CLASH, "two hosts have the same token tag: tokens may be equal" },
	{ ELECT_PROBLEM_COUNTER_REFUSED, "a counter far above all others was refused" },
	{ ELECT_PROBLEM_GROUP_FULL, "the group is full: a host was refused" },
};

/* ---- journal --------------------------------------------------------------------------------- */

/* The core forgets who is gone; node_names does not. */
static const char *name_of(void *user, const struct elect_id *id)
{
	const struct node *n = user;
	const char *name = elect_name(host_elect(n->host), id);

	return name ? name : node_names_find(n->names, id);
}

const char *node_event_name(const struct elect_view *old, const struct elect_view *view)
{
	static const char *const roles[ELECT_ROLES] = {
		[ELECT_ROLE_NONE] = "none",
		[ELECT_ROLE_FOLLOWER] = "follower",
		[ELECT_ROLE_LEADER] = "leader",
	};

	if (view->role != old->role || view->token != old->token ||
		!elect_id_equal(&view->leader, &old->leader))
		return roles[view->role];
	if (view->members_count != old->members_count || view->list_version != old->list_version ||
		view->digest != old->digest)
		return "members";
	if (view->state != old->state || !elect_group_equal(&view->group, &old->group) ||
		view->problems != old->problems || view->held != old->held ||
		view->may_lead != old->may_lead || view->yielding != old->yielding)
		return "state";
	return NULL;
}

static void learn_names(struct node *n, const struct elect_view *view)
{
	const struct elect *e = host_elect(n->host);
	const char *cause = elect_name(e, &view->cause);
	struct elect_member_info info;

	if (cause)
		node_names_learn(n->names, &view->cause, cause);
	for (unsigned i = 0; i < elect_members_count(e); i++) {
		elect_member_at(e, i, &info);
		node_names_learn(n->names, &info.member.id, info.member.name);
	}
}

static void tell_problems(uint32_t old, uint32_t now)
{
	for (unsigned i = 0; i < NODE_PROBLEMS; i++) {
		uint32_t bit = (uint32_t)problems[i].bit;

		if (now & ~old & bit)
			log_warning("node", "%s", problems[i].words);
		else if (old & ~now & bit)
			log_notice("node", "no longer: %s", problems[i].words);
	}
}

/*
 * A line for who leads and who is there, compared with the last such line; the steps of an
 * election in between are for those who look closely.
 */
static enum log_level level_of(const struct elect_view *logged, const struct elect_view *view)
{
	if (view->role != logged->role || view->token != logged->token)
		return LOG_LEVEL_NOTICE;
	if (view->state == ELECT_NORMAL &&
		(view->members_count != logged->members_count ||
			!elect_group_equal(&view->group, &logged->group)))
		return LOG_LEVEL_INFO;
	return LOG_LEVEL_DEBUG;
}

void node_tell(struct node *n, const struct elect_view *view, bool last)
{
	const struct narrate narrate = { name_of, n };
	struct elect_view old = n->view;
	const char *event = node_event_name(&old, view);
	enum log_level level = level_of(&n->logged, view);
	char line[NARRATE_LINE_MAX];

	if (!event)
		return;
	if (!last && level == LOG_LEVEL_INFO)
		level = LOG_LEVEL_DEBUG; /* the next one says it too */
	if (level != LOG_LEVEL_DEBUG)
		n->logged = *view;
	n->view = *view;
	learn_names(n, view);
	narrate_view(&narrate, view, line, sizeof(line));
	log_line(level, "node", "%s", line);
	tell_problems(old.problems, view->problems);
	service_status(line);
	ctl_publish(n->ctl, event, view);
}

void node_tell_action(struct node *n, const struct elect_action *action)
{
	const struct narrate narrate = { name_of, n };
	char line[NARRATE_LINE_MAX];

	if (action->type == ELECT_ACTION_VIEW || !log_wanted(LOG_LEVEL_DEBUG))
		return;
	narrate_action(&narrate, action, line, sizeof(line));
	log_debug("core", "%s", line);
}

/* ---- faults ------------------------------------------------------------------------------ */

/* What net counts besides the verdicts of the core. */
enum { FAULT_UNSENT = WIRE_VERDICTS, FAULT_INTERFACE, FAULTS };

/* Ordinary on a LAN of several domains or with several paths: told at the end only. */
static bool fault_is_ordinary(unsigned index)
{
	return index == WIRE_DOMAIN_BAD || index == WIRE_REPLAYED;
}

static const char *fault_name(unsigned index)
{
	if (index == FAULT_UNSENT)
		return "unsent";
	if (index == FAULT_INTERFACE)
		return "interface";
	if (index == WIRE_OK || index == WIRE_OWN || fault_is_ordinary(index))
		return NULL;
	return wire_verdict_name((enum wire_verdict)index);
}

static const char *ordinary_name(unsigned index)
{
	return fault_is_ordinary(index) ? wire_verdict_name((enum wire_verdict)index) : NULL;
}

static void read_faults(struct node *n, uint64_t ret_faults[FAULTS])
{
	const struct net_counters *net = net_counters(n->net);

	memcpy(ret_faults, host_counters(n->host)->dropped, WIRE_VERDICTS * sizeof(*ret_faults));
	ret_faults[WIRE_TTL_BAD] += net->ttl_bad;
	ret_faults[FAULT_UNSENT] = net->send_errors;
	ret_faults[FAULT_INTERFACE] = net->interface_bad;
}

void node_tell_faults(struct node *n)
{
	uint64_t faults[FAULTS];

	read_faults(n, faults);
	log_faults_report(&n->faults, node_now(), "node", faults, FAULTS, fault_name);
}

void node_tell_last_faults(struct node *n)
{
	struct log_faults ordinary = { 0 };
	uint64_t faults[FAULTS];

	n->faults.told_us = 0; /* what was not told yet, however soon */
	node_tell_faults(n);
	read_faults(n, faults);
	log_faults_report(&ordinary, node_now(), "node", faults, FAULTS, ordinary_name);
}

/* ---- control socket ---------------------------------------------------------------------- */

static uint64_t realtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Without an interface, "no carrier" is true, but no help. */
static const char *problem_words(const struct node *n, unsigned index)
{
	if (problems[index].bit == ELECT_PROBLEM_NO_CARRIER && !net_paths_count(n->net))
		return "no network interface can be used: waiting for one";
	return problems[index].words;
}

static void source_facts(void *user, struct ctl_facts *ret_facts)
{
	struct node *n = user;
	const struct elect *e = host_elect(n->host);

	*ret_facts = (struct ctl_facts){
		.now_us = node_now(),
		.realtime_us = realtime(),
		.domain = n->conf.domain,
		.version = n->options.version,
		.auth_mode = n->conf.auth_mode,
		.active_key = n->key_id,
		.config = elect_config(e),
		.incarnation = n->incarnation,
		.members_count = elect_members_count(e),
		.foreign_count = elect_foreign_count(e),
	};
	elect_view(e, &ret_facts->view);
	for (unsigned i = 0; i < NODE_PROBLEMS; i++)
		if (ret_facts->view.problems & (uint32_t)problems[i].bit)
			ret_facts->problems[ret_facts->problems_count++] = problem_words(n, i);
}

/* The core does not know under which address this host itself is reached; the net does. */
static void source_member(void *user, unsigned rank, struct elect_member_info *ret_info)
{
	struct node *n = user;
	const struct elect *e = host_elect(n->host);

	elect_member_at(e, rank, ret_info);
	if (elect_id_equal(&ret_info->member.id, &elect_config(e)->id) && net_paths_count(n->net))
		net_path_source(n->net, net_path_at(n->net, 0), &ret_info->member.address);
}

static void source_foreign(void *user, unsigned index, struct elect_foreign *ret_foreign)
{
	elect_foreign_at(host_elect(((struct node *)user)->host), index, ret_foreign);
}

static const char *source_name(void *user, const struct elect_id *id)
{
	const char *name = name_of(user, id);

	return name ? name : node_names_text(((struct node *)user)->names, id);
}

static bool source_resign(void *user, uint64_t for_us)
{
	struct node *n = user;
	struct elect_event event = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_RESIGN, .for_us = for_us },
	};

	node_catch_up(n);
	if (n->view.role != ELECT_ROLE_LEADER)
		return false;
	log_notice("node", "told to resign");
	node_step(n, &event);
	return true;
}

const struct ctl_source node_ctl_source = {
	.facts = source_facts,
	.member = source_member,
	.foreign = source_foreign,
	.name = source_name,
	.resign = source_resign,
};
