/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net_log: the paths that net finds on this machine, for tests/lan/follow.py.
 *
 * net_log FAMILIES: a sum of NET_IPV4 and NET_IPV6. At each change that net reports, the program
 * prints a line with all paths, separated by `, `: `INTERFACE ADDRESS`, then `and ADDRESS` if there
 * is one that is valid beyond the link, and `down` (no carrier), `duplicate` or `deaf`. It ends
 * with standard input.
 */
#include "net/net.h"
#include "node/address.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct net *net;

static void print(void *user)
{
	char text[INET6_ADDRSTRLEN];

	(void)user;
	for (unsigned i = 0; i < net_paths_count(net); i++) {
		const struct net_path *path = net_path_at(net, i);

		printf("%s%s %s", i ? ", " : "", path->name, address_text(&path->address, text));
		if (path->wide.family)
			printf(" and %s", address_text(&path->wide, text));
		printf("%s%s%s", path->carrier ? "" : " down", path->duplicate ? " duplicate" : "",
			path->deaf ? " deaf" : "");
	}
	printf("\n");
	fflush(stdout);
}

static void nothing(void *user)
{
	(void)user;
}

static void datagram(void *user, const struct elect_way *way, const uint8_t *bytes, size_t size)
{
	(void)user, (void)way, (void)bytes, (void)size;
}

static void overheard(
	void *user, const struct elect_address *from, const uint8_t *bytes, size_t size)
{
	(void)user, (void)from, (void)bytes, (void)size;
}

static void echoed(void *user, const struct elect_id *id)
{
	(void)user, (void)id;
}

static void end(evutil_socket_t fd, short what, void *base)
{
	char byte;

	(void)what;
	if (read(fd, &byte, 1) <= 0)
		event_base_loopbreak(base);
}

int main(int argc, char **argv)
{
	static const struct net_handler handler = {
		.before = nothing,
		.datagram = datagram,
		.overheard = overheard,
		.echoed = echoed,
		.changed = print,
	};
	struct net_config config = {
		.group4 = { .bytes = { 224, 0, 0, 254 }, .port = 7543, .family = 4 },
		.group6 = { .bytes = { 0xff, 2, [14] = 1, 0x14 }, .port = 7543, .family = 6 },
		.port_first = 7544,
		.port_last = 7600,
	};
	struct event_base *base = event_base_new();
	struct event *input;
	uint16_t taken;
	int result;

	if (argc != 2 || !base) {
		fprintf(stderr, "usage: net_log FAMILIES\n");
		return 2;
	}
	config.families = (unsigned)strtoul(argv[1], NULL, 10);
	result = net_open(&net, base, &config, &handler, NULL, &taken);
	if (result == 0)
		result = net_start(net);
	if (result) {
		fprintf(stderr, "net_log: %s\n", strerror(-result));
		return 1;
	}
	input = event_new(base, STDIN_FILENO, EV_READ | EV_PERSIST, end, base);
	event_add(input, NULL);
	event_base_dispatch(base);
	event_free(input);
	net_close(net);
	event_base_free(base);
	return 0;
}
