/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lan: the answer to Doctor: which interfaces are used, which hosts are heard, which hosts hear
 * this one, and which datagrams were refused. It has numbers and names only; `electctl doctor`
 * explains them.
 */
#include "call.h"

#include "words/why.h"

#include <net/if.h>

/* Milliseconds since `at_us`; null: never. */
static json_t *ago(uint64_t now_us, uint64_t at_us)
{
	if (!at_us)
		return json_null();
	return json_integer((json_int_t)((at_us < now_us ? now_us - at_us : 0) / 1000));
}

static json_t *local_paths(const struct ctl_doctor *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < d->local_paths_count; i++) {
		const struct ctl_local_path *w = &d->local_paths[i];

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:i, s:b, s:b, s:b, s:b, s:s, s:o, s:s?, s:o}",
				"interface", ctl_text(w->interface), "address",
				ctl_address(&w->address), "prefix", w->prefix, "carrier",
				w->carrier, "deaf", w->deaf, "back", w->back, "duplicate",
				w->duplicate, "why", w->why, "vrf", ctl_text(w->vrf), "dark",
				w->dark, "dark_at", ctl_text(w->dark ? w->dark_at : NULL)));
	}
	return list;
}

static json_t *link_problems(const struct ctl_doctor *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < d->links_count; i++)
		json_array_append_new(list,
			json_pack("{s:s, s:o, s:o, s:o}", "name", d->links[i].name, "interface",
				ctl_text(d->links[i].interface), "other",
				ctl_text(d->links[i].other), "text", ctl_text(d->links[i].words)));
	return list;
}

static json_t *timings(const struct elect_timings *t)
{
	if (!t->beacon_us)
		return json_null();
	return json_pack("{s:i, s:i}", "beacon_ms", (int)(t->beacon_us / 1000), "dead_after_ms",
		(int)(t->dead_after_us / 1000));
}

/* The interface of a link; NULL: the link is no longer used. */
static const char *interface_of(const struct ctl_doctor *d, uint32_t link)
{
	for (unsigned i = 0; i < d->local_paths_count; i++)
		if (d->local_paths[i].link == link)
			return d->local_paths[i].interface;
	return NULL;
}

static json_t *heard_by(
	const struct ctl_facts *facts, const struct ctl_doctor *d, const struct ctl_heard *h)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < h->by_count; i++) {
		const struct ctl_heard_by *by = &h->by[i];
		const char *interface = interface_of(d, by->way.link);

		if (interface)
			json_array_append_new(list,
				json_pack("{s:o, s:o, s:o, s:b}", "interface", ctl_text(interface),
					"address", ctl_address(&by->way.address), "heard_ms",
					ago(facts->now_us, by->heard_us), "answered",
					by->answered_us != 0));
	}
	return list;
}

static json_t *heard(const struct ctl_source *source, const struct ctl_facts *facts,
	const struct ctl_doctor *d, const struct ctl_heard *h)
{
	char id[ELECT_ID_TEXT];

	return json_pack("{s:s, s:s, s:o, s:i, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:s?}", "id",
		elect_id_text(&h->id, id, sizeof(id)), "name", source->name(source->user, &h->id),
		"address", ctl_address(&h->way.address), "port", h->way.address.port, "to_all_ms",
		ago(facts->now_us, h->to_all_us), "to_one_ms", ago(facts->now_us, h->to_one_us),
		"answered_all", h->answered_all_us != 0, "answered_one", h->answered_one_us != 0,
		"by", heard_by(facts, d, h), "timings", timings(&h->timings), "timings_ms",
		ago(facts->now_us, h->timings_us), "version", h->version[0] ? h->version : NULL);
}

static json_t *hosts(
	const struct ctl_source *source, const struct ctl_facts *facts, const struct ctl_doctor *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < d->heard_count; i++)
		json_array_append_new(list, heard(source, facts, d, &d->heard[i]));
	return list;
}

/* null: the interface is gone */
static json_t *interface(unsigned ifindex)
{
	char name[IF_NAMESIZE];

	return ifindex && if_indextoname(ifindex, name) ? ctl_text(name) : json_null();
}

static json_t *refused(const struct ctl_facts *facts, const struct ctl_doctor *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < d->refused_count; i++) {
		const struct ctl_refused *r = &d->refused[i];

		json_array_append_new(list,
			json_pack("{s:s, s:I, s:o, s:o, s:o, s:o}", "reason", r->reason, "count",
				(json_int_t)r->count, "last_ms", ago(facts->now_us, r->at_us),
				"address", ctl_address(&r->from), "interface",
				interface(r->ifindex), "ttl",
				r->ttl ? json_integer(r->ttl) : json_null()));
	}
	return list;
}

static json_t *problems(uint32_t bits)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < ELECT_PROBLEMS; i++) {
		const struct elect_problem_row *row = elect_problem_row(i);

		if (bits & row->bit)
			json_array_append_new(list,
				json_pack("{s:s, s:s}", "name", row->name, "text", row->words));
	}
	return list;
}

json_t *ctl_doctor(
	const struct ctl_source *source, const struct ctl_facts *facts, const struct ctl_doctor *d)
{
	return json_pack(
		"{s:o, s:b, s:I, s:b, s:o, s:o, s:i, s:i, s:[ii], s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:I, s:I}",
		"asked_ms", ago(facts->now_us, d->asked_us), "over", d->over, "domain_hash",
		(json_int_t)d->domain_hash, "multicasts", d->multicasts, "group",
		ctl_address(&d->group), "group6", ctl_address(&d->group6), "group_port",
		d->group.port, "port", d->port, "unicast_ports", (int)d->port_first,
		(int)d->port_last, "to_all_since_ms", ago(facts->now_us, d->to_all_since_us),
		"to_all_ms", ago(facts->now_us, d->to_all_last_us), "timings",
		timings(&facts->config->timings), "paths", local_paths(d), "links",
		link_problems(d), "hosts", hosts(source, facts, d), "refused", refused(facts, d),
		"problems", problems(facts->view.problems), "lag_ms",
		(json_int_t)(d->lag_us / 1000), "gaps", (json_int_t)d->gaps);
}
