/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insider: sends messages by the daemon's own codec, with its key or without. It answers
 *Challenges, so hosts accept it; it forms no group and follows no host.
 *
 *	insider ADDRESS TYPE COUNTER RATE SECONDS [TO:PORT|- [KEY_ID HEX]]
 *
 * The program sends messages of one TYPE (Hello, AYCoord, ...) with that COUNTER, RATE datagrams a
 * second (0: as many as possible), to one host or, with -, to all. ADDRESS is its own, HEX the
 * secret of 64 digits. $INSIDER_ID is its host id of 32 hexadecimal digits; by default it is
 *random. The last output is the number of datagrams that were sent.
 *
 * With the TYPE `forge` it seals and sends the datagrams of standard input, in the name of any
 *host, and reads no datagrams. A line is TO:PORT, or - for all, and a datagram in hexadecimal
 *digits with space for its tag. After an empty line it prints the number of datagrams that were
 *sent.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/host/host.h"
#include "program/clock.h"

#define GROUP	 "224.0.0.254"
#define PORT_ALL 7543

enum { OWN_PORT = 7999, SPARE = 64 };

static struct trust trust;
static struct elect_address own = { .family = 4, .port = OWN_PORT };
static struct elect_msg message;
static enum elect_msg_type pushed;
static uint64_t sent;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static int open_socket(const char *address, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), ttl = 255, on = 1;
	struct ip_mreq join;

	inet_pton(AF_INET, address, port == PORT_ALL ? &join.imr_interface : &a.sin_addr);
	if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl)) < 0 ||
		setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof(ttl)) < 0 ||
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
		bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		die(address);
	if (port != PORT_ALL)
		return fd;
	inet_pton(AF_INET, GROUP, &join.imr_multiaddr);
	if (setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)) < 0)
		die(GROUP);
	return fd;
}

static void begin(enum elect_msg_type type)
{
	memset(&message, 0, sizeof(message));
	message.type = type;
	message.sender = trust.self;
	message.session = trust.session;
	message.incarnation = 1;
	message.standing = (struct elect_standing){
		.id = trust.self, .size = 1, .priority = 1, .may_lead = true
	};
	message.timings = (struct elect_timings){ 200000, 600000 };
	strcpy(message.name, "insider");
}

static bool send_message(
	int fd, const struct elect_address *source, const struct sockaddr_in *to, bool to_all)
{
	uint8_t bytes[WIRE_SIZE_MAX];
	struct wire_header header = { .key_id = trust_key_id(&trust),
		.algorithm = WIRE_TAG_BLAKE2B,
		.to_all = to_all,
		.domain_hash = trust.domain_hash,
		.sequence = trust_sequence(&trust, to_all) };
	size_t size = wire_encode(&message, &header, bytes);

	trust_seal(&trust, bytes, size, source);
	return sendto(fd, bytes, size, 0, (const struct sockaddr *)to, sizeof(*to)) ==
		(ssize_t)size;
}

/* Like a host with another algorithm, the insider answers no beacon if it sends such messages. */
static bool may_answer(enum elect_msg_type type)
{
	return type == ELECT_CHALLENGE ||
		(type == ELECT_AYCOORD && elect_msg_algorithm(pushed) == elect_msg_algorithm(type));
}

/* Answers Challenges, and beacons with a "no", which only shows that the host lives. */
static void answer(int from, int fd)
{
	uint8_t bytes[WIRE_SIZE_MAX];
	struct sockaddr_in peer;
	socklen_t length = sizeof(peer);
	struct wire_header header;
	ssize_t n;

	while ((n = recvfrom(from, bytes, sizeof(bytes), 0, (struct sockaddr *)&peer, &length)) >
		0) {
		struct elect_transaction asked;
		bool challenge;

		if (wire_decode_header(bytes, (size_t)n, &header) != WIRE_OK ||
			!may_answer(header.type) || elect_id_equal(&header.sender, &trust.self) ||
			wire_decode(bytes, (size_t)n, &message) < 0)
			continue;
		challenge = header.type == ELECT_CHALLENGE;
		asked = message.transaction;
		begin(challenge ? ELECT_CHALLENGE_ANSWER : ELECT_AYCOORD_ANSWER);
		message.transaction = asked;
		message.answer = ELECT_ANSWER_NO;
		send_message(fd, &own, &peer, false);
	}
}

static enum elect_msg_type type_of(const char *name)
{
	for (unsigned t = 0; t < ELECT_MSG_TYPES; t++)
		if (elect_msg_type_known(t) && strcmp(elect_msg_type_name(t), name) == 0)
			return t;
	fprintf(stderr, "insider: no such type: %s\n", name);
	exit(2);
}

static void fill(enum elect_msg_type type, const char *counter)
{
	begin(type);
	message.counter = strtoull(counter, NULL, 10);
	message.group = (struct elect_group){ trust.self, message.counter };
	if (type == ELECT_GOODBYE)
		message.loss = ELECT_LOSS_STOP;
	/* Messages with a membership list carry a definition of one byte. */
	message.part = (struct elect_part){ .count = 1, .total = 1, .piece_size = 1 };
	message.inviter = (struct elect_inviter){
		.id = trust.self, .session = trust.session, .incarnation = 1
	};
}

struct way {
	int fd, all;
	struct elect_address source;
	struct sockaddr_in to;
	bool to_all;
};

static void push(const struct way *w, enum elect_msg_type type, const char *counter, uint64_t rate,
	double seconds)
{
	uint64_t began = clock_boot_us(), end = began + (uint64_t)(seconds * 1e6), count = 0, us;

	while ((us = clock_boot_us()) < end) {
		uint64_t due = rate ? (us - began) * rate / 1000000 + 1 : count + SPARE;

		answer(w->fd, w->fd);
		answer(w->all, w->fd);
		fill(type, counter);
		for (unsigned i = 0; i < SPARE && count < due; i++)
			count += send_message(w->fd, &w->source, &w->to, w->to_all);
		if (count >= due)
			usleep(rate ? 500 : 0);
	}
	sent += count;
}

/* Reads TO:PORT, or - for the group. True: it is the address of one host. */
static bool read_destination(const char *text, struct sockaddr_in *ret_to)
{
	char address[INET_ADDRSTRLEN] = GROUP;
	bool to_one = strcmp(text, "-") != 0;

	if (to_one)
		snprintf(address, sizeof(address), "%.*s", (int)strcspn(text, ":"), text);
	ret_to->sin_family = AF_INET;
	ret_to->sin_port = htons(to_one ? (uint16_t)atoi(text + strcspn(text, ":") + 1) : PORT_ALL);
	inet_pton(AF_INET, address, &ret_to->sin_addr);
	return to_one;
}

/* False: the line has no destination, or no datagram for a key of the insider. */
static bool forge_line(const struct way *w, char *line)
{
	uint8_t bytes[WIRE_SIZE_MAX];
	char *hex = strchr(line, ' ');
	struct sockaddr_in to = { 0 };
	size_t size;

	if (!hex)
		return false;
	*hex++ = '\0';
	read_destination(line, &to);
	if (sodium_hex2bin(bytes, sizeof(bytes), hex, strcspn(hex, "\n"), NULL, &size, NULL) < 0 ||
		size < WIRE_HEADER_SIZE + WIRE_TAG_SIZE ||
		!trust_has_key(&trust, wire_key_id(bytes)))
		return false;
	trust_seal(&trust, bytes, size, &w->source);
	sent += sendto(w->fd, bytes, size, 0, (const struct sockaddr *)&to, sizeof(to)) ==
		(ssize_t)size;
	return true;
}

/* Seals and sends datagrams that another program has composed, in the name of any host. */
static int forge(const struct way *w)
{
	char line[64 + 2 * WIRE_SIZE_MAX];

	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] == '\n') {
			printf("%" PRIu64 "\n", sent);
			fflush(stdout);
		} else if (!forge_line(w, line)) {
			fprintf(stderr, "insider: not to be forged: %s\n", line);
			return 2;
		}
	}
	return 0;
}

static void read_id(struct elect_id *ret_id)
{
	const char *hex = getenv("INSIDER_ID");

	randombytes_buf(ret_id, sizeof(*ret_id));
	if (hex &&
		(strlen(hex) != 2 * sizeof(*ret_id) ||
			sodium_hex2bin((uint8_t *)ret_id, sizeof(*ret_id), hex, strlen(hex), NULL,
				NULL, NULL) < 0)) {
		fputs("insider: INSIDER_ID is not of 32 hexadecimal digits\n", stderr);
		exit(2);
	}
}

static void read_key(int argc, char **argv, uint8_t secret[TRUST_KEY_SIZE])
{
	if (argc > 8 &&
		sodium_hex2bin(secret, TRUST_KEY_SIZE, argv[8], strlen(argv[8]), NULL, NULL, NULL) <
			0) {
		fputs("insider: the key is not of 64 hexadecimal digits\n", stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct way way = { 0 };
	struct ring_file file = { 0 };
	struct ring ring;
	uint64_t seeds[2];
	struct elect_id id;

	if (argc < 6) {
		fputs("usage: insider ADDRESS TYPE COUNTER RATE SECONDS [TO:PORT|- [KEY_ID HEX]]\n",
			stderr);
		return 2;
	}
	read_key(argc, argv, file.lines[0].secret);
	file.count = argc > 8;
	file.lines[0].id = (uint8_t)(file.count ? atoi(argv[7]) : 0);
	ring_make(&ring, RING_AUTO, "default", &file);
	way.to_all = !read_destination(argc > 6 ? argv[6] : "-", &way.to);
	inet_pton(AF_INET, argv[1], own.bytes);
	read_id(&id);
	randombytes_buf(seeds, sizeof(seeds));
	trust_init(&trust, "default", &ring, &id, seeds[0] | 1, seeds[1]);
	way.source = own;
	way.fd = open_socket(argv[1], own.port);
	way.all = open_socket(argv[1], PORT_ALL);
	if (strcmp(argv[2], "forge") == 0)
		return forge(&way);
	pushed = type_of(argv[2]);
	push(&way, pushed, argv[3], strtoull(argv[4], NULL, 10), strtod(argv[5], NULL));
	printf("%" PRIu64 "\n", sent);
	return 0;
}
