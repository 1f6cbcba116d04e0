/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell: reports the election to users and programs: journal lines, the status line of the service,
 * the control socket. It never acts.
 */
#include "address.h"
#include "inside.h"

#include "program/clock.h"
#include "words/service.h"

#include <stdio.h>
#include <string.h>

/* Names the host, which shows where to look. */
static const char *untaken(const struct node *n)
{
	static char words[ELECT_NAME_MAX + 128];
	const struct elect_id *id = elect_untaken(host_elect(n->host));
	const char *name = id ? node_name_of((void *)n, id) : NULL;

	snprintf(words, sizeof(words),
		"%s does not take the membership list: something may drop large "
		"or certain packets",
		name ? name : "a host");
	return words;
}

/* Names the host that reports later starts: only it shows whether the report is true. */
static const char *state_old(const struct node *n)
{
	static char words[ELECT_NAME_MAX + 128];
	struct elect_id by;
	const char *name = NULL;

	if (elect_known(host_elect(n->host), &by))
		name = node_name_of((void *)n, &by);
	snprintf(words, sizeof(words),
		"the state folder is an older copy: %s knows of later starts of this host",
		name ? name : "another host");
	return words;
}

static const char *kernel_silent(const struct node *n)
{
	static char words[ELECT_NAME_MAX + 128];
	const struct elect_view *v = &n->view;
	const char *name = node_name_of((void *)n, &v->group.coordinator);

	snprintf(words, sizeof(words), "early suspicion of %s is off: its kernel does not answer",
		name ? name : "the coordinator");
	return words;
}

/* Some problems name a host or an interface. */
static const char *words_of(const struct node *n, const struct elect_problem_row *row)
{
	if (row->bit == ELECT_PROBLEM_LIST_UNTAKEN)
		return untaken(n);
	if (row->bit == ELECT_PROBLEM_STATE_OLD)
		return state_old(n);
	if (row->bit == ELECT_PROBLEM_KERNEL_SILENT)
		return kernel_silent(n);
	if (row->bit == ELECT_PROBLEM_NO_CARRIER && n->no_carrier[0])
		return n->no_carrier;
	if (row->bit == ELECT_PROBLEM_COUNTER_PUSHED && n->pushed[0])
		return n->pushed;
	return row->words;
}

static void name_counters(struct node *n)
{
	const struct elect *e = host_elect(n->host);
	struct elect_id id;
	uint64_t left_us;

	n->pushed[0] = n->behind[0] = '\0';
	if (elect_advancer(e, &id))
		snprintf(n->pushed, sizeof(n->pushed),
			"other hosts advance the group counter faster than any election does: last "
			"by %s",
			node_name_of(n, &id));
	if (elect_catching_up(e, &id, &left_us))
		snprintf(n->behind, sizeof(n->behind), "catching up with %s's counter, %u s left",
			node_name_of(n, &id), (unsigned)(left_us / 1000000 + 1));
}

void node_name_sick(struct node *n)
{
	const struct elect *e = host_elect(n->host);
	struct node_health *h = &n->health;

	h->words_count = 0;
	for (unsigned i = 0; i < elect_reported_count(e); i++) {
		const struct elect_reported *r = elect_reported_at(e, i);

		if (elect_reported_bars(r))
			why_health(r, h->words[h->words_count++], sizeof(h->words[0]));
	}
}

void node_name_problems(struct node *n)
{
	name_counters(n);
	node_name_sick(n);
	node_name_links(n);
	node_overheard(n);
	node_hear_other_keys(n);
	node_hear_forged(n);
	node_hear_other_election(n);
	node_name_addresses(n);
}

bool node_half_way(enum ring_mode mode, uint64_t for_us)
{
	return (mode == RING_PERMISSIVE || mode == RING_RECEIVE_ONLY) && for_us >= NODE_HALF_WAY_US;
}

static const char *node_unhooked_now(const struct node *n)
{
	return node_unhooked_words(&n->unhooked, n->view.role == ELECT_ROLE_LEADER, clock_boot_us(),
		n->conf.elect.yield_timeout_us);
}

static unsigned link_problems(
	const struct node_links *l, bool degrading, const char *ret_words[NODE_LINKS_TOLD])
{
	unsigned count = 0;

	for (unsigned i = 0; i < l->count && count < NODE_LINKS_TOLD; i++)
		if (!l->items[i].hint && (l->items[i].degrades || !degrading))
			ret_words[count++] = l->items[i].words;
	return count;
}

void node_late(struct node *n, bool late)
{
	char names[NODE_WORDS_MAX];

	n->late[0] = '\0';
	if (!late)
		return;
	ctl_beginning(n->ctl, names, sizeof(names));
	snprintf(n->late, sizeof(n->late),
		"address-late: %s had not begun a second after this host led, and scripts and "
		"units began without the addresses",
		names);
	log_warning("node", "%s", n->late);
}

/* `degrading`: only the problems that degrade this host. */
static unsigned problems_of(
	const struct node *n, uint32_t bits, bool degrading, const char *ret_words[NODE_PROBLEMS])
{
	const char *overran = node_overrun_words(&n->overrun, clock_boot_us());
	const char *unhooked = node_unhooked_now(n);
	unsigned count = 0;

	for (unsigned i = 0; i < ELECT_PROBLEMS; i++) {
		const struct elect_problem_row *row = elect_problem_row(i);

		if (bits & row->bit && (row->weight == ELECT_FAULT || !degrading))
			ret_words[count++] = words_of(n, row);
	}
	count += link_problems(&n->links, degrading, ret_words + count);
	if (n->behind[0])
		ret_words[count++] = n->behind;
	if (n->missing[0])
		ret_words[count++] = n->missing;
	if (n->forged[0])
		ret_words[count++] = n->forged;
	if (n->runs_other[0])
		ret_words[count++] = n->runs_other;
	for (unsigned i = 0; i < n->overheard_count; i++)
		ret_words[count++] = n->overheard_words[i];
	for (unsigned i = 0; i < n->health.words_count; i++)
		ret_words[count++] = n->health.words[i];
	if (node_half_way(n->conf.mode, clock_boot_us() - n->mode_since_us))
		ret_words[count++] = "the keys were left half changed a day ago: auth.mode is "
				     "between \"auto\" and \"enforce\"";
	if (overran)
		ret_words[count++] = overran;
	if (unhooked)
		ret_words[count++] = unhooked;
	if (n->late[0])
		ret_words[count++] = n->late;
	for (unsigned i = 0; i < NODE_ADDRESS_PROBLEMS; i++)
		if (n->addresses.words[i][0])
			ret_words[count++] = n->addresses.words[i];
	if (n->disk_slow)
		ret_words[count++] = "the disk with the state file does not answer";
	for (unsigned i = 0; i < n->hooks->problems_count; i++)
		ret_words[count++] = n->hooks->problems[i];
	return count;
}

unsigned node_problems(const struct node *n, uint32_t bits, const char *ret_words[NODE_PROBLEMS])
{
	return problems_of(n, bits, false, ret_words);
}

bool node_degraded(const struct node *n, uint32_t bits)
{
	const char *words[NODE_PROBLEMS];

	return problems_of(n, bits, true, words) > 0;
}

/* ---- journal --------------------------------------------------------------------------------- */

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
	if (view->state == ELECT_DOWN && old->state != ELECT_DOWN)
		return "state";
	if (view->members_count != old->members_count || view->list_version != old->list_version ||
		view->digest != old->digest)
		return "members";
	return elect_view_differs(old, view) ? "state" : NULL;
}

/* The membership list may have the former name of this host, which knows its own name. */
static void learn_other(struct node *n, const struct elect_id *id, const char *name)
{
	if (!elect_id_equal(id, &n->conf.elect.id))
		node_learn_name(n, id, name);
}

static void learn_names(struct node *n, const struct elect_view *view)
{
	const struct elect *e = host_elect(n->host);
	const char *cause = elect_name(e, &view->cause);
	struct elect_member_info info;

	if (cause)
		learn_other(n, &view->cause, cause);
	for (unsigned i = 0; i < elect_members_count(e); i++) {
		elect_member_at(e, i, &info);
		learn_other(n, &info.member.id, info.member.name);
	}
}

/* Returns the next host in succession; all zero: none. */
static struct elect_id next_of(const struct node *n)
{
	const struct elect *e = host_elect(n->host);
	struct elect_member_info info = { 0 };

	if (elect_members_count(e) > 1)
		elect_member_at(e, 1, &info);
	return info.member.id;
}

/* The line about the change does not name the host. */
static void tell_untaken(const struct node *n, const struct elect_view *view)
{
	uint32_t bit = ELECT_PROBLEM_LIST_UNTAKEN;

	if (view->problems & bit && !(n->view.problems & bit))
		log_warning("node", "%s", untaken(n));
}

/* A false suspicion need not change the group, so it has a line of its own. */
static void tell_suspected(const struct node *n, const struct elect_view *view)
{
	if (view->suspected == n->view.suspected)
		return;
	log_notice("node",
		"other hosts suspected this one falsely: from now on they wait %u ms longer than "
		"dead_after",
		(unsigned)(view->adaptive_us / 1000));
}

static bool told_of(const struct node_health *h, const struct elect_reported *r)
{
	if (r->health == ELECT_HEALTH_UNKNOWN && !r->required)
		return true; /* there is nothing to log yet */
	for (unsigned i = 0; i < h->told_count; i++)
		if (strcmp(h->told[i].name, r->name) == 0)
			return h->told[i].health == r->health;
	return false;
}

/* Writes one entry per change of a name, never one per report. */
static void tell_health(struct node *n)
{
	const struct elect *e = host_elect(n->host);
	struct node_health *h = &n->health;

	for (unsigned i = 0; i < elect_reported_count(e); i++)
		if (!told_of(h, elect_reported_at(e, i)))
			journal_health(&n->journal, elect_reported_at(e, i));
	h->told_count = elect_reported_count(e);
	for (unsigned i = 0; i < h->told_count; i++)
		h->told[i] = *elect_reported_at(e, i);
	node_name_sick(n);
}

/* Writes a line to the journal, and the line that `systemctl status` shows. */
static void tell_people(struct node *n, const struct elect_view *view)
{
	const struct narrate names = { node_name_of, n };
	struct history_facts facts = {
		.now_us = clock_boot_us(),
		.seq = ctl_sequence(n->ctl) + 1,
		.view = view,
		.self = n->conf.elect.id,
		.next = next_of(n),
		.dead_after_us = n->conf.elect.timings.dead_after_us,
		.names = &names,
	};
	const struct history_entry *entry;
	char line[WHY_LINE_MAX];

	elect_why_not(host_elect(n->host), &view->cause, &facts.why_not);
	entry = history_add(n->history, &facts);
	if (!entry)
		return;
	journal_change(&n->journal, entry);
	why_line(entry, line, sizeof(line));
	service_status(line);
}

/* The steps of an election are only of use for debugging. */
static void tell_debuggers(const struct node *n, const struct elect_view *view)
{
	const struct narrate names = { node_name_of, (void *)n };
	char line[NARRATE_LINE_MAX];

	if (!log_wanted(LOG_LEVEL_DEBUG))
		return;
	narrate_view(&names, view, line, sizeof(line));
	log_debug("node", "%s", line);
}

/* Called before the change is published, so that scripts find the definition that it brought. */
static void tell_definition(struct node *n)
{
	const uint8_t *bytes;
	size_t size = elect_definition(host_elect(n->host), &bytes);
	bool failed = n->definition.failed;
	int r = node_definition_follow(&n->definition, bytes, size);

	if (r && !failed)
		log_error("node", "the definition cannot be written to %s: %s", n->definition.path,
			strerror(-r));
	else if (!r && failed)
		log_notice("node", "the definition is written again");
}

void node_tell(struct node *n, const struct elect_view *view)
{
	const char *event = node_event_name(&n->view, view);

	metrics_view(&n->metrics, clock_boot_us(), &n->conf.elect.id, view);
	if (!event)
		return;
	learn_names(n, view);
	tell_definition(n);
	tell_debuggers(n, view);
	if (view->reports != n->view.reports)
		tell_health(n);
	tell_people(n, view);
	tell_untaken(n, view);
	tell_suspected(n, view);
	n->view = *view;
	ctl_publish(n->ctl, event, view);
	node_tell_unhooked(n);
	node_tell_addresses(n, false);
}

void node_tell_action(struct node *n, const struct elect_action *action)
{
	const struct narrate narrate = { node_name_of, n };
	char line[NARRATE_LINE_MAX];

	if (action->type == ELECT_ACTION_VIEW || !log_wanted(LOG_LEVEL_DEBUG))
		return;
	narrate_action(&narrate, action, line, sizeof(line));
	log_debug("core", "%s", line);
}

/* ---- times ------------------------------------------------------------------------------- */

/* Without an electd-hookd nothing is promoted: the event then only begins the judging of health. */
void node_time_event(struct node *n, const struct elect_event *event)
{
	if (event->type != ELECT_EVENT_PROMOTED || n->hooked)
		times_event(&n->times, event);
}

void node_time_message(struct node *n, uint64_t now_us)
{
	const struct elect_msg *m = host_heard(n->host);

	if (m)
		times_message(&n->times, now_us, m);
}

/* A datagram has its own time, because sending it by several paths takes a while. */
void node_time_acted(struct node *n, uint64_t now_us, const struct elect_action *action)
{
	bool sent = action->type == ELECT_ACTION_SEND;

	times_action(&n->times, sent ? clock_boot_us() : now_us, action);
}

/* ---- the disk ---------------------------------------------------------------------------- */

/* Logs when the writes begin to fail and when that is over, however often they are repeated. */
void node_tell_store(struct node *n, const struct store_result *result)
{
	if (result->anew)
		log_warning("store", "the state file in %s was gone or had been changed: made anew",
			n->options.state_dir);
	if (!result->ok && !n->store_failed)
		log_error("store", "%s the state file in %s: %s", result->doing,
			n->options.state_dir, strerror(-result->error));
	else if (result->ok && n->store_failed)
		log_notice("store", "the state file is written again");
	n->store_failed = !result->ok;
}

void node_tell_unhooked(struct node *n)
{
	const char *words = node_unhooked_now(n);

	if (n->unhooked.told == (words != NULL))
		return;
	n->unhooked.told = words != NULL;
	journal_problem(&n->journal, !words, NODE_UNHOOKED, n->unhooked.words);
	ctl_publish(n->ctl, "state", &n->view);
}

/* Nothing waits for a slow disk; but without an answer the counters run out in the end. */
void node_tell_disk(struct node *n)
{
	bool slow = n->saving_us && clock_boot_us() - n->saving_us > NODE_DISK_SLOW_US;

	if (slow == n->disk_slow)
		return;
	n->disk_slow = slow;
	if (slow)
		log_warning("store", "the disk with the state file does not answer");
	else
		log_notice("store", "the disk with the state file answers again");
	ctl_publish(n->ctl, "state", &n->view);
}

/* ---- faults ------------------------------------------------------------------------------ */

/* The faults that net counts, besides the verdicts of the core. */
enum { FAULT_UNSENT = WIRE_VERDICTS, FAULT_INTERFACE, FAULTS };

enum { WRONG_TAG_TEXT = 128 };

/*
 * These faults are ordinary on a LAN of several domains or with several paths; or anybody who has
 * recorded datagrams can cause them, and must not be able to fill the journal. They are logged at
 * the end only. Other keys have a line of their own (node/other_keys.c).
 */
static bool fault_is_ordinary(unsigned index)
{
	return index == WIRE_DOMAIN_BAD || index == WIRE_KEY_BAD || index == WIRE_REPLAYED ||
		index == WIRE_SESSION_OLD || index == WIRE_ANSWER_UNASKED ||
		index == WIRE_UNPROVEN || index == WIRE_UNRESPONSIVE;
}

static const char *fault_name(unsigned index)
{
	if (index == FAULT_UNSENT)
		return "unsent";
	if (index == FAULT_INTERFACE)
		return "interface";
	if (index == WIRE_OK || index == WIRE_OWN || index == WIRE_DUPLICATE ||
		fault_is_ordinary(index))
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

/* The sender has another secret, changes what it forwards, or wants to pass for another host. */
static void last_wrong_tag(
	const struct node *n, const uint64_t faults[FAULTS], char *ret_text, size_t size)
{
	const struct elect_address *from = &n->doctor.heard->refused[WIRE_TAG_BAD].from;
	char address[INET6_ADDRSTRLEN];

	ret_text[0] = '\0';
	if (faults[WIRE_TAG_BAD] == n->journal.faults.told[WIRE_TAG_BAD])
		return;
	snprintf(ret_text, size, "the last wrong tag was from %s, which is not authenticated",
		address_text(from, address));
}

void node_tell_faults(struct node *n)
{
	uint64_t faults[FAULTS];
	char more[WRONG_TAG_TEXT];

	read_faults(n, faults);
	last_wrong_tag(n, faults, more, sizeof(more));
	journal_faults(&n->journal, clock_boot_us(), faults, FAULTS, fault_name, more);
}

void node_tell_last_faults(struct node *n)
{
	struct log_faults ordinary = { 0 };
	uint64_t faults[FAULTS];
	char more[WRONG_TAG_TEXT];

	read_faults(n, faults);
	last_wrong_tag(n, faults, more, sizeof(more));
	journal_last_faults(&n->journal, clock_boot_us(), faults, FAULTS, fault_name, more);
	log_faults_report(&ordinary, clock_boot_us(), "node", faults, FAULTS, ordinary_name);
}
