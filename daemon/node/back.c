/* SPDX-License-Identifier: Apache-2.0 */
/*
 * back: notes whether the datagrams that this host sends to all come back to it. The kernel returns
 * each datagram to the group to the sockets of this host that have joined the group
 * (IP_MULTICAST_LOOP), without any cable. If none comes back, nothing of other hosts arrives
 * either. Values only, no clock.
 */
#include "inside.h"

static struct node_back_path *find(struct node_back *b, uint32_t link)
{
	for (unsigned i = 0; i < b->count; i++)
		if (b->paths[i].link == link)
			return &b->paths[i];
	return NULL;
}

void node_back_follow(struct node_back *b, const struct net *net)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < b->count; i++)
		if (net_path_by(net, b->paths[i].link))
			b->paths[kept++] = b->paths[i];
	b->count = kept;
}

void node_back_sent(struct node_back *b, uint32_t link, uint64_t now_us)
{
	struct node_back_path *p = find(b, link);

	if (!p && b->count == NET_PATHS_MAX)
		return;
	if (!p) {
		p = &b->paths[b->count++];
		*p = (struct node_back_path){ .link = link };
	}
	if (!p->awaited++)
		p->since_us = now_us;
}

void node_back_came(struct node_back *b, uint32_t link, uint64_t now_us)
{
	struct node_back_path *p = find(b, link);

	if (!p)
		return;
	p->awaited = 0;
	p->came_us = now_us;
}

bool node_back_since(const struct node_back *b, uint32_t link, uint64_t since_us)
{
	const struct node_back_path *p = find((struct node_back *)b, link);

	return p && p->came_us && p->came_us >= since_us;
}

bool node_back_missing(const struct node_back *b, uint32_t link, uint64_t now_us)
{
	const struct node_back_path *p = find((struct node_back *)b, link);

	return p && p->awaited >= NODE_BACK_SENT_MIN && now_us - p->since_us >= NODE_BACK_US;
}
