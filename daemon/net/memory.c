/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: see net/memory.h. The reader is this program or its next version, on the same machine and
 * in the same boot. A version that does not know the form begins without homes.
 */
#include "memory.h"

#include "program/kernel.h"

#include <string.h>
#include <unistd.h>

enum { FORM = 5 }; /* raise it with each change of struct net_homes or its members */

struct image {
	uint32_t version, size;
	struct net_homes homes;
};

static bool recall(struct net_memory *m)
{
	struct image image;

	if (pread(m->fd, &image, sizeof(image), 0) != (ssize_t)sizeof(image) ||
		image.version != FORM || image.size != sizeof(image))
		return false;
	m->homes = m->saved = image.homes;
	return true;
}

void net_memory_open(struct net_memory *m, int kept, uint64_t demoted_us)
{
	memset(m, 0, sizeof(*m));
	m->fd = kept;
	if (m->fd < 0)
		m->fd = kernel_memfd("electd-homes");
	else if (recall(m) && m->homes.leads)
		net_homes_lead(&m->homes, false, demoted_us);
}

void net_memory_save(struct net_memory *m)
{
	struct image image = { .version = FORM, .size = sizeof(image), .homes = m->homes };

	m->saved.clock_cs = m->homes.clock_cs; /* the clock alone is no reason to write */
	if (m->fd < 0 || !memcmp(&m->saved, &m->homes, sizeof(m->saved)))
		return;
	if (pwrite(m->fd, &image, sizeof(image), 0) == (ssize_t)sizeof(image))
		m->saved = m->homes;
}

void net_memory_close(struct net_memory *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}
