/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rng: the random generator of the core (SplitMix64), a part of each host's state.
 *
 * The core has no other source of randomness, so a seed reproduces a run on any machine. Its
 * numbers are fresh but can be predicted: it spreads messages over time and makes transactions, and
 * must not make keys or other secrets.
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

/* A number from 0 to limit - 1; 0 if the limit is 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t limit)
{
	return limit ? rng_next(r) % limit : 0;
}

/* A random period within 20 % of `us`, as all periods are (F5). */
static inline uint64_t rng_jitter(struct rng *r, uint64_t us)
{
	return us - us / 5 + rng_below(r, us * 2 / 5 + 1);
}

#endif
