/* SPDX-License-Identifier: Apache-2.0 */
/* The output and the exit code of the verbs that ask for the leader. */
#include "server.h"

#include "electctl/verbs/status.h"

static void status_names_the_leader_the_time_and_the_reason(void **state)
{
	RUN(r, "{\"parameters\":" LEADS "}", status_verb, 1, .json = false);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(r.out,
		"This host, web1, leads \"default\".\n"
		"\n"
		"Leader    web1, 192.0.2.1:7544\n"
		"Since     2026-11-20 10:40:12, 3 min 5 s ago\n"
		"Why       web2 joined its group\n"
		"Group     web1.41, 2 hosts\n"
		"Members   web1 (leader) (this host), web2 (silent)\n"
		"Token     687865889\n"
		"Trust     not authenticated: no key file (mode auto). Any user of this host, and\n"
		"          any host on the LAN, can speak as a member\n"
		"Health    ok\n");
	free(r.out);
}

static void status_shows_a_waiting_promotion(void **state)
{
	RUN(r,
		"{\"parameters\":{\"promoting\":{\"rank\":\"address\",\"waits_for\":\"mover\","
		"\"since_ms\":200,\"left_ms\":800}}}",
		status_verb, 1, .width = 120);

	(void)state;
	assert_non_null(strstr(r.out,
		"Starting  scripts and units wait for mover to add the addresses, 200 ms so far, "
		"at most 800 ms more\n"));
	free(r.out);
}

#define ADDRESS(address, interface, state, announced)                                              \
	"{\"address\":\"" address "\",\"interface\":" interface ",\"state\":\"" state              \
	"\",\"announced_ms\":" announced "}"
#define WITH(role, leader, rows)                                                                   \
	"{\"parameters\":{\"role\":\"" role "\",\"leader\":" leader ",\"addresses\":[" rows "]}}"
#define OURS                                                                                       \
	ADDRESS("192.0.2.100", "\"eth0\"", "held", "3000")                                         \
	"," ADDRESS("2001:db8::100", "null", "waiting", "null")

static void status_shows_where_the_addresses_of_the_leader_are(void **state)
{
	RUN(own, WITH("leader", LEADER_A, OURS), status_verb, 1, .json = false);
	RUN(foreign,
		WITH("leader", LEADER_A,
			ADDRESS("192.0.2.1", "\"eth0\"", "foreign", "null") "," ADDRESS(
				"192.0.2.2", "null", "held", "null")),
		status_verb, 1, .json = false);
	RUN(other, WITH("follower", LEADER_A, OURS), status_verb, 1, .json = false);
	RUN(nobody, WITH("none", "null", OURS), status_verb, 1, .json = false);
	RUN(none, WITH("leader", LEADER_A, ""), status_verb, 1, .json = false);
	RUN(plain, WITH("leader", LEADER_A, OURS), status_verb, 1, .plain = true);

	(void)state;
	assert_non_null(strstr(own.out,
		"Addresses 192.0.2.100 on eth0, announced 3.0 s ago\n"
		"          2001:db8::100: missing\n"));
	assert_non_null(
		strstr(foreign.out, "Addresses 192.0.2.1: not electd's\n          192.0.2.2\n"));
	assert_non_null(strstr(other.out, "Addresses 192.0.2.100, 2001:db8::100 with web1\n"));
	assert_non_null(strstr(nobody.out, "Addresses 192.0.2.100, 2001:db8::100 with no host\n"));
	assert_null(strstr(none.out, "Addresses"));
	assert_non_null(
		strstr(plain.out, "address\t192.0.2.100\theld\naddress\t2001:db8::100\twaiting\n"));
	free(own.out);
	free(foreign.out);
	free(other.out);
	free(nobody.out);
	free(none.out);
	free(plain.out);
}

#define ONE ADDRESS("192.0.2.100", "\"eth0\"", "held", "3000")

static void status_counts_addresses_beyond_four(void **state)
{
	RUN(own, WITH("leader", LEADER_A, ONE "," ONE "," ONE "," ONE "," ONE "," ONE), status_verb,
		1, .json = false);
	RUN(other, WITH("follower", LEADER_A, ONE "," ONE "," ONE "," ONE "," ONE "," ONE),
		status_verb, 1, .width = 100);

	(void)state;
	assert_non_null(strstr(own.out, "3.0 s ago\n          2 more: electctl address\n"));
	assert_non_null(strstr(other.out, "192.0.2.100 and 2 more with web1\n"));
	free(own.out);
	free(other.out);
}

/* electd 0.1 does not send this field. */
static void status_shows_a_waiting_hand_over(void **state)
{
	RUN(known, "{\"parameters\":{\"yielding\":{\"to\":{\"id\":\"0f\",\"name\":\"web2\"}}}}",
		status_verb, 1, .json = false);
	RUN(unknown, "{\"parameters\":{\"yielding\":{\"to\":null}}}", status_verb, 1,
		.json = false);
	RUN(long_since,
		"{\"parameters\":{\"yielding\":{\"to\":{\"id\":\"0f\",\"name\":\"web2\"},"
		"\"waits_for\":\"electd-hookd\",\"since_ms\":3200,\"left_ms\":12800}}}",
		status_verb, 1, .width = 120);
	RUN(last,
		"{\"parameters\":{\"yielding\":{\"to\":{\"id\":\"0f\",\"name\":\"web2\"},"
		"\"rank\":\"address\",\"waits_for\":\"mover\",\"since_ms\":3200,"
		"\"left_ms\":12800}}}",
		status_verb, 1, .width = 120);
	RUN(no, "{\"parameters\":{\"yielding\":null}}", status_verb, 1, .json = false);

	(void)state;
	assert_non_null(strstr(
		known.out, "Yielding  waits for its scripts and units to stop; then web2 leads\n"));
	assert_non_null(strstr(unknown.out,
		"Yielding  waits for its scripts and units to stop; then it no longer leads\n"));
	assert_non_null(strstr(long_since.out,
		"Yielding  waits for electd-hookd to stop its work, 3.2 s so far, at most 12 s "
		"more; "
		"then web2 leads\n"));
	assert_non_null(strstr(last.out,
		"Yielding  waits for mover to remove the addresses, 3.2 s so far, at most 12 s "
		"more; "
		"then web2 leads\n"));
	assert_null(strstr(no.out, "Yielding"));
	free(last.out);
	free(long_since.out);
	free(known.out);
	free(unknown.out);
	free(no.out);
}

static void status_shows_hold_and_priority_0(void **state)
{
	RUN(shut, "{\"parameters\":{\"node\":{\"held\":true,\"priority\":0}}}", status_verb, 1,
		.json = false);
	RUN(open, "{\"parameters\":{\"node\":{\"held\":false,\"priority\":1}}}", status_verb, 1,
		.json = false);

	(void)state;
	assert_non_null(strstr(shut.out,
		"Hold      on: only follows, until \"electctl hold off\"\n"
		"Priority  0: only follows\n"));
	assert_null(strstr(open.out, "only follows"));
	free(shut.out);
	free(open.out);
}

static void status_shows_how_long_the_host_is_barred(void **state)
{
	RUN(barred, "{\"parameters\":{\"node\":{\"barred_ms\":23000}}}", status_verb, 1,
		.json = false);
	RUN(free_to, "{\"parameters\":{\"node\":{\"barred_ms\":null}}}", status_verb, 1,
		.json = false);

	(void)state;
	assert_non_null(strstr(
		barred.out, "Barred    gave up leadership, and does not lead for another 23 s\n"));
	assert_null(strstr(free_to.out, "Barred"));
	free(barred.out);
	free(free_to.out);
}

#define PATIENCE(of, silence, alarms)                                                              \
	"{\"parameters\":{\"node\":{\"id\":\"0f\"},\"patience\":{\"host\":{\"id\":\"" of           \
	"\",\"name\":\"web2\"},\"ms\":600,\"silence_ms\":" silence ",\"false_alarms\":" alarms     \
	"}}}"

static void status_shows_the_adaptive_timeout(void **state)
{
	RUN(self, PATIENCE("0f", "0", "3"), status_verb, 1, .json = false);
	RUN(other, PATIENCE("0e", "350", "1"), status_verb, 1, .json = false);
	RUN(no, "{\"parameters\":{\"patience\":null}}", status_verb, 1, .json = false);

	(void)state;
	assert_non_null(
		strstr(self.out, "Timeout   adaptive: 600 ms longer (3 false suspicions)\n"));
	assert_non_null(strstr(
		other.out, "Timeout   adaptive: 600 ms longer, 350 ms longer for its kernel"));
	assert_non_null(strstr(other.out, "(1 false"));
	assert_non_null(strstr(other.out, "web2)\n"));
	assert_null(strstr(no.out, "Timeout"));
	free(self.out);
	free(other.out);
	free(no.out);
}

static void status_names_the_crashed_host_that_is_waited_for(void **state)
{
	RUN(waits, "{\"parameters\":{\"awaits\":{\"id\":\"0f\",\"name\":\"web2\"}}}", status_verb,
		1, .json = false);
	RUN(no, "{\"parameters\":{\"awaits\":null}}", status_verb, 1, .json = false);

	(void)state;
	assert_non_null(strstr(waits.out,
		"Waits     until the work of web2, the leader that crashed, has ended\n"));
	assert_null(strstr(no.out, "Waits"));
	free(waits.out);
	free(no.out);
}

#define BAR(may, left)                                                                             \
	"{\"parameters\":{\"node\":{\"may_lead\":" may "},\"bar\":{\"name\":\"nobody-heard\","     \
	"\"words\":\"until another host is heard\",\"left_ms\":" left "}}}"

static void status_says_what_a_coordinator_waits_for_and_how_long(void **state)
{
	RUN(timed, BAR("true", "28000"), status_verb, 1, .json = false);
	RUN(event, BAR("true", "null"), status_verb, 1, .json = false);
	RUN(other, BAR("false", "null"), status_verb, 1, .json = false);

	(void)state;
	assert_non_null(strstr(timed.out, "Waits     until another host is heard, 28 s at most\n"));
	assert_non_null(strstr(event.out, "Waits     until another host is heard\n"));
	assert_null(strstr(other.out, "Waits"));
	free(timed.out);
	free(event.out);
	free(other.out);
}

static void status_names_coordinators_of_other_groups(void **state)
{
	RUN(apart, "{\"parameters\":{\"foreign\":[{\"name\":\"web9\"},{\"name\":\"web8\"}]}}",
		status_verb, 1, .json = false);
	RUN(none, "{\"parameters\":{}}", status_verb, 1, .json = false);

	(void)state;
	assert_non_null(strstr(apart.out, "Apart     web9 coordinates another group"));
	assert_non_null(strstr(apart.out, "          web8 coordinates another group"));
	assert_null(strstr(none.out, "Apart"));
	free(apart.out);
	free(none.out);
}

static void check_names_a_host_that_runs_another_algorithm(void **state)
{
	RUN(checked,
		"{\"parameters\":{\"role\":\"leader\",\"health\":{\"ok\":false,\"problems\":["
		"\"other-algorithm: web3 runs another election algorithm\"]}}}",
		check_verb, 1, .json = false);

	(void)state;
	assert_int_equal(checked.code, ELECTCTL_DEGRADED);
	assert_non_null(strstr(checked.out, "other-algorithm: web3"));
	free(checked.out);
}

static void status_shows_hosts_with_other_keys(void **state)
{
	static const char answer[] =
		"{\"parameters\":{\"health\":{\"ok\":true,\"problems\":[]},\"other_keys\":["
		"{\"text\":\"key 2 from 10.0.0.7 (id of web4, seen here before), 31 a minute, not "
		"authentic\"},{\"text\":\"no key from 10.0.0.8\"}]}}";
	RUN(known, answer, status_verb, 1, .json = false);
	RUN(plain, answer, status_verb, 1, .json = false, .plain = true);
	RUN(none, "{\"parameters\":{\"other_keys\":[]}}", status_verb, 1, .json = false);
	RUN(older, "{\"parameters\":{}}", status_verb, 1, .json = false);
	RUN(checked, answer, check_verb, 1, .json = false);

	(void)state;
	assert_non_null(strstr(known.out,
		"Other key key 2 from 10.0.0.7 (id of web4, seen here before), 31 a minute, not\n"
		"          authentic\n"
		"          no key from 10.0.0.8\n"));
	assert_non_null(strstr(plain.out,
		"other_key\tkey 2 from 10.0.0.7 (id of web4, seen here before), 31 a minute, not "
		"authentic\nother_key\tno key from 10.0.0.8\n"));
	assert_null(strstr(none.out, "Other key"));
	assert_null(strstr(older.out, "Other key"));
	assert_int_equal(checked.code, ELECTCTL_OK);
	assert_null(strstr(checked.out, "key 2"));
	free(known.out);
	free(plain.out);
	free(none.out);
	free(older.out);
	free(checked.out);
}

static void status_lists_the_problems(void **state)
{
	RUN(r, "{\"parameters\":" NOBODY "}", status_verb, 1, .json = false);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_non_null(strstr(r.out, "Nobody leads \"default\""));
	assert_non_null(strstr(r.out, "Health    degraded\n          - No state.\n"));
	assert_null(strstr(r.out, "Token"));
	free(r.out);
}

static void status_as_json_is_the_reply_of_electd(void **state)
{
	json_t *printed, *expected = json_loads(LEADS, 0, NULL);
	RUN(r, "{\"parameters\":" LEADS "}", status_verb, 1, .json = true);

	(void)state;
	printed = json_loads(r.out, 0, NULL);
	assert_true(json_equal(printed, expected));
	json_decref(printed);
	json_decref(expected);
	free(r.out);
}

static void an_empty_answer_breaks_nothing(void **state)
{
	verb_fn *const verbs[] = { status_verb, leader_verb, is_leader_verb, members_verb };

	(void)state;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		for (int form = 0; form < 3; form++) {
			RUN(r, "{}", verbs[i], verbs[i] == members_verb && !form ? 2 : 1,
				.json = form == 1, .plain = form == 2);
			assert_in_range(r.code, ELECTCTL_OK, ELECTCTL_FALSE);
			free(r.out);
		}
	}
}

static void leader_prints_one_name_or_fails(void **state)
{
	RUN(yes, "{\"parameters\":" LEADS "}", leader_verb, 1, .json = false);
	RUN(no, "{\"parameters\":" NOBODY "}", leader_verb, 1, .json = false);

	(void)state;
	assert_int_equal(yes.code, ELECTCTL_OK);
	assert_string_equal(yes.out, "web1\n");
	assert_int_equal(no.code, ELECTCTL_FALSE);
	assert_string_equal(no.out, "");
	free(yes.out);
	free(no.out);
}

static void is_leader_prints_nothing(void **state)
{
	RUN(yes, "{\"parameters\":" LEADS "}", is_leader_verb, 1, .json = false);
	RUN(no, "{\"parameters\":" NOBODY "}", is_leader_verb, 1, .json = false);
	RUN(asks, "{\"parameters\":{\"role\":\"leader\",\"asking\":true}}", is_leader_verb, 1,
		.json = false);
	RUN(yields,
		"{\"parameters\":{\"role\":\"leader\",\"asking\":false,\"yielding\":{\"to\":null}}"
		"}",
		is_leader_verb, 1, .json = false);
	RUN(promotes,
		"{\"parameters\":{\"role\":\"leader\",\"asking\":false,"
		"\"promoting\":{\"rank\":\"address\"}}}",
		is_leader_verb, 1, .json = false);

	(void)state;
	assert_int_equal(yes.code, ELECTCTL_OK);
	assert_int_equal(promotes.code, ELECTCTL_FALSE);
	free(promotes.out);
	assert_int_equal(asks.code, ELECTCTL_FALSE);
	assert_int_equal(yields.code, ELECTCTL_FALSE);
	free(asks.out);
	free(yields.out);
	assert_int_equal(no.code, ELECTCTL_FALSE);
	assert_string_equal(yes.out, "");
	assert_string_equal(no.out, "");
	free(yes.out);
	free(no.out);
}

static void members_are_a_table(void **state)
{
	/* Both calls get one reply: the members for GetMembers, the rest for GetStatus. */
	RUN(r, "{\"parameters\":" LEADS "}", members_verb, 2, .json = false);

	(void)state;
	assert_string_equal(r.out,
		"RANK  NAME  ADDRESS         PRIO  STATE    HEARD\n"
		"   0  web1  192.0.2.1:7544   100  normal   -         leader, this host\n"
		"   1  web2  192.0.2.2:7544    90  silent   1.2 s\n");
	free(r.out);
}

static void members_names_why_a_host_may_not_lead(void **state)
{
	RUN(r,
		"{\"parameters\":{\"members\":[{\"id\":\"0f\",\"name\":\"web4\",\"address\":\"192."
		"0.2.4:7544\","
		"\"rank\":0,\"priority\":9,\"state\":\"alive\",\"last_heard_ms\":3,"
		"\"why_not\":\"sick (pg): connection refused\"}]}}",
		members_verb, 2, .json = false);

	(void)state;
	assert_non_null(strstr(r.out, "\nweb4 may not lead: sick (pg): connection refused\n"));
	free(r.out);
}

/* Q3 */
static void members_names_the_host_that_does_not_take_the_list(void **state)
{
	RUN(gone,
		"{\"parameters\":{\"list_untaken\":{\"id\":\"0f\",\"name\":\"web4\"}," MEMBERS "}}",
		members_verb, 2, .json = false);
	RUN(listed,
		"{\"parameters\":{\"list_untaken\":{\"id\":\"0f\",\"name\":\"web4\"},"
		"\"members\":[{\"id\":\"0f\",\"name\":\"web4\",\"address\":\"192.0.2.4:7544\","
		"\"rank\":"
		"1,\"priority\":9,\"state\":\"alive\",\"last_heard_ms\":3,\"list_untaken\":true}]}"
		"}",
		members_verb, 2, .json = false);
	RUN(nobody, "{\"parameters\":{\"list_untaken\":null," MEMBERS "}}", members_verb, 2,
		.json = false);

	(void)state;
	assert_string_equal(strstr(gone.out, "   1  web2"),
		"   1  web2  192.0.2.2:7544    90  silent   1.2 s\n"
		"   -  web4  -                  -  no list  -\n");
	assert_string_equal(listed.out,
		"RANK  NAME  ADDRESS         PRIO  STATE    HEARD\n"
		"   1  web4  192.0.2.4:7544     9  no list  3 ms\n");
	assert_null(strstr(nobody.out, "no list"));
	free(gone.out);
	free(listed.out);
	free(nobody.out);
}

static void members_reports_a_kernel_that_does_not_answer(void **state)
{
	RUN(r,
		"{\"parameters\":{\"health\":{\"ok\":false,\"problems\":[\"something else\","
		"\"early suspicion of web1 is off: its kernel does not answer\"]}," MEMBERS "}}",
		members_verb, 2, .json = false);

	(void)state;
	assert_non_null(
		strstr(r.out, "\nearly suspicion of web1 is off: its kernel does not answer\n"));
	assert_null(strstr(r.out, "something else"));
	free(r.out);
}

static void members_plain_are_separated_by_tabs(void **state)
{
	RUN(r, "{\"parameters\":" LEADS "}", members_verb, 1, .plain = true);

	(void)state;
	assert_string_equal(r.out,
		"0\tweb1\t192.0.2.1:7544\t100\tnormal\t-\t" HOST_A "\n"
		"1\tweb2\t192.0.2.2:7544\t90\tsilent\t1200\t" HOST_B "\n");
	free(r.out);
}

#define BY_LINKS                                                                                   \
	"{\"parameters\":{\"members\":["                                                           \
	"{\"id\":\"0e\",\"name\":\"web1\",\"self\":true,\"links\":[]},"                            \
	"{\"id\":\"0f\",\"name\":\"web2\",\"links\":["                                             \
	"{\"interface\":\"eth0\",\"address\":\"192.0.2.2\",\"last_heard_ms\":120,"                 \
	"\"state\":\"answers\"},"                                                                  \
	"{\"interface\":\"eth1\",\"address\":\"10.0.0.2\",\"last_heard_ms\":null,"                 \
	"\"state\":\"unanswered\"}]},"                                                             \
	"{\"id\":\"10\",\"name\":\"web3\",\"links\":[]}]}}"

static void members_are_shown_by_link(void **state)
{
	RUN(table, BY_LINKS, members_verb, 1, .links = true);
	RUN(plain, BY_LINKS, members_verb, 1, .links = true, .plain = true);

	(void)state;
	assert_string_equal(table.out,
		"NAME  INTERFACE   STATE       HEARD     ADDRESS\n"
		"web2  eth0        answers     120 ms    192.0.2.2\n"
		"web2  eth1        unanswered  -         10.0.0.2\n"
		"web3  -           -           -         -\n");
	assert_string_equal(plain.out,
		"web2\teth0\tanswers\t120\t192.0.2.2\t0f\n"
		"web2\teth1\tunanswered\t-\t10.0.0.2\t0f\n"
		"web3\t-\t-\t-\t-\t10\n");
	free(table.out);
	free(plain.out);
}

#define SNAPSHOT                                                                                   \
	"{\"continues\":true,\"parameters\":{\"seq\":\"0\",\"event\":\"snapshot\","                \
	"\"status\":" LEADS "}}"
#define CHANGE                                                                                     \
	"{\"continues\":true,\"parameters\":{\"seq\":\"7\",\"event\":\"members\","                 \
	"\"at\":\"2026-11-20T10:41:00.250Z\",\"boot_ms\":\"99\",\"reason\":\"dropped\","           \
	"\"cause\":{\"id\":\"" HOST_B "\",\"name\":\"web2\"},\"token\":\"1\",\"status\":" LEADS    \
	"}}"

static void watch_shows_the_state_and_every_change_until_electd_ends(void **state)
{
	RUN(r, SNAPSHOT "\0" CHANGE, watch_verb, 1, .count = -1);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_NOT_RUNNING);
	assert_string_equal(r.out,
		"now                     This host, web1, leads \"default\".\n"
		"10:41:00.250  members   2 hosts in web1.41: web2 joined its group\n");
	free(r.out);
}

#define WATCHED(kind, silence, alarms)                                                             \
	"{\"continues\":true,\"parameters\":{\"event\":\"" kind                                    \
	"\",\"at\":\"2026-11-20T10:41:00.250Z\",\"status\":{\"node\":{\"id\":\"0f\"},"             \
	"\"leader\":{\"id\":\"0e\",\"name\":\"web2\"},\"why\":\"it left\",\"token\":\"7\","        \
	"\"members\":[{},{}],\"patience\":{\"host\":{\"id\":\"0e\",\"name\":\"web2\"},"            \
	"\"ms\":600,\"silence_ms\":" silence ",\"false_alarms\":" alarms "}}}}"

static void watch_shows_the_adaptive_timeout(void **state)
{
	RUN(r,
		WATCHED("follower", "0", "1") "\0" WATCHED("state", "350", "3") "\0" WATCHED(
			"none", "350", "3"),
		watch_verb, 1, .count = -1);

	(void)state;
	assert_string_equal(r.out,
		"10:41:00.250  follower  web2 leads 2 hosts, token 7: it left; adaptive timeout\n"
		"                        600 ms longer (1 false suspicion of web2)\n"
		"10:41:00.250  state     no problem; adaptive timeout 600 ms longer, 350 ms\n"
		"                        longer for its kernel (3 false suspicions of web2)\n"
		"10:41:00.250  none      nobody leads: it left\n");
	free(r.out);
}

static void watch_counts_changes(void **state)
{
	RUN(none, SNAPSHOT "\0" CHANGE "\0" CHANGE, watch_verb, 1, .plain = true, .count = 0);
	RUN(one, SNAPSHOT "\0" CHANGE "\0" CHANGE, watch_verb, 1, .plain = true, .count = 1);

	(void)state;
	assert_int_equal(none.code, ELECTCTL_OK);
	assert_int_equal(one.code, ELECTCTL_OK);
	assert_string_equal(none.out,
		"0\tsnapshot\t\t0\tleader\tnormal\tweb1\tweb1.41\t2\t687865889\tjoined\tweb2\n");
	assert_string_equal(one.out + strlen(none.out),
		"7\tmembers\t2026-11-20T10:41:00.250Z\t99\tleader\tnormal\tweb1\tweb1.41\t2\t"
		"687865889\tdropped\tweb2\n");
	free(none.out);
	free(one.out);
}

#define EVENT(status)                                                                              \
	"{\"continues\":true,\"parameters\":{\"seq\":1,\"event\":\"state\",\"status\":" status "}" \
	"}"
#define LEADER_B                                                                                   \
	"{\"id\":\"" HOST_B "\",\"name\":\"web2\",\"address\":\"192.0.2.2\",\"self\":false}"
#define FOLLOWS STATUS("follower", LEADER_B, "9", "{\"ok\":true,\"problems\":[]}")

/* The subscription and the request get the same reply; the request's content is not read. */
static void resign_waits_until_another_host_leads(void **state)
{
	RUN(r, EVENT(LEADS) "\0" EVENT(NOBODY) "\0" EVENT(FOLLOWS), resign_verb, 2, .json = false);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(r.out, "web2 leads \"default\"; this host, web1, follows.\n");
	free(r.out);
}

static void resign_to_a_host_waits_until_that_host_leads(void **state)
{
	static const char replies[] = EVENT(LEADS) "\0" EVENT(NOBODY) "\0" EVENT(FOLLOWS);
	RUN(name, replies, resign_verb, 2, .to = "web2");
	RUN(id, replies, resign_verb, 2, .to = HOST_B);
	RUN(other, replies, resign_verb, 2, .to = "web3");

	(void)state;
	assert_int_equal(name.code, ELECTCTL_OK);
	assert_non_null(strstr(
		name.asked, "\"method\":\"io.electd.Resign\",\"parameters\":{\"to\":\"web2\"}"));
	assert_int_equal(id.code, ELECTCTL_OK);
	assert_int_equal(other.code, ELECTCTL_FALSE);
	assert_string_equal(other.out, "");
	free(name.out);
	free(id.out);
	free(other.out);
}

static void resign_of_a_follower_fails(void **state)
{
	RUN(r, EVENT(FOLLOWS), resign_verb, 1, .json = false);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_FALSE);
	assert_string_equal(r.out, "");
	free(r.out);
}

static void an_error_becomes_its_exit_code(void **state)
{
#define ERROR(name) "{\"error\":\"" name "\",\"parameters\":{}}"
	RUN(denied, ERROR("org.varlink.service.PermissionDenied"), resign_verb, 1, .json = false);
	RUN(unknown, ERROR("org.varlink.service.MethodNotFound"), resign_verb, 1, .json = false);
	RUN(failed, ERROR("io.electd.NotLeader"), resign_verb, 1, .json = false);
	RUN(rubbish, "[]", resign_verb, 1, .json = false);

	(void)state;
	assert_int_equal(denied.code, ELECTCTL_NOT_ALLOWED);
	assert_int_equal(unknown.code, ELECTCTL_PROTOCOL);
	assert_int_equal(failed.code, ELECTCTL_FALSE);
	assert_int_equal(rubbish.code, ELECTCTL_PROTOCOL);
	free(denied.out);
	free(unknown.out);
	free(failed.out);
	free(rubbish.out);
}

static void a_missing_electd_is_reported_as_not_running(void **state)
{
	char *const args[] = { NULL };
	struct options o = { .out = stdout, .quiet = true, .socket = "/nonexistent/io.electd" };

	(void)state;
	assert_int_equal(status_verb(&o, args), ELECTCTL_NOT_RUNNING);
	assert_int_equal(watch_verb(&o, args), ELECTCTL_NOT_RUNNING);
}

/* The exit code is neither 1, which means "no", nor "not running". */
static void a_refused_connection_has_its_own_exit_code(void **state)
{
	static verb_fn *const verbs[] = { is_leader_verb, leader_verb, status_verb, members_verb,
		watch_verb, history_verb, why_verb, check_verb, metrics_verb, reload_verb };

	(void)state;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		RUN(r, "{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}", verbs[i], 1,
			.count = -1);
		assert_int_equal(r.code, ELECTCTL_NO_PLACE);
		assert_int_equal(r.code, 9);
		assert_string_equal(r.out, "");
		free(r.out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refused_connection_has_its_own_exit_code),
		cmocka_unit_test(status_names_the_leader_the_time_and_the_reason),
		cmocka_unit_test(status_shows_a_waiting_promotion),
		cmocka_unit_test(status_shows_where_the_addresses_of_the_leader_are),
		cmocka_unit_test(status_counts_addresses_beyond_four),
		cmocka_unit_test(status_shows_a_waiting_hand_over),
		cmocka_unit_test(status_shows_how_long_the_host_is_barred),
		cmocka_unit_test(status_shows_hold_and_priority_0),
		cmocka_unit_test(status_shows_the_adaptive_timeout),
		cmocka_unit_test(status_names_the_crashed_host_that_is_waited_for),
		cmocka_unit_test(status_says_what_a_coordinator_waits_for_and_how_long),
		cmocka_unit_test(status_names_coordinators_of_other_groups),
		cmocka_unit_test(check_names_a_host_that_runs_another_algorithm),
		cmocka_unit_test(status_shows_hosts_with_other_keys),
		cmocka_unit_test(status_lists_the_problems),
		cmocka_unit_test(status_as_json_is_the_reply_of_electd),
		cmocka_unit_test(an_empty_answer_breaks_nothing),
		cmocka_unit_test(leader_prints_one_name_or_fails),
		cmocka_unit_test(is_leader_prints_nothing),
		cmocka_unit_test(members_are_a_table),
		cmocka_unit_test(members_names_why_a_host_may_not_lead),
		cmocka_unit_test(members_names_the_host_that_does_not_take_the_list),
		cmocka_unit_test(members_reports_a_kernel_that_does_not_answer),
		cmocka_unit_test(members_plain_are_separated_by_tabs),
		cmocka_unit_test(members_are_shown_by_link),
		cmocka_unit_test(watch_shows_the_state_and_every_change_until_electd_ends),
		cmocka_unit_test(watch_shows_the_adaptive_timeout),
		cmocka_unit_test(watch_counts_changes),
		cmocka_unit_test(resign_waits_until_another_host_leads),
		cmocka_unit_test(resign_to_a_host_waits_until_that_host_leads),
		cmocka_unit_test(resign_of_a_follower_fails),
		cmocka_unit_test(an_error_becomes_its_exit_code),
		cmocka_unit_test(a_missing_electd_is_reported_as_not_running),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
