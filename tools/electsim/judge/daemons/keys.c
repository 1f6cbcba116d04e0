/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: a host's key files, and the ring that they make at a start or a reload. The caller, who
 * plays the operator, asks whether a step is allowed.
 */
#include <assert.h>

#include "daemons.h"

static const char domain[] = "default";

/* Each number has its own secret. */
void keys_files(struct sim_keys *k, enum ring_mode mode, const uint8_t *ids, unsigned count)
{
	assert(count <= RING_FILE_MAX);
	*k = (struct sim_keys){ .mode = mode, .file.count = count };
	for (unsigned i = 0; i < count; i++)
		k->file.lines[i] = (struct ring_line){ ids[i], { ids[i], 'k' } };
}

void keys_ring(const struct sim_keys *k, struct ring *ret_ring)
{
	int r = ring_make(ret_ring, k->mode, domain, &k->file);

	assert(!r);
	(void)r;
}

enum elect_keys_step keys_step(const struct sim_host *h, const struct sim_keys *next,
	struct elect_keys_refusal *ret_refusal)
{
	struct elect_keys told;
	struct ring ring;

	keys_ring(next, &ring);
	ring_told(&ring, &told);
	return elect_keys_step(host_elect(h->core), &told, ret_refusal);
}
