/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rng: the seeded generator inside each host's state (SplitMix64).
 *
 * Chance in the core comes from here and from nowhere else, so a seed reproduces a run on any
 * machine. It spreads messages over time; it is no source of secrets.
 */
#ifndef ELECTD_CORE_RNG_H
#define ELECTD_CORE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A number in 0 .. limit - 1; 0 for a limit of 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t limit)
{
	return limit ? rng_next(r) % limit : 0;
}

/* A period of `us` with the ±20 % that every period has (F5). */
static inline uint64_t rng_jitter(struct rng *r, uint64_t us)
{
	return us - us / 5 + rng_below(r, us * 2 / 5 + 1);
}

#endif
