/* SPDX-License-Identifier: Apache-2.0 */
#include "sockets.h"

#include "socket.h"

#include <errno.h>
#include <unistd.h>

static const uint8_t families[] = { 4, 6 };
enum { FAMILIES = sizeof(families) };

void net_sockets_none(struct net_sockets *s)
{
	*s = (struct net_sockets){ 0 };
	for (unsigned i = 0; i < NET_SOCKETS; i++)
		s->fds[i] = -1;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void net_sockets_close(struct net_sockets *s)
{
	for (unsigned i = 0; i < NET_SOCKETS; i++)
		close_one(&s->fds[i]);
}

static void close_own(struct net_sockets *s)
{
	close_one(&s->fds[NET_OWN4]);
	close_one(&s->fds[NET_OWN6]);
}

/* Sets the families for sending. 0 or -errno. */
static int choose_families(struct net_sockets *s, const struct net_config *c)
{
	s->families = c->families & net_socket_families();
	return s->families ? 0 : -EAFNOSUPPORT;
}

/* Opens the missing unicast sockets, all on that port. 0 or -errno; on an error all are closed. */
static int open_own_at(struct net_sockets *s, uint16_t port)
{
	s->port = port;
	for (unsigned i = 0; i < FAMILIES; i++) {
		int *fd = &s->fds[net_own_socket(families[i])], r;

		if (!(s->families & net_family(families[i])) || *fd >= 0)
			continue;
		r = *fd = net_socket_open_own(families[i], port);
		if (r >= 0)
			continue;
		close_own(s);
		return r;
	}
	return 0;
}

/* Opens them on the first port that is free in every family. */
static int open_own(struct net_sockets *s, const struct net_config *c, uint16_t *ret_taken)
{
	int r = -EADDRINUSE;

	*ret_taken = c->port_first;
	for (unsigned port = c->port_first; r == -EADDRINUSE && port <= c->port_last; port++)
		r = open_own_at(s, (uint16_t)port);
	return r;
}

/* If the family is not used for sending, the group socket is optional. */
static int open_group(struct net_sockets *s, const struct net_config *c, uint8_t family)
{
	int r = net_socket_open_group(net_group(c, family));

	s->fds[net_group_socket(family)] = r < 0 ? -1 : r;
	return r < 0 && s->families & net_family(family) ? r : 0;
}

static void take_kept(
	struct net_sockets *s, const struct net_config *c, const int kept[NET_SOCKETS])
{
	for (unsigned i = 0; i < FAMILIES; i++) {
		uint8_t family = families[i];
		int own = kept[net_own_socket(family)], group = kept[net_group_socket(family)];
		/* The first kept socket decides the port. */
		uint16_t first = s->port ? s->port : c->port_first;
		uint16_t last = s->port ? s->port : c->port_last;

		if (s->families & net_family(family) &&
			net_socket_is_own(own, family, first, last, &s->port))
			s->fds[net_own_socket(family)] = own;
		else
			close_one(&own);
		if (net_socket_is_group(group, net_group(c, family)))
			s->fds[net_group_socket(family)] = group;
		else
			close_one(&group);
	}
}

int net_sockets_open(struct net_sockets *s, const struct net_config *config,
	const int kept[NET_SOCKETS], uint16_t *ret_taken)
{
	int r;

	net_sockets_none(s);
	*ret_taken = config->group4.port;
	r = choose_families(s, config);
	take_kept(s, config, kept);
	for (unsigned i = 0; !r && i < FAMILIES; i++)
		if (s->fds[net_group_socket(families[i])] < 0)
			r = open_group(s, config, families[i]);
	if (!r && !(s->port && open_own_at(s, s->port) == 0))
		r = open_own(s, config, ret_taken);
	if (r)
		net_sockets_close(s);
	return r;
}

int net_sockets_anew(const struct net_sockets *old, const struct net_config *before,
	const struct net_config *config, struct net_sockets *ret_new, uint16_t *ret_taken)
{
	int r = 0;

	net_sockets_none(ret_new);
	ret_new->port = old->port;
	ret_new->families = old->families;
	*ret_taken = config->group4.port;
	for (unsigned i = 0; !r && i < FAMILIES; i++)
		if (!elect_address_equal(
			    net_group(config, families[i]), net_group(before, families[i])))
			r = open_group(ret_new, config, families[i]);
	if (!r && (old->port < config->port_first || old->port > config->port_last))
		r = open_own(ret_new, config, ret_taken);
	if (r)
		net_sockets_close(ret_new);
	return r;
}
