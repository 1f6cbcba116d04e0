/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes: where the routes to a LAN lead. electd sends on the link of a host whatever the routes
 * are. But the kernel drops datagrams that arrive on an unexpected interface, and other programs
 * follow the routes.
 */
#include "inside.h"

#include <stdio.h>
#include <string.h>

#include "electctl/field.h"

static bool leads_elsewhere(const json_t *route)
{
	const json_t *by = json_object_get(route, "by");

	return json_is_string(by) &&
		strcmp(json_string_value(by), field_text(route, "interface", NULL)) != 0;
}

/* Two cards in one subnet share a route: a route on another interface of electd is no fault. */
static void judge_elsewhere(const json_t *facts, const json_t *route, json_t *findings)
{
	const char *interface = field_text(route, "interface", NULL);
	const char *to = field_text(route, "to", NULL), *by = field_text(route, "by", NULL);
	const char *subnet = field_text(route, "subnet", NULL);
	int64_t filter = field_number(route, "rp_filter", NULL, 0);
	char where[JUDGE_INTERFACE];

	snprintf(where, sizeof where, *by ? "to %s" : "nowhere%s", by);
	if (*by && filter == 1)
		found(findings, FOUND_REVERSE_FILTER, interface, to, by, NULL);
	else if (!*by && filter)
		found(findings, FOUND_REVERSE_NOWHERE, interface, to, subnet, NULL);
	else if (!judge_uses(facts, by))
		found(findings, FOUND_ROUTE_ELSEWHERE, interface, to, where, subnet, NULL);
}

static bool share_a_subnet(const json_t *a, const json_t *b)
{
	return !strcmp(field_text(a, "subnet", NULL), field_text(b, "subnet", NULL)) &&
		strcmp(field_text(a, "interface", NULL), field_text(b, "interface", NULL)) != 0;
}

static void judge_either(const json_t *routes, const json_t *route, json_t *findings)
{
	const json_t *other;
	size_t i;

	json_array_foreach((json_t *)routes, i, other)
	{
		if (other == route)
			return;
		if (share_a_subnet(route, other) && !field_number(route, "arp_ignore", NULL, 0) &&
			!field_number(other, "arp_ignore", NULL, 0))
			found(findings, FOUND_EITHER_CARD, field_text(other, "interface", NULL),
				field_text(route, "interface", NULL), NULL);
	}
}

/* Only the first host of each interface whose route leads elsewhere is reported. */
static bool is_first(const json_t *routes, const json_t *route)
{
	const json_t *other;
	size_t i;

	json_array_foreach((json_t *)routes, i, other)
	{
		if (other == route)
			return true;
		if (leads_elsewhere(other) &&
			!strcmp(field_text(other, "interface", NULL),
				field_text(route, "interface", NULL)))
			return false;
	}
	return true;
}

void judge_routes(const json_t *facts, json_t *findings)
{
	const json_t *routes = json_object_get(facts, "routes"), *route;
	size_t i;

	json_array_foreach((json_t *)routes, i, route)
	{
		if (leads_elsewhere(route) && is_first(routes, route))
			judge_elsewhere(facts, route, findings);
		judge_either(routes, route, findings);
	}
}
