/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs that the own link works. A second namespace has the far ends of the cables and is the
 * gateway, a third one is a guest. This program stays on one processor and all neighbours are
 * known, so what was sent has arrived when a later packet is answered; no test waits for something
 * that must not come.
 */
#define _GNU_SOURCE /* setns, unshare */

#include "net/life.h"

#include "net/frames.h"
#include "net/net.h"
#include "unit/dir.h"
#include "unit/patience.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
	SKIPPED = 77,
	PORT = 7544,
	FRAME = 2048,
	MANY = 60,   /* interfaces, whose table is longer than one read */
	TRIES = 100, /* more than questions at once */
	NOBODY = 65534,
};

/* The far end of CABLE is far-CABLE. `card` and `guest` are ports of br0. */
enum cable { ETH0, ETH1, SPARE, CARD, GUEST, CABLES };
static const char *const cables[CABLES] = { "eth0", "eth1", "spare", "card", "guest" };

static int here, there, inside; /* the namespaces: this host, the gateway, the guest */
static int far[CABLES];		/* packet sockets of the far ends */

static struct event_base *base;
static struct net_life *life;
static unsigned signs[ELECT_SIGNS];

static const struct elect_id lost = { .bytes = { 7 } }, another = { .bytes = { 8 } };

/* The paths to the lost host. */
static struct elect_ways ways;

/* ---- the namespaces -------------------------------------------------------------------------- */

static bool feed(const char *program, const char *text)
{
	FILE *pipe = popen(program, "w");

	return pipe && fputs(text, pipe) >= 0 && pclose(pipe) == 0;
}

static bool feed_in(int namespace, const char *program, const char *text)
{
	bool well = setns(namespace, CLONE_NEWNET) == 0 && feed(program, text);

	return setns(here, CLONE_NEWNET) == 0 && well;
}

static int far_of(enum cable cable)
{
	return cable == GUEST ? inside : there;
}

static void ip(const char *lines)
{
	assert_true(feed("ip -batch -", lines));
}

static const char no_table[] = "delete table inet test";

/* A table with a verdict for questions to gateways. A kernel without it skips the test. */
static void filter(int namespace, const char *hook, const char *verdict)
{
	char text[256];

	snprintf(text, sizeof(text),
		"table inet test { chain c { type filter hook %s priority 0; tcp dport %d %s; }; }",
		hook, PORT, verdict);
	if (!feed_in(namespace, "nft -f -", text))
		skip();
}

static bool runs(const char *interface)
{
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool well;

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	well = ioctl(fd, SIOCGIFFLAGS, &request) == 0 && request.ifr_flags & IFF_RUNNING;
	close(fd);
	return well;
}

/* A worker of the kernel notices a carrier up to a second later, and nothing is sent before. */
static void await_carrier(const char *interface, bool carrier)
{
	for (int round = 0; round < PATIENCE_ROUNDS && runs(interface) != carrier; round++)
		poll(NULL, 0, PATIENCE_ROUND_MS);
}

static int open_far(enum cable cable)
{
	char name[IF_NAMESIZE];
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd;

	if (setns(far_of(cable), CLONE_NEWNET))
		return -1;
	snprintf(name, sizeof(name), "far-%s", cables[cable]);
	await_carrier(name, true);
	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	at.sll_ifindex = (int)if_nametoindex(name);
	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) || setns(here, CLONE_NEWNET))
		return -1;
	await_carrier(cables[cable], true);
	return fd;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static uint64_t received_by(const char *interface)
{
	FILE *table = fopen("/proc/self/net/dev", "re");
	char line[FRAME], name[FRAME];
	unsigned long long frames, found = 0;

	while (fgets(line, sizeof(line), table))
		if (sscanf(line, " %[^:]: %*u %llu", name, &frames) == 2 &&
			!strcmp(name, interface))
			found = frames;
	fclose(table);
	return found;
}

/* Lets frames come in by a cable. */
static void come_in(enum cable cable, unsigned count)
{
	const struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_LOOPBACK),
		.sll_halen = ETH_ALEN,
		.sll_addr = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	};
	struct sockaddr_ll by = to;
	uint64_t wanted = received_by(cables[cable]) + count;
	socklen_t size = sizeof(by);

	assert_int_equal(getsockname(far[cable], (struct sockaddr *)&by, &size), 0);
	by.sll_protocol = to.sll_protocol;
	by.sll_halen = to.sll_halen;
	memcpy(by.sll_addr, to.sll_addr, sizeof(by.sll_addr));
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(
			sendto(far[cable], "frame", 5, 0, (struct sockaddr *)&by, sizeof(by)), 5);
	for (int i = 0; i < PATIENCE_ROUNDS && received_by(cables[cable]) < wanted; i++)
		poll(NULL, 0, PATIENCE_ROUND_MS);
	assert_int_equal(received_by(cables[cable]), wanted);
}

/* ---- tries ----------------------------------------------------------------------------------- */

static const struct elect_address own[CABLES] = {
	[ETH0] = { { 10, 77, 0, 1 }, 0, 4 },
	[ETH1] = { { 10, 78, 0, 1 }, 0, 4 },
	[SPARE] = { { 10, 76, 0, 1 }, 0, 4 },
};
static const struct elect_address own6 = { { 0xfe, 0x80, [15] = 1 }, 0, 6 };
static const struct elect_address bridge = { { 10, 79, 0, 1 }, 0, 4 };

static const struct elect_address gateways[CABLES] = {
	[ETH0] = { { 10, 77, 0, 254 }, 0, 4 },
	[ETH1] = { { 10, 78, 0, 254 }, 0, 4 },
	[CARD] = { { 10, 79, 0, 254 }, 0, 4 },
	[GUEST] = { { 10, 79, 0, 253 }, 0, 4 },
};

static struct net_path path_of(
	const char *interface, const struct elect_address *address, const char *frames_at)
{
	unsigned ifindex = if_nametoindex(interface);

	assert_true(ifindex > 0);
	return (struct net_path){
		.link = net_link_number(ifindex, address->family),
		.ifindex = ifindex,
		.address = *address,
		.prefix = 24,
		.carrier = true,
		.frames_at = frames_at ? if_nametoindex(frames_at) : 0,
	};
}

static struct net_path card(enum cable cable)
{
	return path_of(cables[cable], &own[cable], cables[cable]);
}

static unsigned all_signs(void)
{
	return signs[ELECT_SIGN_FRAMES] + signs[ELECT_SIGN_GATEWAY];
}

static void turn(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
}

static void try_for(const struct elect_id *id, const struct net_path *path)
{
	unsigned before = all_signs();

	net_life_try(life, path, PORT, &ways, id);
	assert_int_equal(all_signs(), before); /* never from within the call */
}

static void try_by(const struct net_path *path)
{
	try_for(&lost, path);
}

/* Frames are reported at the next turn of the loop. */
static unsigned frames_found(const struct net_path *path)
{
	unsigned before = signs[ELECT_SIGN_FRAMES];

	try_by(path);
	turn();
	return signs[ELECT_SIGN_FRAMES] - before;
}

static void await_gateway(void)
{
	for (int i = 0; i < PATIENCE_ROUNDS && !signs[ELECT_SIGN_GATEWAY]; i++) {
		turn();
		poll(NULL, 0, signs[ELECT_SIGN_GATEWAY] ? 0 : 1);
	}
	assert_true(signs[ELECT_SIGN_GATEWAY] > 0);
}

/* Asks a gateway at another port, and waits for its answer: earlier answers have arrived. */
static void fence(enum cable cable)
{
	const struct elect_address *to = &gateways[cable];
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT - 1) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(&at.sin_addr, to->bytes, sizeof(at.sin_addr));
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), -1);
	assert_int_equal(errno, ECONNREFUSED);
	close(fd);
	turn();
}

/* How many questions to its gateway have arrived at that far end, of IPv4. */
static unsigned questions_at(enum cable cable)
{
	uint8_t frame[FRAME];
	unsigned count = 0;
	ssize_t size;

	while ((size = recv(far[cable], frame, sizeof(frame), 0)) > 0) {
		const struct iphdr *h = (const void *)frame;
		const struct tcphdr *t = (const void *)(h + 1);

		count += (size_t)size >= sizeof(*h) + sizeof(*t) && h->version == 4 &&
			h->protocol == IPPROTO_TCP && t->dest == htons(PORT) && t->syn &&
			!memcmp(&h->daddr, gateways[cable].bytes, 4);
	}
	return count;
}

static void nothing_is_asked(const struct net_path *path)
{
	try_by(path);
	fence(ETH0);
	fence(ETH1);
	for (enum cable i = 0; i < CABLES; i++)
		assert_int_equal(questions_at(i), 0);
	assert_int_equal(signs[ELECT_SIGN_GATEWAY], 0);
}

/* ---- set up ---------------------------------------------------------------------------------- */

static void on_sign(void *user, const struct elect_id *id, enum elect_sign sign)
{
	(void)user;
	assert_true(elect_id_equal(id, &lost) || elect_id_equal(id, &another));
	signs[sign]++;
}

static int set_up(void **state)
{
	(void)state;
	memset(signs, 0, sizeof(signs));
	ways = (struct elect_ways){ 1, { { { { 10, 77, 0, 9 }, PORT, 4 }, 1 } } };
	base = event_base_new();
	life = base ? net_life_new(base, on_sign, NULL) : NULL;
	for (enum cable i = 0; i < CABLES; i++)
		questions_at(i);
	return life ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	net_life_free(life);
	event_base_free(base);
	/* whatever a test has left */
	feed("ip -4 -force -batch - 2>/dev/null", "route del default\nroute del default\n");
	feed("ip -6 -force -batch - 2>/dev/null", "route del default\nroute del default\n");
	feed("nft -f - 2>/dev/null", no_table);
	feed_in(there, "nft -f - 2>/dev/null", no_table);
	return 0;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void frames_count_from_the_first_try_on(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	come_in(ETH0, 5);
	assert_int_equal(frames_found(&path), 0);
	come_in(ETH0, NET_LIFE_FRAMES);
	assert_int_equal(frames_found(&path), 1);
	assert_int_equal(frames_found(&path), 1); /* each try finds them */
	net_life_forget(life);
	assert_int_equal(frames_found(&path), 0);
}

static void one_frame_is_not_enough(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	try_by(&path);
	come_in(ETH0, 1);
	assert_int_equal(frames_found(&path), 0);
	come_in(ETH0, 1);
	assert_int_equal(frames_found(&path), 1);
}

static void frames_count_for_one_lost_host(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	try_by(&path);
	come_in(ETH0, 2);
	try_for(&another, &path);
	turn();
	assert_int_equal(all_signs(), 0);
}

static void frames_count_for_their_own_interface(void **state)
{
	const struct net_path path = card(ETH0), spare = card(SPARE);

	(void)state;
	try_by(&path);
	try_by(&spare);
	come_in(SPARE, 2);
	assert_int_equal(frames_found(&path), 0);
	assert_int_equal(frames_found(&spare), 1);
}

static void frames_that_were_found_before_a_stall_are_not_reported(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	try_by(&path);
	come_in(ETH0, 2);
	try_by(&path);
	net_life_forget(life);
	turn();
	assert_int_equal(all_signs(), 0);
}

/* The bridge receives what its guests send, too. */
static void the_frames_of_a_guest_do_not_count(void **state)
{
	const struct net_path path = path_of("br0", &bridge, "card");
	uint64_t before = received_by("br0");

	(void)state;
	try_by(&path);
	come_in(GUEST, 5);
	assert_int_equal(frames_found(&path), 0);
	assert_true(received_by("br0") >= before + 5);
	come_in(CARD, 2);
	assert_int_equal(frames_found(&path), 1);
}

static void frames_of_unknown_origin_do_not_count(void **state)
{
	const struct net_path path = path_of("br0", &bridge, NULL);

	(void)state;
	try_by(&path);
	come_in(CARD, 5);
	assert_int_equal(frames_found(&path), 0);
}

/* Another port of the bridge has the cable now. */
static void frames_count_anew_at_another_card(void **state)
{
	struct net_path path = path_of("br0", &bridge, "card");

	(void)state;
	try_by(&path);
	come_in(GUEST, 2);
	path.frames_at = if_nametoindex("guest");
	assert_int_equal(frames_found(&path), 0);
	come_in(GUEST, 2);
	assert_int_equal(frames_found(&path), 1);
}

static void an_interface_may_get_another_name(void **state)
{
	const struct net_path path = card(SPARE);

	(void)state;
	try_by(&path);
	come_in(SPARE, 2);
	ip("link set spare down\nlink set spare name other\n");
	assert_int_equal(frames_found(&path), 1);
	ip("link set other name spare\nlink set spare up\n");
	await_carrier("spare", true);
}

static void an_interface_that_is_gone_has_no_frames(void **state)
{
	struct net_path path = card(ETH0);

	(void)state;
	path.frames_at = 100000;
	try_by(&path);
	come_in(ETH0, 2);
	assert_int_equal(frames_found(&path), 0);
}

/* Wherever it is in the table, which is read in parts. */
static void an_interface_is_found_among_many(void **state)
{
	char lines[MANY * 40] = "", name[IF_NAMESIZE];
	uint64_t frames;

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		sprintf(lines + strlen(lines), "link add many%u type bridge\n", i);
	ip(lines);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many%u", i);
		assert_true(net_frames(if_nametoindex(name), &frames));
		assert_int_equal(frames, 0);
	}
	for (enum cable i = 0; i < CABLES; i++) {
		assert_true(net_frames(if_nametoindex(cables[i]), &frames));
		assert_int_equal(frames, received_by(cables[i]));
	}
	for (char *at = lines; (at = strstr(at, "add ")); at += 4)
		memcpy(at, "del ", 4);
	ip(lines);
}

/* ---- gateways -------------------------------------------------------------------------------- */

static void a_gateway_answers(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	ip("route add default via 10.77.0.254\n");
	try_by(&path);
	await_gateway();
	assert_int_equal(questions_at(ETH0), 1);
}

static void a_gateway_of_ipv6_answers(void **state)
{
	const struct net_path path = path_of("eth1", &own6, "eth1");

	(void)state;
	ip("route add default via fe80::fe dev eth1\n");
	try_by(&path);
	await_gateway();
}

static void each_path_asks_its_own_gateway(void **state)
{
	const struct net_path path = card(ETH0), path1 = card(ETH1);

	(void)state;
	ip("route add default via 10.77.0.254 metric 9\nroute add default via 10.78.0.254\n");
	try_by(&path);
	fence(ETH0);
	assert_int_equal(questions_at(ETH0), 1);
	assert_int_equal(questions_at(ETH1), 0);
	try_by(&path1);
	fence(ETH1);
	assert_int_equal(questions_at(ETH1), 1);
	assert_int_equal(signs[ELECT_SIGN_GATEWAY], 2);
}

static void each_hop_of_a_route_is_the_gateway_of_its_interface(void **state)
{
	const struct net_path path = card(ETH0), path1 = card(ETH1);

	(void)state;
	ip("route add default nexthop via 10.77.0.254 nexthop via 10.78.0.254\n");
	try_by(&path);
	try_by(&path1);
	fence(ETH0);
	fence(ETH1);
	assert_int_equal(questions_at(ETH0), 1);
	assert_int_equal(questions_at(ETH1), 1);
	assert_int_equal(signs[ELECT_SIGN_GATEWAY], 2);
}

/* A VPN for all traffic leaves the card's routes behind its own ones. */
static void a_gateway_is_found_behind_the_routes_of_a_tunnel(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	ip("link add tunnel type bridge\nlink set tunnel up\n"
	   "route add default via 10.77.0.254\nroute add 10.77.0.254/32 dev tunnel\n"
	   "route add 0.0.0.0/1 dev tunnel\nroute add 128.0.0.0/1 dev tunnel\n");
	try_by(&path);
	await_gateway();
	ip("link del tunnel\n");
}

static void without_a_gateway_nothing_is_asked(void **state)
{
	const struct net_path path = card(ETH0), path6 = path_of("eth1", &own6, "eth1");

	(void)state;
	nothing_is_asked(&path);
	ip("route add default dev eth0\n"); /* no router, but the whole world on the cable */
	nothing_is_asked(&path);
	nothing_is_asked(&path6);
}

static void a_gateway_of_another_interface_is_not_asked(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	ip("route add default via 10.78.0.254\n");
	nothing_is_asked(&path);
}

static void a_gateway_of_the_other_family_is_not_asked(void **state)
{
	const struct net_path path = card(ETH1), path6 = path_of("eth1", &own6, "eth1");

	(void)state;
	assert_true(feed("ip -4 -batch -", "route add default via inet6 fe80::fe dev eth1\n"));
	nothing_is_asked(&path);
	nothing_is_asked(&path6);
}

static void the_lost_host_is_not_asked_as_a_gateway(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	ip("route add default via 10.77.0.254\n");
	ways.items[ways.count++] = (struct elect_way){ gateways[ETH0], 1 };
	nothing_is_asked(&path);
}

/* A hook has added the address of the former gateway. */
static void this_host_is_not_asked_as_a_gateway(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	ip("route add default via 10.77.0.254\naddr add 10.77.0.254/32 dev eth1\n");
	try_by(&path);
	fence(ETH1);
	assert_int_equal(questions_at(ETH0), 0);
	assert_int_equal(all_signs(), 0);
	ip("addr del 10.77.0.254/32 dev eth1\n");
}

static void a_firewall_of_the_gateway_keeps_silent(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	filter(there, "input", "drop");
	ip("route add default via 10.77.0.254\n");
	try_by(&path);
	fence(ETH0);
	assert_int_equal(questions_at(ETH0), 1);
	assert_int_equal(all_signs(), 0);
}

static void a_firewall_of_the_gateway_answers(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	filter(there, "input", "reject");
	ip("route add default via 10.77.0.254\n");
	try_by(&path);
	await_gateway();
}

/* Such an answer in the name of the gateway comes although the cable is cut. */
static void a_firewall_of_this_host_is_no_gateway(void **state)
{
	static const char *const answers[] = { "reject", "reject with tcp reset" };
	const struct net_path path = card(ETH0), path6 = path_of("eth1", &own6, "eth1");

	(void)state;
	ip("route add default via 10.77.0.254\nroute add default via fe80::fe dev eth1\n");
	for (unsigned i = 0; i < 2; i++) {
		filter(here, "output", answers[i]);
		nothing_is_asked(&path);
		nothing_is_asked(&path6);
		assert_true(feed("nft -f -", no_table));
	}
}

static void a_gateway_that_is_a_guest_is_no_sign(void **state)
{
	const struct net_path path = path_of("br0", &bridge, "card");

	(void)state;
	ip("route add default via 10.79.0.253\n");
	try_by(&path);
	fence(GUEST);
	assert_int_equal(questions_at(GUEST), 1);
	assert_int_equal(all_signs(), 0);
	ip("route replace default via 10.79.0.254\n");
	try_by(&path);
	await_gateway();
}

/* The second question gets no answer. */
static void an_answer_of_a_gateway_from_before_a_stall_is_dropped(void **state)
{
	const struct net_path path = card(ETH0);

	(void)state;
	ip("route add default via 10.77.0.254\n");
	try_by(&path);
	for (int i = 0; i < PATIENCE_ROUNDS && !questions_at(ETH0); i++)
		poll(NULL, 0, PATIENCE_ROUND_MS);
	filter(there, "input", "drop");
	net_life_forget(life);
	try_by(&path);
	fence(ETH0);
	assert_int_equal(questions_at(ETH0), 1);
	assert_int_equal(all_signs(), 0);
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void tries_leave_no_descriptor_open(void **state)
{
	const struct net_path path = card(ETH0);
	unsigned before = open_descriptors();

	(void)state;
	ip("route add default via 10.77.0.254\n");
	for (unsigned i = 0; i < TRIES; i++)
		try_by(&path);
	fence(ETH0);
	assert_true(signs[ELECT_SIGN_GATEWAY] > 0);
	assert_int_equal(open_descriptors(), before);
}

static bool gateway_answers_by(const struct net_path *path)
{
	net_life_try(life, path, PORT, &ways, &lost);
	for (int i = 0; i < PATIENCE_ROUNDS && !signs[ELECT_SIGN_GATEWAY]; i++) {
		turn();
		poll(NULL, 0, 1);
	}
	return signs[ELECT_SIGN_GATEWAY]-- > 0;
}

/* As the unit of systemd runs electd. */
static int as_nobody(void)
{
	const struct net_path path = card(ETH0), path6 = path_of("eth1", &own6, "eth1");

	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return CHILD_CANNOT;
	return event_reinit(base) || !gateway_answers_by(&path) || !gateway_answers_by(&path6);
}

/* The second gateway of IPv6 is not link-local, but the address of the path is. */
static void a_gateway_is_asked_without_privileges(void **state)
{
	(void)state;
	ip("route add default via 10.77.0.254\nroute add default via fe80::fe dev eth1\n");
	assert_in_child(as_nobody);
	ip("route replace default via 2001:db8::fe dev eth1\n");
	assert_in_child(as_nobody);
}

/* ---- all of net ------------------------------------------------------------------------------ */

static void nothing(void *user)
{
	(void)user;
}

static struct net *open_net(const char *const *interface)
{
	const struct net_handler handler = {
		.before = nothing,
		.link_lives = on_sign,
		.changed = nothing,
	};
	const struct net_config config = {
		.group4 = { .bytes = { 224, 0, 0, 254 }, .port = PORT - 1, .family = 4 },
		.group6 = { .bytes = { 0xff, 2, [14] = 1, 0x14 }, .port = PORT - 1, .family = 6 },
		.families = NET_IPV4,
		.port_first = PORT,
		.port_last = PORT + 3,
		.patterns = interface,
		.patterns_count = 1,
	};
	struct net *net;
	uint16_t taken;

	assert_int_equal(net_open(&net, base, &config, &handler, NULL, &taken), 0);
	assert_int_equal(net_start(net), 0);
	ways.items[0].link = net_path_at(net, 0)->link;
	return net;
}

static void signs_are_reported_by_the_net(void **state)
{
	struct net *net = open_net(&cables[ETH0]);

	(void)state;
	ip("route add default via 10.77.0.254\n");
	net_try_link(net, &ways, &lost, true);
	assert_int_equal(all_signs(), 0);
	await_gateway();
	signs[ELECT_SIGN_GATEWAY] = 0;
	net_try_link(net, &ways, &lost, false);
	net_discard(net);
	fence(ETH0);
	assert_int_equal(all_signs(), 0);
	net_close(net);
}

/* The first of the tries drops what was asked before. */
static void a_first_try_begins_anew(void **state)
{
	struct net *net = open_net(&cables[ETH0]);

	(void)state;
	ip("route add default via 10.77.0.254\n");
	net_try_link(net, &ways, &lost, false);
	net_try_link(net, &ways, &lost, true);
	net_try_link(net, &ways, &lost, false);
	fence(ETH0);
	assert_int_equal(questions_at(ETH0), 3);
	assert_int_equal(signs[ELECT_SIGN_GATEWAY], 2);
	net_close(net);
}

/* The link runs again, but the net has not looked yet. */
static void nothing_is_tried_without_a_carrier(void **state)
{
	struct net *net;

	(void)state;
	ip("route add default via 10.77.0.254\n");
	assert_true(feed_in(there, "ip -batch -", "link set far-eth0 down\n"));
	await_carrier("eth0", false);
	net = open_net(&cables[ETH0]);
	assert_true(feed_in(there, "ip -batch -",
		"link set far-eth0 up\n"
		"neigh replace 10.77.0.1 lladdr 02:00:00:00:00:00 dev far-eth0\n"));
	await_carrier("eth0", true);
	questions_at(ETH0); /* the socket reports the lost carrier once */
	net_try_link(net, &ways, &lost, true);
	fence(ETH1);
	assert_int_equal(questions_at(ETH0), 0);
	net_close(net);
}

/* The ports of the bridge are veths, of which the net does not know that a cable is behind them. */
static void the_net_knows_where_guests_are(void **state)
{
	static const char *const interface = "br0";
	struct net *net = open_net(&interface);

	(void)state;
	net_try_link(net, &ways, &lost, true);
	come_in(GUEST, 5);
	net_try_link(net, &ways, &lost, false);
	turn();
	assert_int_equal(all_signs(), 0);
	net_close(net);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static bool on_one_processor(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : (unsigned)cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0;
}

/* Only eth1 has IPv6, which sends frames of its own. */
static bool set_ipv6(const char *interface, const char *off)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", interface);
	file = fopen(path, "we");
	return file && fputs(off, file) >= 0 && fclose(file) == 0;
}

/* The own end of cable N has the address 02::N, the far end 06::N. */
static bool make_cable(enum cable cable)
{
	const char *name = cables[cable];
	char lines[512];

	snprintf(lines, sizeof(lines),
		"link add %s address 02:00:00:00:00:0%d type veth"
		" peer name far-%s address 06:00:00:00:00:0%d\n"
		"link set %s addrgenmode none\nlink set far-%s addrgenmode none\n"
		"link set far-%s netns /proc/%d/fd/%d\nlink set %s up\n",
		name, (int)cable, name, (int)cable, name, name, name, (int)getpid(), far_of(cable),
		name);
	if (!feed("ip -batch -", lines) || (cable == ETH1 && !set_ipv6(name, "0")))
		return false;
	snprintf(lines, sizeof(lines), "link set far-%s up\n", name);
	return feed_in(far_of(cable), "ip -batch -", lines);
}

static const char lines_here[] = "link set lo up\n"
				 "link add br0 address 02:00:00:00:00:0b type bridge\n"
				 "link set br0 addrgenmode none\nlink set br0 up\n"
				 "link set card master br0\nlink set guest master br0\n"
				 "addr add 10.77.0.1/24 dev eth0\n"
				 "addr add fe80::1/64 dev eth1 nodad\n"
				 "addr add 2001:db8::1/64 dev eth1 nodad\n"
				 "addr add 10.78.0.1/24 dev eth1\n"
				 "addr add 10.79.0.1/24 dev br0\n"
				 "neigh add 10.77.0.254 lladdr 06:00:00:00:00:00 dev eth0\n"
				 "neigh add fe80::fe lladdr 06:00:00:00:00:01 dev eth1\n"
				 "neigh add 2001:db8::fe lladdr 06:00:00:00:00:01 dev eth1\n"
				 "neigh add 10.78.0.254 lladdr 06:00:00:00:00:01 dev eth1\n"
				 "neigh add 10.79.0.254 lladdr 06:00:00:00:00:03 dev br0\n"
				 "neigh add 10.79.0.253 lladdr 06:00:00:00:00:04 dev br0\n";

static const char lines_there[] = "link set lo up\n"
				  "addr add 10.77.0.254/24 dev far-eth0\n"
				  "addr add fe80::fe/64 dev far-eth1 nodad\n"
				  "addr add 2001:db8::fe/64 dev far-eth1 nodad\n"
				  "addr add 10.78.0.254/24 dev far-eth1\n"
				  "addr add 10.79.0.254/24 dev far-card\n"
				  "neigh add 10.77.0.1 lladdr 02:00:00:00:00:00 dev far-eth0\n"
				  "neigh add fe80::1 lladdr 02:00:00:00:00:01 dev far-eth1\n"
				  "neigh add 10.78.0.1 lladdr 02:00:00:00:00:01 dev far-eth1\n"
				  "neigh add 10.79.0.1 lladdr 02:00:00:00:00:0b dev far-card\n";

static const char lines_inside[] = "link set lo up\n"
				   "addr add 10.79.0.253/24 dev far-guest\n"
				   "neigh add 10.79.0.1 lladdr 02:00:00:00:00:0b dev far-guest\n";

static int another_namespace(void)
{
	if (unshare(CLONE_NEWNET) || !set_ipv6("default", "1"))
		return -1;
	return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static bool make_machine(void)
{
	here = another_namespace();
	there = another_namespace();
	inside = another_namespace();
	if (here < 0 || there < 0 || inside < 0 || setns(here, CLONE_NEWNET))
		return false;
	for (enum cable i = 0; i < CABLES; i++)
		if (!make_cable(i))
			return false;
	if (setns(there, CLONE_NEWNET) || !set_ipv6("far-eth1", "0") || setns(here, CLONE_NEWNET))
		return false;
	return feed("ip -batch -", lines_here) && feed_in(there, "ip -batch -", lines_there) &&
		feed_in(inside, "ip -batch -", lines_inside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(frames_count_from_the_first_try_on),
		T(one_frame_is_not_enough),
		T(frames_count_for_one_lost_host),
		T(frames_count_for_their_own_interface),
		T(frames_that_were_found_before_a_stall_are_not_reported),
		T(the_frames_of_a_guest_do_not_count),
		T(frames_of_unknown_origin_do_not_count),
		T(frames_count_anew_at_another_card),
		T(an_interface_may_get_another_name),
		T(an_interface_that_is_gone_has_no_frames),
		T(an_interface_is_found_among_many),
		T(a_gateway_answers),
		T(a_gateway_of_ipv6_answers),
		T(each_path_asks_its_own_gateway),
		T(each_hop_of_a_route_is_the_gateway_of_its_interface),
		T(a_gateway_is_found_behind_the_routes_of_a_tunnel),
		T(without_a_gateway_nothing_is_asked),
		T(a_gateway_of_another_interface_is_not_asked),
		T(a_gateway_of_the_other_family_is_not_asked),
		T(the_lost_host_is_not_asked_as_a_gateway),
		T(this_host_is_not_asked_as_a_gateway),
		T(a_firewall_of_the_gateway_keeps_silent),
		T(a_firewall_of_the_gateway_answers),
		T(a_firewall_of_this_host_is_no_gateway),
		T(a_gateway_that_is_a_guest_is_no_sign),
		T(an_answer_of_a_gateway_from_before_a_stall_is_dropped),
		T(tries_leave_no_descriptor_open),
		T(a_gateway_is_asked_without_privileges),
		T(signs_are_reported_by_the_net),
		T(a_first_try_begins_anew),
		T(nothing_is_tried_without_a_carrier),
		T(the_net_knows_where_guests_are),
#undef T
	};

	if (!on_one_processor() || !make_machine())
		return SKIPPED;
	for (enum cable i = 0; i < CABLES; i++) {
		far[i] = open_far(i);
		if (far[i] < 0)
			return EXIT_FAILURE;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
