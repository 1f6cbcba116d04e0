/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers: answers the control socket: the facts, and wishes that are passed on to the core. It
 * decides neither about permissions nor about the words of a reply: ctl does.
 */
#include "inside.h"

#include "program/clock.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Only for the times that users read. */
static uint64_t realtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/*
 * After a stop or a suspend, the core notices it before a client learns who leads. The LAN is read
 * before each client: however many clients there are, a beacon waits for one of them at most.
 */
static void source_before(void *user)
{
	struct node *n = user;

	node_catch_up(n);
	net_read(n->net);
}

static void tell_others(struct node *n, struct ctl_facts *facts)
{
	facts->other_keys_count = n->other_keys_count;
	for (unsigned i = 0; i < n->other_keys_count; i++)
		facts->other_keys[i] =
			(struct ctl_other){ &n->other_keys[i], n->other_keys_words[i] };
}

static void tell_role(struct node *n, struct ctl_facts *facts)
{
	const struct elect *e = host_elect(n->host);

	facts->bar = elect_bar(e, &facts->bar_until_us);
	facts->barred_until_us = elect_barred_until(e);
	n->holding[0] = '\0';
	if (elect_demotes(e, &facts->release_us, &facts->release_until_us))
		ctl_holding(n->ctl, n->holding, sizeof(n->holding));
	facts->holding = n->holding;
	n->beginning[0] = '\0';
	ctl_ranks(n->ctl, &facts->ranks);
	if (facts->ranks.promotes)
		ctl_beginning(n->ctl, n->beginning, sizeof(n->beginning));
	facts->beginning = n->beginning;
}

static void source_facts(void *user, struct ctl_facts *ret_facts)
{
	struct node *n = user;
	const struct elect *e = host_elect(n->host);

	*ret_facts = (struct ctl_facts){
		.now_us = clock_boot_us(),
		.realtime_us = realtime(),
		.domain = n->conf.domain,
		.version = n->options.version,
		.auth_mode = n->conf.auth_mode,
		.keys = elect_keys(e),
		.config = elect_config(e),
		.incarnation = n->incarnation,
		.members_count = elect_members_count(e),
		.foreign_count = elect_foreign_count(e),
		.untaken = elect_untaken(e),
		.addresses = &n->addresses.table,
		.hooks_timeout_ms = n->conf.hooks_timeout_ms,
		.hooks_on_failure = n->conf.hooks_on_failure,
		.definition = node_definition_path(&n->definition),
		.until_us = n->until_us,
		.ending_us = n->ending_us,
		.time_namespace = n->time_namespace,
	};
	elect_view(e, &ret_facts->view);
	if (!n->until_us) /* the step that is acted on begins the leadership */
		ret_facts->until_us = elect_until(e, &ret_facts->ending_us);
	ret_facts->peers_count = n->conf.peers.count;
	node_named_peers(n, ret_facts->peers);
	tell_role(n, ret_facts);
	node_name_problems(n);
	tell_others(n, ret_facts);
	ret_facts->problems_count = node_problems(n, ret_facts->view.problems, ret_facts->problems);
	ret_facts->degraded = node_degraded(n, ret_facts->view.problems);
}

/* For a member, the last beacon is the last time that it heard its coordinator. */
static void heard_of_coordinator(const struct elect *e, struct elect_member_info *info)
{
	if (info->rank == 0 && !info->last_heard_us)
		info->last_heard_us = elect_heard_us(e);
}

/* Finds the address that this host reports, else the one that others see, which the net knows. */
static void own_address(const struct node *n, struct elect_address *ret_address)
{
	if (elect_config(host_elect(n->host))->address.family)
		*ret_address = elect_config(host_elect(n->host))->address;
	else if (net_paths_count(n->net))
		net_path_source(n->net, net_path_at(n->net, 0), ret_address);
}

static void source_member(void *user, unsigned rank, struct elect_member_info *ret_info)
{
	struct node *n = user;
	const struct elect *e = host_elect(n->host);

	elect_member_at(e, rank, ret_info);
	heard_of_coordinator(e, ret_info);
	if (elect_id_equal(&ret_info->member.id, &elect_config(e)->id))
		own_address(n, &ret_info->member.address);
}

/* Returns the only path of IPv6; NULL: there is none, or more than one. */
static const struct net_path *only_ipv6(const struct node *n)
{
	const struct net_path *found = NULL;

	for (unsigned i = 0; i < net_paths_count(n->net); i++) {
		const struct net_path *p = net_path_at(n->net, i);

		if (p->address.family == 6 && found)
			return NULL;
		if (p->address.family == 6)
			found = p;
	}
	return found;
}

static bool same_place(const struct elect_address *a, const struct elect_address *b)
{
	return a->family == 6 && b->family == 6 && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/* Finds this host's own path, or the path to that host, or the only path of IPv6. */
static const char *source_interface(
	void *user, const struct elect_id *id, const struct elect_address *a)
{
	const struct node *n = user;
	const struct elect_way *way = host_way(n->host, clock_boot_us(), id);
	const struct net_path *path = NULL;

	for (unsigned i = 0; i < net_paths_count(n->net); i++)
		if (same_place(a, &net_path_at(n->net, i)->address))
			path = net_path_at(n->net, i);
	if (!path && way && same_place(a, &way->address))
		path = net_path_by(n->net, way->link);
	if (!path)
		path = only_ipv6(n);
	return path && elect_name_valid(path->name) ? path->name : NULL;
}

static bool source_why_not(void *user, const struct elect_id *id, struct elect_why_not *ret_why)
{
	return elect_why_not(host_elect(((struct node *)user)->host), id, ret_why);
}

static unsigned source_paths(
	void *user, const struct elect_id *id, struct ctl_path ret_paths[ELECT_WAYS_MAX])
{
	const struct node *n = user;
	struct elect_way_info list[ELECT_WAYS_MAX];
	unsigned count = host_ways_list(n->host, id, list);

	for (unsigned i = 0; i < count; i++) {
		const struct net_path *path = net_path_by(n->net, list[i].way.link);

		ret_paths[i] = (struct ctl_path){ path ? path->name : NULL, list[i] };
	}
	return count;
}

static void source_foreign(void *user, unsigned index, struct elect_foreign *ret_foreign)
{
	elect_foreign_at(host_elect(((struct node *)user)->host), index, ret_foreign);
}

static const char *source_name(void *user, const struct elect_id *id)
{
	const char *name = node_name_of(user, id);

	return name ? name : node_names_text(((struct node *)user)->names, id);
}

static const char *source_why(void *user, const struct elect_view *view)
{
	struct node *n = user;
	const struct narrate names = { node_name_of, n };

	why_view(n->history, view, &n->conf.elect.id, &names, n->why, sizeof(n->why));
	return n->why;
}

static const struct history *source_history(void *user)
{
	return ((struct node *)user)->history;
}

static const struct times_change *source_times(void *user)
{
	return times_last(&((struct node *)user)->times);
}

static char *source_metrics(void *user)
{
	struct node *n = user;
	const struct net_counters *net = net_counters(n->net);
	const struct elect *e = host_elect(n->host);
	unsigned reported_count = elect_reported_count(e);
	struct metrics_now now = {
		.now_us = clock_boot_us(),
		.domain = n->conf.domain,
		.version = n->options.version,
		.view = &n->view,
		.beacon_us = elect_heard_us(e),
		.reported_count = reported_count,
		.reported = reported_count ? elect_reported_at(e, 0) : NULL,
		.packets = host_counters(n->host),
		.list_repairs = elect_list_repairs(e),
		.ttl_bad = net->ttl_bad,
		.interface_bad = net->interface_bad,
		.family_unused = net->family_unused,
		.unsent = net->send_errors,
		.hooks = n->hooks,
		.addresses = &n->addresses.table,
	};
	char *text = malloc(METRICS_TEXT_MAX);

	node_name_problems(n);
	now.degraded = node_degraded(n, n->view.problems);
	if (text)
		metrics_text(&n->metrics, &now, text);
	return text;
}

static void source_doctor(void *user, struct ctl_doctor *ret_doctor)
{
	node_doctor_ask(user);
	node_doctor_tell(user, ret_doctor);
}

/* ---- keys -------------------------------------------------------------------------------- */

static void source_keys(void *user, struct ctl_keys *ret_keys)
{
	struct node *n = user;
	const struct elect *e = host_elect(n->host);

	*ret_keys = (struct ctl_keys){
		.file = n->conf.auth_keys,
		.since_us = n->mode_since_us,
	};
	ret_keys->known = elect_keys_report(e, &ret_keys->group);
}

/* ---- hooks ------------------------------------------------------------------------------- */

static const struct hooks *source_hooks(void *user)
{
	return ((struct node *)user)->hooks;
}

static void source_promoted(void *user, uint64_t token)
{
	struct elect_event event = { .type = ELECT_EVENT_PROMOTED, .promoted = token };

	node_catch_up(user);
	node_step(user, &event);
}

static void overran_by(struct node *n, const char *name)
{
	if (!node_overran_by(&n->overrun, clock_boot_us(), name))
		return;
	log_warning("node", "%s", n->overrun.words);
	ctl_publish(n->ctl, "state", &n->view);
}

static void source_hook_report(void *user, const struct hooks_report *report)
{
	struct hooks_report r = *report;
	struct node *n = user;
	bool changed;

	r.at_us = clock_boot_us();
	if (r.result == HOOK_RESULT_OVERRAN) {
		overran_by(n, r.script);
		return;
	}
	if (hooks_take(n->hooks, &r, &changed))
		metrics_hook_run(&n->metrics, r.event, r.result);
	if (changed)
		ctl_publish(n->ctl, "state", &n->view);
}

/* The new electd-hookd demotes the promotion of the former one, and promotes anew. */
static void source_hooks_renew(void *user)
{
	struct node *n = user;

	n->hooked = true;
	node_hookd_came(&n->unhooked);
	node_tell_unhooked(n);
	source_promoted(n, 0);
	if (hooks_renew(n->hooks))
		ctl_publish(n->ctl, "state", &n->view);
}

static void source_addresses(void *user, const char *holder, const struct addresses *report)
{
	node_take_addresses(user, holder, report);
}

static void source_hookd_missing(void *user, const char *why)
{
	struct node *n = user;

	node_hookd_missing(&n->unhooked, clock_boot_us(), why);
	node_await_hookd(n);
}

/* ---- wishes ------------------------------------------------------------------------------ */

static bool source_resign(void *user, uint64_t for_us, const struct elect_id *to)
{
	struct node *n = user;
	struct elect_event event = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_RESIGN, .for_us = for_us, .to = *to },
	};

	node_catch_up(n);
	if (n->view.role != ELECT_ROLE_LEADER || n->leaving)
		return false;
	if (elect_id_is_zero(to))
		log_notice("node", "told to resign");
	else
		log_notice("node", "told to resign to %s", source_name(n, to));
	node_step(n, &event);
	return true;
}

/* The active configuration has it too, so that a reload of other keys does not undo it. */
static void source_priority(void *user, uint8_t priority)
{
	struct node *n = user;
	struct elect_event event = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_PRIORITY, .priority = priority },
	};

	node_catch_up(n);
	log_notice("node", "priority is %u until the next start", priority);
	n->conf.elect.priority = priority;
	node_step(n, &event);
}

static void source_hold(void *user, bool on)
{
	struct node *n = user;
	struct elect_event event = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_HOLD, .on = on },
	};

	node_catch_up(n);
	log_notice("node", on ? "told to follow only" : "no longer told to follow only");
	node_step(n, &event);
}

static void source_define(void *user, const uint8_t *bytes, size_t size)
{
	log_notice("node", "a definition of %zu bytes was handed over", size);
	node_define(user, bytes, size);
}

/* An electd-hookd has ended. Its promotion is demoted all the same, and then another one comes. */
static void hookd_gone(struct node *n)
{
	n->hooked = false;
	n->alone_us = clock_boot_us() + n->conf.elect.yield_timeout_us;
	source_promoted(n, 0);
}

/* An electd-hookd that is started with electd takes a moment to connect. */
static bool nobody_promotes(const struct node *n)
{
	uint64_t now_us = clock_boot_us();

	return n->view.role == ELECT_ROLE_LEADER && now_us >= n->alone_us &&
		now_us - n->view.since_us >= NODE_ALONE_US;
}

static bool source_leading(void *user, bool alone)
{
	struct node *n = user;
	const struct elect *e = host_elect(n->host);

	node_catch_up(n);
	if (alone && n->hooked)
		hookd_gone(n);
	if (alone && !elect_promoted(e) && nobody_promotes(n))
		source_promoted(n, n->view.token);
	return elect_promoted(e);
}

static enum elect_report_verdict source_report(void *user, const struct elect_report *report)
{
	struct elect_event event = { .type = ELECT_EVENT_REPORT, .report = *report };
	struct node *n = user;
	enum elect_report_verdict verdict;

	node_catch_up(n);
	verdict = elect_report_judge(host_elect(n->host), report);
	if (verdict == ELECT_REPORT_TAKEN && report->forget)
		log_notice("node", "told to forget what was reported of %s", report->name);
	if (verdict == ELECT_REPORT_TAKEN)
		node_step(n, &event);
	return verdict;
}

static const struct elect_reported *source_reported(void *user, unsigned index)
{
	const struct elect *e = host_elect(((struct node *)user)->host);

	return index < elect_reported_count(e) ? elect_reported_at(e, index) : NULL;
}

static void source_reload(
	void *user, const struct ctl_reload_wish *wish, struct ctl_reload *ret_reload)
{
	node_reload(user, wish, ret_reload);
}

static void source_released(void *user, uint64_t number)
{
	struct elect_event released = { .type = ELECT_EVENT_RELEASED, .released = number };

	node_step(user, &released);
}

/* The end of a promotion: scripts and units begin, with the addresses or without. */
static void source_ranked(void *user)
{
	struct node *n = user;
	struct ctl_ranks ranks;

	ctl_ranks(n->ctl, &ranks);
	node_late(n, ranks.late && !n->view.yielding); /* in a hand-over nothing begins */
	ctl_publish(n->ctl, "state", &n->view);
}

/* The copy knows a new holder before that holder can hold anything. */
static void source_holders(void *user, bool came)
{
	struct node *n = user;

	if (came) {
		node_will_renew(n);
		return;
	}
	node_will_look(n);
	if (n->addresses.holder[0] && n->address_late) /* perhaps inside a publication */
		event_active(n->address_late, EV_TIMEOUT, 1);
	if (ctl_any_hookd(n->ctl))
		return;
	node_hookd_gone(&n->unhooked, clock_boot_us());
	node_await_hookd(n);
}

const struct ctl_source node_ctl_source = {
	.before = source_before,
	.facts = source_facts,
	.member = source_member,
	.interface = source_interface,
	.why_not = source_why_not,
	.paths = source_paths,
	.foreign = source_foreign,
	.name = source_name,
	.why = source_why,
	.history = source_history,
	.times = source_times,
	.metrics = source_metrics,
	.doctor = source_doctor,
	.resign = source_resign,
	.priority = source_priority,
	.hold = source_hold,
	.define = source_define,
	.promoted = source_promoted,
	.leading = source_leading,
	.report = source_report,
	.reported = source_reported,
	.keys = source_keys,
	.reload = source_reload,
	.hooks = source_hooks,
	.hook_report = source_hook_report,
	.addresses = source_addresses,
	.hooks_renew = source_hooks_renew,
	.hookd_missing = source_hookd_missing,
	.holders = source_holders,
	.released = source_released,
	.ranked = source_ranked,
};
