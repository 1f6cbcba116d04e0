/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics: see metrics.h. Each metric has a function. Every series exists from the start, with 0,
 * so that rates are right from the first event on.
 */
#include "metrics.h"
#include "core/line.h"
#include "why.h"

#include <arpa/inet.h>
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { LABELS_MAX = 128 };

static const struct {
	uint64_t end_us;
	const char *label;
} buckets[METRICS_BUCKETS] = {
	{ 5000, "0.005" },
	{ 10000, "0.01" },
	{ 25000, "0.025" },
	{ 50000, "0.05" },
	{ 100000, "0.1" },
	{ 250000, "0.25" },
	{ 500000, "0.5" },
	{ 1000000, "1" },
	{ 2500000, "2.5" },
	{ 5000000, "5" },
	{ 10000000, "10" },
	{ UINT64_MAX, "+Inf" },
};

/* ---- counting ---------------------------------------------------------------------------- */

static bool electing(enum elect_state state)
{
	return state == ELECT_ELECTION || state == ELECT_REORGANIZING;
}

static enum metrics_result result_of(const struct elect_id *self, const struct elect_view *v)
{
	if (v->state != ELECT_NORMAL)
		return METRICS_FAILED;
	if (!elect_id_equal(&v->group.coordinator, self))
		return METRICS_FOLLOWED;
	return v->members_count > 1 ? METRICS_WON : METRICS_ALONE;
}

static void count_duration(struct metrics *m, uint64_t us)
{
	unsigned bucket = 0;

	while (us > buckets[bucket].end_us)
		bucket++;
	m->election_buckets[bucket]++;
	m->election_us_sum += us;
}

static void count_election(
	struct metrics *m, uint64_t now_us, const struct elect_id *self, const struct elect_view *v)
{
	bool was = electing(m->last.state), is = electing(v->state);

	if (!was && is)
		m->electing_us = now_us;
	if (!was || is)
		return;
	m->elections[result_of(self, v)]++;
	count_duration(m, now_us - m->electing_us);
}

void metrics_view(struct metrics *m, uint64_t now_us, const struct elect_id *self,
	const struct elect_view *view)
{
	assert(view->reason < ELECT_REASONS);
	if (!elect_id_is_zero(&view->leader) && !elect_id_equal(&view->leader, &m->last.leader))
		m->leader_changes[view->reason]++;
	count_election(m, now_us, self, view);
	m->last = *view;
}

void metrics_lag(struct metrics *m, uint64_t now_us, uint64_t lag_us)
{
	uint64_t age_us = now_us - m->lag_window_us;

	if (age_us >= METRICS_LAG_WINDOW_US) {
		m->lag_us_max[1] = age_us < 2 * METRICS_LAG_WINDOW_US ? m->lag_us_max[0] : 0;
		m->lag_us_max[0] = 0;
		m->lag_window_us = now_us;
	}
	if (lag_us > m->lag_us_max[0])
		m->lag_us_max[0] = lag_us;
}

uint64_t metrics_lag_worst(const struct metrics *m)
{
	return m->lag_us_max[0] > m->lag_us_max[1] ? m->lag_us_max[0] : m->lag_us_max[1];
}

void metrics_state_write(struct metrics *m, bool ok)
{
	m->state_writes[ok]++;
}

void metrics_clock_gap(struct metrics *m)
{
	m->clock_gaps++;
}

void metrics_hook_run(struct metrics *m, enum hook_event event, enum hook_result result)
{
	assert(event < HOOK_EVENTS && result < HOOK_RESULTS);
	m->hook_runs[event][result]++;
}

/* ---- text -------------------------------------------------------------------------------- */

struct text {
	struct line line;
	const char *name; /* of the current metric */
	const struct metrics *m;
	const struct metrics_now *now;
};

/* Writes the name of the series with its domain. `labels`: further ones, each after a comma. */
static void series(struct text *t, const char *suffix, const char *labels)
{
	line_add(&t->line, "%s%s{domain=\"%s\"%s} ", t->name, suffix, t->now->domain, labels);
}

static void number(struct text *t, uint64_t value)
{
	series(t, "", "");
	line_add(&t->line, "%" PRIu64 "\n", value);
}

static void labelled(struct text *t, const char *label, const char *value, uint64_t number)
{
	char labels[LABELS_MAX];

	snprintf(labels, sizeof(labels), ",%s=\"%s\"", label, value);
	series(t, "", labels);
	line_add(&t->line, "%" PRIu64 "\n", number);
}

/* Prints microseconds as seconds, without floating point: no rounding, no locale. */
static void seconds(struct text *t, const char *suffix, const char *labels, uint64_t us)
{
	series(t, suffix, labels);
	line_add(&t->line, "%" PRIu64 ".%06u\n", us / 1000000, (unsigned)(us % 1000000));
}

static void is_leader(struct text *t)
{
	number(t, t->now->view->role == ELECT_ROLE_LEADER);
}

static void role(struct text *t)
{
	for (unsigned r = 0; r < ELECT_ROLES; r++)
		labelled(t, "role", elect_role_name(r), t->now->view->role == r);
}

static void group_members(struct text *t)
{
	number(t, t->now->view->members_count);
}

static void token(struct text *t)
{
	number(t, t->now->view->token);
}

static void leader_changes(struct text *t)
{
	for (unsigned r = ELECT_REASON_NONE + 1; r < ELECT_REASONS; r++)
		labelled(t, "reason", elect_reason_name(r), t->m->leader_changes[r]);
}

static void elections(struct text *t)
{
	static const char *const names[METRICS_RESULTS] = {
		[METRICS_WON] = "won",
		[METRICS_FOLLOWED] = "followed",
		[METRICS_ALONE] = "alone",
		[METRICS_FAILED] = "failed",
	};

	for (unsigned r = 0; r < METRICS_RESULTS; r++)
		labelled(t, "result", names[r], t->m->elections[r]);
}

static void election_duration(struct text *t)
{
	char labels[LABELS_MAX];
	uint64_t count = 0;

	for (unsigned i = 0; i < METRICS_BUCKETS; i++) {
		count += t->m->election_buckets[i];
		snprintf(labels, sizeof(labels), ",le=\"%s\"", buckets[i].label);
		series(t, "_bucket", labels);
		line_add(&t->line, "%" PRIu64 "\n", count);
	}
	seconds(t, "_sum", "", t->m->election_us_sum);
	series(t, "_count", "");
	line_add(&t->line, "%" PRIu64 "\n", count);
}

static void degraded(struct text *t)
{
	number(t, t->now->degraded);
}

static void problem(struct text *t)
{
	for (unsigned i = 0; i < ELECT_PROBLEMS; i++)
		labelled(t, "problem", elect_problem_row(i)->name,
			(t->now->view->problems & elect_problem_row(i)->bit) != 0);
}

/* A host that expects no beacons has no sample: 0 would mean that a beacon has just come. */
static void beacon_age(struct text *t)
{
	uint64_t heard_us = t->now->beacon_us;

	if (heard_us)
		seconds(t, "", "", t->now->now_us > heard_us ? t->now->now_us - heard_us : 0);
}

static void may_lead(struct text *t)
{
	number(t, t->now->view->may_lead);
}

static void health(struct text *t)
{
	for (unsigned i = 0; i < t->now->reported_count; i++) {
		const struct elect_reported *r = &t->now->reported[i];

		labelled(t, "name", r->name, r->health == ELECT_HEALTH_WELL);
	}
}

static void health_age(struct text *t)
{
	for (unsigned i = 0; i < t->now->reported_count; i++) {
		const struct elect_reported *r = &t->now->reported[i];
		uint64_t us = t->now->now_us > r->heard_us ? t->now->now_us - r->heard_us : 0;
		char labels[LABELS_MAX];

		if (!r->heard_us)
			continue;
		snprintf(labels, sizeof(labels), ",name=\"%s\"", r->name);
		seconds(t, "", labels, us);
	}
}

static void packets(struct text *t, const uint64_t *counters)
{
	for (unsigned i = 0; i < ELECT_MSG_TYPES; i++)
		if (elect_msg_type_known(i))
			labelled(t, "type", elect_msg_type_name(i), counters[i]);
}

static void packets_sent(struct text *t)
{
	packets(t, t->now->packets->sent);
}

static void packets_received(struct text *t)
{
	packets(t, t->now->packets->received);
}

static void packets_dropped(struct text *t)
{
	for (unsigned v = WIRE_OK + 1; v < WIRE_VERDICTS; v++) {
		uint64_t count = t->now->packets->dropped[v];

		/* a host's own datagrams and second copies are no loss */
		if (v == WIRE_OWN || v == WIRE_DUPLICATE)
			continue;
		labelled(t, "reason", wire_verdict_name(v),
			v == WIRE_TTL_BAD ? count + t->now->ttl_bad : count);
	}
	labelled(t, "reason", "interface", t->now->interface_bad);
	labelled(t, "reason", "family", t->now->family_unused);
	labelled(t, "reason", "unsent", t->now->unsent);
}

static void packets_duplicate(struct text *t)
{
	series(t, "", "");
	line_add(&t->line, "%" PRIu64 "\n", t->now->packets->dropped[WIRE_DUPLICATE]);
}

static void state_writes(struct text *t)
{
	labelled(t, "result", "ok", t->m->state_writes[true]);
	labelled(t, "result", "failed", t->m->state_writes[false]);
}

static void hook_runs(struct text *t)
{
	char labels[LABELS_MAX];

	for (unsigned e = HOOK_NOTHING + 1; e < HOOK_EVENTS; e++)
		for (unsigned r = 0; r < HOOK_RESULT_UNIT; r++) { /* UNIT and later are no runs */
			snprintf(labels, sizeof(labels), ",event=\"%s\",result=\"%s\"",
				hook_event_name(e), hook_result_name(r));
			series(t, "", labels);
			line_add(&t->line, "%" PRIu64 "\n", t->m->hook_runs[e][r]);
		}
}

static void hooks_failed_now(struct text *t)
{
	labelled(t, "kind", "script", hooks_failed(t->now->hooks, false));
	labelled(t, "kind", "unit", hooks_failed(t->now->hooks, true));
}

/* ---- the addresses of the leader --------------------------------------------------------- */

static void of_address(struct text *t, const struct addresses_row *row, uint64_t number)
{
	char address[INET6_ADDRSTRLEN] = "?";

	inet_ntop(row->address.family == 6 ? AF_INET6 : AF_INET, row->address.bytes, address,
		sizeof(address));
	labelled(t, "address", address, number);
}

static void address_held(struct text *t)
{
	for (unsigned i = 0; i < t->now->addresses->count; i++) {
		const struct addresses_row *row = &t->now->addresses->rows[i];

		of_address(t, row, row->state == ADDRESSES_HELD);
	}
}

static void address_restored(struct text *t)
{
	for (unsigned i = 0; i < t->now->addresses->count; i++)
		of_address(t, &t->now->addresses->rows[i], t->now->addresses->rows[i].restored);
}

static void address_conflict(struct text *t)
{
	for (unsigned i = 0; i < t->now->addresses->count; i++) {
		const struct addresses_row *row = &t->now->addresses->rows[i];

		of_address(t, row, addresses_claimed(row, t->now->now_us));
	}
}

/* The kernel counts leases in whole seconds. */
static void address_lease(struct text *t)
{
	for (unsigned i = 0; i < t->now->addresses->count; i++) {
		const struct addresses_row *row = &t->now->addresses->rows[i];

		of_address(t, row, row->state == ADDRESSES_HELD ? (row->lease_ms + 999) / 1000 : 0);
	}
}

/* ---- electd itself ----------------------------------------------------------------------- */

static void loop_lag(struct text *t)
{
	seconds(t, "", "", metrics_lag_worst(t->m));
}

static void clock_gaps(struct text *t)
{
	number(t, t->m->clock_gaps);
}

static void false_alarms(struct text *t)
{
	number(t, t->now->view->suspected);
}

static void patience(struct text *t)
{
	seconds(t, "", "", t->now->view->adaptive_us);
}

static void list_repairs(struct text *t)
{
	number(t, t->now->list_repairs);
}

static void build_info(struct text *t)
{
	labelled(t, "version", t->now->version, 1);
}

static const struct {
	const char *name, *type, *help;
	void (*write)(struct text *);
} table[] = {
	{ "electd_is_leader", "gauge", "1 if this host leads, else 0.", is_leader },
	{ "electd_role", "gauge", "1 for the role this host has, else 0.", role },
	{ "electd_group_members", "gauge", "Hosts in the group of this host.", group_members },
	{ "electd_token", "gauge",
		"Fencing token of the known leader, 0 if there is none; "
		"rounded by Prometheus above 2^53.",
		token },
	{ "electd_degraded", "gauge", "1 if electctl check finds something wrong, else 0.",
		degraded },
	{ "electd_problem", "gauge",
		"1 for each problem of electctl(1) that this host has, else 0.", problem },
	{ "electd_leader_changes_total", "counter",
		"Times that a leader became known, by the reason.", leader_changes },
	{ "electd_elections_total", "counter", "Elections this host took part in, by their end.",
		elections },
	{ "electd_election_duration_seconds", "histogram",
		"How long elections took, from leaving a group to being in one.",
		election_duration },
	{ "electd_beacon_age_seconds", "gauge",
		"Time since the last beacon of the own coordinator; absent if none is expected.",
		beacon_age },
	{ "electd_may_lead", "gauge", "1 if this host may lead, else 0.", may_lead },
	{ "electd_health", "gauge", "1 for each name that is reported well, else 0.", health },
	{ "electd_health_age_seconds", "gauge", "Time since each name was reported last.",
		health_age },
	{ "electd_packets_sent_total", "counter", "Messages sent; a multicast counts once.",
		packets_sent },
	{ "electd_packets_received_total", "counter", "Datagrams accepted.", packets_received },
	{ "electd_packets_dropped_total", "counter", "Datagrams not accepted, or not sent.",
		packets_dropped },
	{ "electd_packets_duplicate_total", "counter",
		"Copies of accepted datagrams that came by another path.", packets_duplicate },
	{ "electd_state_writes_total", "counter", "Writes of the state file.", state_writes },
	{ "electd_hook_runs_total", "counter",
		"Runs of hook scripts, and those refused or left out, as electd-hookd reports.",
		hook_runs },
	{ "electd_hooks_failed", "gauge",
		"Scripts, and units bound to the leader target, that are in a failed state.",
		hooks_failed_now },
	{ "electd_address_held", "gauge",
		"1 for each address of the leader that this host holds, else 0.", address_held },
	{ "electd_address_restored_total", "counter",
		"Times that another program removed the address, and it was restored.",
		address_restored },
	{ "electd_address_conflict", "gauge",
		"1 if another machine claimed the address in the last five minutes, else 0.",
		address_conflict },
	{ "electd_address_lease_seconds", "gauge",
		"How long the kernel keeps the address after its last refresh; 0 if it is not "
		"held.",
		address_lease },
	{ "electd_loop_lag_seconds", "gauge",
		"Worst delay of a timer in the last one to two minutes.", loop_lag },
	{ "electd_clock_gaps_total", "counter",
		"Times this host was stalled for longer than dead_after.", clock_gaps },
	{ "electd_false_alarms_total", "counter",
		"False suspicions of this host by others while it coordinated.", false_alarms },
	{ "electd_patience_seconds", "gauge",
		"How much longer than dead_after the coordinator may be silent after false "
		"suspicions.",
		patience },
	{ "electd_list_repairs_total", "counter",
		"Members of this host that had a wrong membership list or definition and were "
		"sent the right one.",
		list_repairs },
	{ "electd_build_info", "gauge", "1, labelled with the version.", build_info },
};

size_t metrics_text(
	const struct metrics *m, const struct metrics_now *now, char ret_text[METRICS_TEXT_MAX])
{
	struct text t = { .line = line_begin(ret_text, METRICS_TEXT_MAX), .m = m, .now = now };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		t.name = table[i].name;
		line_add(&t.line, "# HELP %s %s\n# TYPE %s %s\n", t.name, table[i].help, t.name,
			table[i].type);
		table[i].write(&t);
	}
	assert(t.line.left > 1); /* nothing was cut */
	return METRICS_TEXT_MAX - t.line.left;
}
