/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of doctor, its output and its exit code. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "electctl/field.h"
#include "electctl/verbs/doctor/doctor.h"
#include "electctl/verbs/doctor/gather.h"
#include "electctl/verbs/doctor/judge/judge.h"
#include "facts.h"
#include "unit/dir.h"

/* ---- the output ------------------------------------------------------------------------------ */

static enum electctl_exit tell(json_t *facts, struct options o, char **ret_text)
{
	json_t *findings = json_array(), *list = json_array();
	enum electctl_exit code;
	size_t size;

	o.out = open_memstream(ret_text, &size);
	o.width = 80;
	judge(facts, findings);
	found_unlooked(list, UNLOOKED_CLOCKS);
	code = doctor_tell(&o, facts, findings, list);
	fclose(o.out);
	json_decref(findings);
	json_decref(list);
	json_decref(facts);
	return code;
}

static void a_healthy_host_is_reported_as_healthy(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(tell(healthy(), (struct options){ 0 }, &text), ELECTCTL_OK);
	assert_string_equal(text,
		"Healthy  no fault found; 2 other hosts hear this host\n"
		"Not examined:\n"
		"         wall clocks of other hosts: electd does not need them\n");
	free(text);
	assert_int_equal(tell(healthy(), (struct options){ .plain = true }, &text), ELECTCTL_OK);
	assert_string_equal(
		text, "unlooked\t-\twall clocks of other hosts\telectd does not need them\n");
	free(text);
}

static void a_hint_leaves_the_host_healthy(void **state)
{
	json_t *facts = healthy();
	char *text;

	(void)state;
	put(facts, "status.auth.authenticated", "false");
	assert_int_equal(tell(facts, (struct options){ 0 }, &text), ELECTCTL_OK);
	assert_string_equal(text,
		"Hint     there is no key file: every host on the LAN can take part\n"
		"  fix    man electd-security\n"
		"Healthy  no fault found; 2 other hosts hear this host\n"
		"Not examined:\n"
		"         wall clocks of other hosts: electd does not need them\n");
	free(text);
}

static void the_reason_for_an_interface_is_printed(void **state)
{
	json_t *facts = healthy();
	char *text;

	(void)state;
	put(facts, "doctor.paths.0.why", "'it has the default route'");
	assert_int_equal(tell(json_incref(facts), (struct options){ 0 }, &text), ELECTCTL_OK);
	assert_string_equal(text,
		"Healthy  no fault found; 2 other hosts hear this host\n"
		"Uses     eth0 10.0.0.1: it has the default route\n"
		"Not examined:\n"
		"         wall clocks of other hosts: electd does not need them\n");
	free(text);
	tell(json_incref(facts), (struct options){ .plain = true }, &text);
	assert_string_equal(text,
		"uses\teth0\t10.0.0.1\tit has the default route\n"
		"unlooked\t-\twall clocks of other hosts\telectd does not need them\n");
	free(text);
	tell(facts, (struct options){ .json = true }, &text);
	assert_non_null(strstr(text, "it has the default route"));
	free(text);
}

static void a_fault_is_printed_with_its_remedy(void **state)
{
	json_t *facts = healthy();
	char *text;

	(void)state;
	put(facts, "doctor.paths.0.carrier", "false");
	assert_int_equal(tell(facts, (struct options){ 0 }, &text), ELECTCTL_DEGRADED);
	assert_string_equal(text,
		"Fault    eth0 has no carrier\n"
		"  fix    ip link show dev eth0; then check its cable and the port of the switch\n"
		"Not examined:\n"
		"         wall clocks of other hosts: electd does not need them\n");
	assert_false(too_wide(text));
	free(text);
	facts = healthy();
	put(facts, "doctor.paths.0.carrier", "false");
	assert_int_equal(tell(facts, (struct options){ .plain = true }, &text), ELECTCTL_DEGRADED);
	assert_string_equal(text,
		"fault\tlink-down\teth0 has no carrier\tip link show dev eth0; then check its "
		"cable "
		"and the port of the switch\n"
		"unlooked\t-\twall clocks of other hosts\telectd does not need them\n");
	free(text);
}

static void programs_get_one_object(void **state)
{
	json_t *facts = healthy(), *object;
	char *text;

	(void)state;
	put(facts, "doctor.paths.0.carrier", "false");
	assert_int_equal(tell(facts, (struct options){ .json = true }, &text), ELECTCTL_DEGRADED);
	object = json_loads(text, 0, NULL);
	assert_int_equal(field_number(object, "schema", NULL, 0), 1);
	assert_true(json_is_false(json_object_get(object, "ok")));
	assert_string_equal(
		field_text(json_array_get(json_object_get(object, "findings"), 0), "name", NULL),
		"link-down");
	assert_string_equal(
		field_text(json_array_get(json_object_get(object, "unlooked"), 0), "what", NULL),
		"wall clocks of other hosts");
	json_decref(object);
	free(text);
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* One reply for all calls. It has no interface, so that nothing of the machine itself is used. */
#define ANSWER                                                                                     \
	"{\"parameters\":{\"asked_ms\":9,\"over\":true,\"domain_hash\":1,\"group\":"               \
	"\"224.0.0.254\",\"group_port\":7543,\"port\":0,\"timings\":{\"beacon_ms\":200,"           \
	"\"dead_after_ms\":600},\"paths\":[],\"hosts\":[],\"refused\":[],\"problems\":[],"         \
	"\"lag_ms\":0,\"gaps\":0,\"auth\":{\"authenticated\":true},\"domain\":\"default\","        \
	"\"reports\":[],\"hookd\":false}}"

static unsigned count(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

static void electd_is_called_again_after_its_question_is_over(void **state)
{
	RUN(r, ANSWER, doctor_verb, 5, .plain = true);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_DEGRADED);
	assert_int_equal(count(r.asked, "io.electd.Doctor"), 2);
	assert_int_equal(count(r.asked, "io.electd.GetStatus"), 1);
	assert_int_equal(count(r.asked, "io.electd.GetHealth"), 1);
	assert_int_equal(count(r.asked, "io.electd.GetHooks"), 1);
	assert_int_equal(count(r.out, "fault\t"), 1);
	assert_int_equal(count(r.out, "fault\tno-interface\t"), 1);
	assert_int_equal(count(r.out, "unlooked\t-\tscripts and units that follow"), 1);
	assert_int_equal(count(r.out, "unlooked\t-\tsystemd's units\t--socket"), 1);
	free(r.out);
}

static void an_electd_without_the_method_is_no_finding(void **state)
{
	RUN(r, "{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":{}}", doctor_verb,
		2, .plain = true);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_PROTOCOL);
	assert_string_equal(r.out, "");
	free(r.out);
}

static void the_host_is_examined_without_electd(void **state)
{
	char *const none[] = { NULL };
	struct options o = {
		.plain = true, .quiet = true, .timeout_ms = -1, .socket = "/nonexistent/io.electd"
	};
	char *text;
	size_t size;

	(void)state;
	o.out = open_memstream(&text, &size);
	assert_int_equal(doctor_verb(&o, none), ELECTCTL_NOT_RUNNING);
	fclose(o.out);
	assert_int_equal(count(text, "fault\tnot-running\t"), 1);
	assert_int_equal(count(text, "unlooked\t-\tthe LAN\t"), 1);
	assert_int_equal(count(text, "electd does not use it"), 0); /* the used ones are unknown */
	free(text);
}

/* ---- gathered facts -------------------------------------------------------------------------- */

static void units_are_read_as_systemctl_shows_them(void **state)
{
	static const char text[] = "Result=exit-code\nExecMainStatus=78\nId=electd.service\n"
				   "ActiveState=failed\n\nResult=success\nExecMainStatus=0\n"
				   "Id=electd-hookd.service\nActiveState=active\n";
	json_t *units = host_units_read(text), *none = host_units_read("");

	(void)state;
	assert_int_equal(json_array_size(units), 2);
	assert_string_equal(field_text(json_array_get(units, 0), "name", NULL), "electd.service");
	assert_string_equal(field_text(json_array_get(units, 0), "active", NULL), "failed");
	assert_int_equal(field_number(json_array_get(units, 0), "exit", NULL, 0), 78);
	assert_string_equal(
		field_text(json_array_get(units, 1), "name", NULL), "electd-hookd.service");
	assert_string_equal(field_text(json_array_get(units, 1), "result", NULL), "success");
	assert_int_equal(json_array_size(none), 0);
	json_decref(units);
	json_decref(none);
}

enum { PORTS = 3 };

/* A port that this process holds in one family; port 0: it was not free. */
struct held {
	int fd;
	unsigned port;
};

static struct held hold(int family, unsigned port)
{
	struct held h = { .fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0) };
	struct sockaddr_in6 address = { .sin6_family = (sa_family_t)family,
		.sin6_port = htons((uint16_t)port) }; /* also a valid IPv4 address */
	socklen_t size = family == AF_INET6 ? sizeof address : sizeof(struct sockaddr_in);
	int on = 1;

	if (family == AF_INET6)
		setsockopt(h.fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (!bind(h.fd, (struct sockaddr *)&address, size) &&
		!getsockname(h.fd, (struct sockaddr *)&address, &size))
		h.port = ntohs(address.sin6_port);
	return h;
}

static void assert_told(json_t *taken, unsigned port, unsigned last)
{
	char who[64];

	assert_non_null(taken);
	assert_int_equal(field_number(taken, "port", NULL, 0), port);
	assert_int_equal(field_number(taken, "last", NULL, 0), last);
	snprintf(who, sizeof who, "process %d (", getpid());
	assert_non_null(strstr(field_text(taken, "who", NULL), who));
	snprintf(who, sizeof who, "uid %u", getuid());
	assert_non_null(strstr(field_text(taken, "who", NULL), who));
	json_decref(taken);
}

/* The port is bound exclusively, so that electd could not bind it. */
static void the_owner_of_the_group_port_is_named(void **state)
{
	static const int families[] = { AF_INET, AF_INET6 };
	struct in_addr group;

	(void)state;
	inet_pton(AF_INET, "224.0.0.254", &group);
	for (unsigned i = 0; i < 2; i++) {
		struct held h = hold(families[i], 0);

		if (h.fd < 0)
			continue; /* no IPv6 here */
		assert_int_not_equal(h.port, 0);
		assert_told(port_group_taken(&group, h.port), h.port, h.port);
		close(h.fd);
		assert_null(port_group_taken(&group, h.port));
	}
}

/* The first of three consecutive free ports; 0: there are none. */
static unsigned hold_a_range(int family, struct held h[PORTS])
{
	for (unsigned first = 20000, count; first < 30000; first += PORTS) {
		for (count = 0; count < PORTS; count++) {
			h[count] = hold(family, first + count);
			if (h[count].port != first + count)
				break;
		}
		if (count == PORTS)
			return first;
		for (unsigned i = 0; i <= count; i++)
			close(h[i].fd);
	}
	return 0;
}

static void the_owner_of_all_ports_of_a_range_is_named(void **state)
{
	static const int families[] = { AF_INET, AF_INET6 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct held h[PORTS];
		unsigned first = hold_a_range(families[i], h);

		if (!first)
			continue; /* no IPv6 here */
		assert_told(port_range_taken(first, first + PORTS - 1), first, first + PORTS - 1);
		close(h[1].fd);
		assert_null(port_range_taken(first, first + PORTS - 1));
		close(h[0].fd);
		close(h[2].fd);
	}
}

/* ---- a compromised electd -------------------------------------------------------------------- */

/* The file contains 7, at a path to which the name of an interface would lead out of /proc. */
static void the_name_of_an_interface_is_not_used_as_a_path(void **state)
{
	static const char format[] = "{\"hosts\":[{\"by\":[{\"address\":\"127.0.0.9\"}]}],"
				     "\"paths\":[{\"interface\":\"../../../../..%s\","
				     "\"address\":\"127.0.0.1\",\"prefix\":8}]}";
	char text[512], file[96];
	json_t *doctor, *routes;
	FILE *f;

	(void)state;
	assert_int_equal(dir_made_in("/tmp", "doctor"), 0);
	snprintf(file, sizeof file, "%s/rp_filter", dir);
	f = fopen(file, "we");
	assert_true(f && fputs("7\n", f) >= 0 && !fclose(f));
	snprintf(text, sizeof text, format, dir);
	doctor = json_loads(text, 0, NULL);
	routes = routes_of_host(doctor);
	assert_int_equal(json_array_size(routes), 1);
	assert_int_not_equal(field_number(json_array_get(routes, 0), "rp_filter", NULL, -1), 7);
	json_decref(routes);
	json_decref(doctor);
	dir_removed(NULL);
}

static void an_address_that_is_no_group_is_not_joined(void **state)
{
	json_t *facts = healthy();
	struct ear ear;

	(void)state;
	assert_int_equal(ear_open(facts, "127.0.0.1", 7543, &ear), -EINVAL);
	assert_int_equal(ear_open(facts, "0.0.0.0", 7543, &ear), -EINVAL);
	json_decref(facts);
}

/* In a network namespace with only lo: 127.0.0.1 is an address of this host, 192.0.2.1 is not. */
static int asks_on_lo(void)
{
	static const char said[] = "{\"paths\":[{\"interface\":\"lo\",\"address\":\"127.0.0.1\"},"
				   "{\"interface\":\"lo\",\"address\":\"192.0.2.1\"}]}";
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	struct sockaddr_ll from;
	socklen_t size = sizeof from;
	struct ether_arp question;
	unsigned own = 0, others = 0;
	int fd;

	if (unshare(CLONE_NEWNET))
		return CHILD_CANNOT;
	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ARP));
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &up) < 0 || arp_ask(json_loads(said, 0, NULL)) < 0)
		return CHILD_CANNOT;
	while (recvfrom(fd, &question, sizeof question, 0, (struct sockaddr *)&from, &size) > 0) {
		size = sizeof from;
		*(question.arp_tpa[0] == 127 ? &own : &others) += 1;
	}
	return !own || others;
}

static void only_addresses_of_this_host_are_probed_by_arp(void **state)
{
	(void)state;
	assert_in_child(asks_on_lo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_host_is_reported_as_healthy),
		cmocka_unit_test(a_hint_leaves_the_host_healthy),
		cmocka_unit_test(the_reason_for_an_interface_is_printed),
		cmocka_unit_test(a_fault_is_printed_with_its_remedy),
		cmocka_unit_test(programs_get_one_object),
		cmocka_unit_test(electd_is_called_again_after_its_question_is_over),
		cmocka_unit_test(an_electd_without_the_method_is_no_finding),
		cmocka_unit_test(the_host_is_examined_without_electd),
		cmocka_unit_test(units_are_read_as_systemctl_shows_them),
		cmocka_unit_test(the_name_of_an_interface_is_not_used_as_a_path),
		cmocka_unit_test(an_address_that_is_no_group_is_not_joined),
		cmocka_unit_test(only_addresses_of_this_host_are_probed_by_arp),
		cmocka_unit_test(the_owner_of_the_group_port_is_named),
		cmocka_unit_test(the_owner_of_all_ports_of_a_range_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
