/* SPDX-License-Identifier: Apache-2.0 */
/* ranks: see ranks.h. */
#include "ranks.h"

#include <assert.h>

const char *rank_name(enum rank rank)
{
	static const char *const names[RANKS] = {
		[RANK_ADDRESS] = "address",
		[RANK_HOOK] = "hook",
	};

	assert(rank < RANKS);
	return names[rank];
}

void ranks_role(struct ranks *r, bool leads, uint64_t now_us)
{
	if (leads == r->leads)
		return;
	r->leads = r->promotes = leads;
	r->late = false;
	r->since_us = now_us;
}

void ranks_release(struct ranks *r, uint64_t until_us)
{
	r->releases = true;
	r->address_at_us = until_us > RANKS_ADDRESS_US ? until_us - RANKS_ADDRESS_US : 0;
}

void ranks_release_over(struct ranks *r)
{
	r->releases = r->address_asked = false;
}

void ranks_look(struct ranks *r, const struct ranks_waited *waited, uint64_t now_us)
{
	bool over = now_us >= r->since_us + RANKS_PROMOTE_US;

	r->late = waited->begin && (r->late || (r->promotes && over));
	r->promotes = waited->begin && r->promotes && !over;
	r->address_asked |= r->releases && (!waited->release || now_us >= r->address_at_us);
}

bool ranks_promotes(const struct ranks *r)
{
	return r->promotes;
}

bool ranks_late(const struct ranks *r)
{
	return r->late;
}

bool ranks_asks(const struct ranks *r, enum rank rank)
{
	return r->releases && (rank == RANK_HOOK || r->address_asked);
}

uint64_t ranks_due_us(const struct ranks *r)
{
	uint64_t due_us = r->promotes ? r->since_us + RANKS_PROMOTE_US : UINT64_MAX;

	if (r->releases && !r->address_asked && r->address_at_us < due_us)
		due_us = r->address_at_us;
	return due_us;
}
