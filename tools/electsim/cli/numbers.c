/* SPDX-License-Identifier: Apache-2.0 */
/* numbers: see numbers.h. Text that is not fully understood is refused. */
#include "numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/world/sim.h"

int options_number(const char *text, uint64_t max, uint64_t *ret_number)
{
	char *end;
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || *end || n > max)
		return -EINVAL;
	*ret_number = n;
	return 0;
}

int options_time(const char *text, uint64_t *ret_us)
{
	static const struct {
		const char *unit;
		uint64_t us;
	} units[] = { { "us", 1 }, { "ms", 1000 }, { "s", 1000000 }, { "min", 60000000 },
		{ "h", UINT64_C(3600000000) }, { "d", UINT64_C(86400000000) },
		{ "beacons", SIM_BEACON_US }, { "beacon", SIM_BEACON_US } };
	size_t digits = strspn(text, "0123456789");
	char number[24];
	uint64_t n;

	if (digits == 0 || digits >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, digits);
	number[digits] = '\0';
	if (options_number(number, UINT64_C(100000000000), &n) < 0)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(text + digits, units[i].unit) == 0 &&
			n <= UINT64_C(1000000000000) / units[i].us) {
			*ret_us = n * units[i].us;
			return 0;
		}
	return -EINVAL;
}

int options_range(const char *text, unsigned *ret_min, unsigned *ret_max)
{
	const char *dots = strstr(text, "..");
	char first[16];
	uint64_t min, max;

	if (!dots) {
		if (options_number(text, 1000000, &min) < 0)
			return -EINVAL;
		*ret_min = *ret_max = (unsigned)min;
		return 0;
	}
	if ((size_t)(dots - text) >= sizeof(first))
		return -EINVAL;
	memcpy(first, text, (size_t)(dots - text));
	first[dots - text] = '\0';
	if (options_number(first, 1000000, &min) < 0 ||
		options_number(dots + 2, 1000000, &max) < 0 || min > max)
		return -EINVAL;
	*ret_min = (unsigned)min;
	*ret_max = (unsigned)max;
	return 0;
}
