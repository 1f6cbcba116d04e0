/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "electctl/ask.h"
#include "electctl/field.h"
#include "electctl/stoptime.h"
#include "gather.h"
#include "judge/judge.h"

enum {
	FRESH_MS = 300,	  /* a question that began this recently was started by our call */
	LISTEN_MS = 1000, /* more than three beacons; electd's own question is over by then */
	MORE_MS = 200,	  /* if it is not, listen for this time again, */
	MORE_MAX = 15,	  /* at most this often */
	USUAL_PORT = 7543,
	USUAL_FIRST = 7544, /* defaults of network.unicast_ports */
	USUAL_LAST = 7575,
};

#define USUAL_GROUP "224.0.0.254"

/* ---- facts from electd ------------------------------------------------------------------ */

/* Stores the answer in facts[key]. Prints no error if electd does not run: that is a finding. */
static enum electctl_exit put_answer(
	const struct options *o, json_t *facts, const char *key, const char *method)
{
	struct options quiet = *o;
	json_t *answer = NULL;
	enum electctl_exit code;

	quiet.quiet = true;
	code = ask(&quiet, method, NULL, ASK_TIMEOUT_MS, &answer);
	if (code != ELECTCTL_OK && code != ELECTCTL_NOT_RUNNING)
		code = ask(o, method, NULL, ASK_TIMEOUT_MS, &answer); /* prints the error */
	if (code == ELECTCTL_OK)
		json_object_set_new(facts, key, answer);
	return code;
}

static enum electctl_exit ask_doctor(const struct options *o, json_t *facts)
{
	return put_answer(o, facts, "doctor", "io.electd.Doctor");
}

static enum electctl_exit ask_rest(const struct options *o, json_t *facts)
{
	static const struct {
		const char *key, *method;
	} rest[] = {
		{ "status", "io.electd.GetStatus" },
		{ "health", "io.electd.GetHealth" },
		{ "hooks", "io.electd.GetHooks" },
	};
	enum electctl_exit code = ELECTCTL_OK;

	for (size_t i = 0; i < sizeof(rest) / sizeof(*rest) && code == ELECTCTL_OK; i++)
		code = put_answer(o, facts, rest[i].key, rest[i].method);
	return code;
}

/* An electd that is older than the method has no such addresses. */
static void ask_addresses(const struct options *o, json_t *facts)
{
	struct options quiet = *o;
	json_t *answer = NULL;

	quiet.quiet = true;
	if (json_array_size(json_object_get(json_object_get(facts, "status"), "addresses")) &&
		ask(&quiet, "io.electd.GetAddresses", NULL, ASK_TIMEOUT_MS, &answer) == ELECTCTL_OK)
		json_object_set_new(facts, "addresses", answer);
}

/* ---- facts from the LAN ----------------------------------------------------------------- */

static void open_ear(json_t *facts, json_t *unlooked_list, struct ear *ret_ear)
{
	const json_t *doctor = json_object_get(facts, "doctor");
	const char *group = doctor ? field_text(doctor, "group", NULL) : USUAL_GROUP;
	unsigned port = (unsigned)field_number(doctor, "group_port", NULL, USUAL_PORT);

	if (ear_open(facts, group, port, ret_ear))
		found_unlooked(unlooked_list, UNLOOKED_EAR);
}

static enum electctl_exit listen_more(
	const struct options *o, json_t *facts, const struct ear *ear, json_t *heard)
{
	ear_listen(ear, MORE_MS, heard);
	return ask_doctor(o, facts);
}

/* Waits for a question that began for this call: an older one may predate the present fault. */
static enum electctl_exit await_question(
	const struct options *o, json_t *facts, const struct ear *ear, json_t *heard)
{
	enum electctl_exit code = ELECTCTL_OK;

	for (unsigned i = 0; i < MORE_MAX && code == ELECTCTL_OK &&
		judge_ago(json_object_get(facts, "doctor"), "asked_ms") > FRESH_MS;
		i++)
		code = listen_more(o, facts, ear, heard);
	return code;
}

static enum electctl_exit await_answers(
	const struct options *o, json_t *facts, const struct ear *ear, json_t *heard)
{
	enum electctl_exit code;

	ear_listen(ear, LISTEN_MS, heard);
	code = ask_doctor(o, facts);
	for (unsigned i = 0; i < MORE_MAX && code == ELECTCTL_OK &&
		!field_true(json_object_get(facts, "doctor"), "over", NULL);
		i++)
		code = listen_more(o, facts, ear, heard);
	return code;
}

/*
 * electd asks which hosts hear it, and reports the answers; meanwhile this process listens where
 * electd does not.
 */
static enum electctl_exit listen_to_lan(
	const struct options *o, json_t *facts, json_t *unlooked_list)
{
	json_t *heard = json_array(), *twice = json_array();
	enum electctl_exit code;
	struct ear ear;
	int arp;

	open_ear(facts, unlooked_list, &ear);
	arp = arp_ask(json_object_get(facts, "doctor"));
	if (arp < 0)
		found_unlooked(unlooked_list, UNLOOKED_ARP);
	code = await_question(o, facts, &ear, heard);
	if (code == ELECTCTL_OK)
		code = await_answers(o, facts, &ear, heard);
	ear_close(&ear);
	json_object_set_new(facts, "routes", routes_of_host(json_object_get(facts, "doctor")));
	if (arp >= 0)
		arp_read(arp, json_object_get(facts, "doctor"), twice);
	json_object_set_new(facts, "ear", heard);
	json_object_set_new(facts, "twice", twice);
	return code;
}

static void set_if(json_t *facts, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(facts, key, value);
}

static json_t *taken(void)
{
	struct in_addr group;
	json_t *found;

	inet_pton(AF_INET, USUAL_GROUP, &group);
	found = port_group_taken(&group, USUAL_PORT);
	return found ? found : port_range_taken(USUAL_FIRST, USUAL_LAST);
}

/* Without electd, only checks whether another process uses the ports. */
static void look_at_ports(json_t *facts, json_t *unlooked_list)
{
	set_if(facts, "taken", taken());
	found_unlooked(unlooked_list, UNLOOKED_LAN);
	found_unlooked(unlooked_list, UNLOOKED_OWN_CONFIG);
}

/* ---- facts from this host --------------------------------------------------------------- */

static void look_at_host(const struct options *o, json_t *facts, json_t *unlooked_list)
{
	const char *name = ask_instance(o);

	json_object_set_new(
		facts, "unit", json_sprintf("electd%s%s.service", *name ? "@" : "", name));
	json_object_set_new(facts, "interfaces", host_interfaces());
	set_if(facts, "udp_l3mdev_accept", host_l3mdev());
	set_if(facts, "ruleset", host_ruleset(unlooked_list));
	if (o->socket)
		found_unlooked(unlooked_list, UNLOOKED_INSTANCE);
	else
		set_if(facts, "units", host_units(name, unlooked_list));
}

static void look_never(const json_t *facts, json_t *unlooked_list)
{
	const json_t *hooks = json_object_get(facts, "hooks");
	const json_t *doctor = json_object_get(facts, "doctor");

	if (hooks && !field_true(hooks, "hookd", NULL))
		found_unlooked(unlooked_list, UNLOOKED_SCRIPTS);
	if (doctor && !judge_uses_family(doctor, false))
		found_unlooked(unlooked_list, UNLOOKED_IPV4);
	if (doctor)
		found_unlooked(unlooked_list,
			judge_uses_family(doctor, true) ? UNLOOKED_EAR6 : UNLOOKED_IPV6);
	found_unlooked(unlooked_list, UNLOOKED_OTHERS);
	found_unlooked(unlooked_list, UNLOOKED_WIRES);
	found_unlooked(unlooked_list, UNLOOKED_CLOCKS);
}

/* ---- the verb --------------------------------------------------------------------------- */

static enum electctl_exit gather(const struct options *o, json_t *facts, json_t *unlooked_list)
{
	enum electctl_exit code = ask_doctor(o, facts);

	look_at_host(o, facts, unlooked_list);
	if (code == ELECTCTL_OK)
		code = listen_to_lan(o, facts, unlooked_list);
	if (code == ELECTCTL_OK)
		code = ask_rest(o, facts);
	if (code == ELECTCTL_OK) {
		const json_t *status = json_object_get(facts, "status");

		ask_addresses(o, facts);
		set_if(facts, "slow_stops", stoptime_slow(o, status));
		set_if(facts, "peer_routes", routes_of_peers(status));
	}
	if (code == ELECTCTL_NOT_RUNNING) {
		json_object_del(facts, "doctor");
		json_object_del(facts, "status");
		look_at_ports(facts, unlooked_list);
	}
	look_never(facts, unlooked_list);
	return code;
}

enum electctl_exit doctor_verb(const struct options *o, char *const *args)
{
	json_t *facts = json_object(), *findings = json_array(), *unlooked_list = json_array();
	enum electctl_exit code = gather(o, facts, unlooked_list);

	(void)args;
	if (code == ELECTCTL_OK || code == ELECTCTL_NOT_RUNNING) {
		judge(facts, findings);
		findings_for_instance(findings, "remedy", ask_instance(o));
		findings_for_instance(unlooked_list, "why", ask_instance(o));
		code = doctor_tell(o, facts, findings, unlooked_list);
	}
	json_decref(facts);
	json_decref(findings);
	json_decref(unlooked_list);
	return code;
}
