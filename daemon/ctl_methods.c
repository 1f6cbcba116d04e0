/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_methods: what the control socket can do, one row a method.
 *
 * Permission and parameters are checked by ctl_call.c from the row; a method only answers.
 */
#include "ctl_call.h"

#include <string.h>

static json_t *get_info(struct ctl_context *context)
{
	struct ctl_facts facts;

	context->source->facts(context->source->user, &facts);
	return json_pack("{s:s, s:s, s:s, s:s, s:[s, s]}", "vendor", "electd", "product", "electd",
		"version", facts.version, "url", "", "interfaces", "org.varlink.service",
		"io.electd");
}

static json_t *get_status(struct ctl_context *context)
{
	struct ctl_facts facts;

	context->source->facts(context->source->user, &facts);
	return ctl_status(context->source, &facts);
}

static json_t *get_members(struct ctl_context *context)
{
	struct ctl_facts facts;

	context->source->facts(context->source->user, &facts);
	return ctl_members(context->source, &facts);
}

static json_t *subscribe(struct ctl_context *context)
{
	struct ctl_facts facts;

	context->source->facts(context->source->user, &facts);
	return ctl_event(context->source, &facts, "snapshot", context->sequence);
}

static json_t *resign(struct ctl_context *context)
{
	const json_t *seconds = json_object_get(context->parameters, "for");
	uint64_t for_us = (uint64_t)json_integer_value(seconds) * UINT64_C(1000000);

	if (!context->source->resign(context->source->user, for_us)) {
		context->error = "io.electd.NotLeader";
		context->message = "this host does not lead";
		return NULL;
	}
	return json_object();
}

static const struct ctl_method methods[] = {
	{ "org.varlink.service.GetInfo", .run = get_info },
	{ "io.electd.GetStatus", .run = get_status },
	{ "io.electd.GetMembers", .run = get_members },
	{ "io.electd.Subscribe", .more = true, .run = subscribe },
	{ "io.electd.Resign", .admin = true, .parameter = { "for", 1, CTL_RESIGN_S_MAX },
		.run = resign },
};

const struct ctl_method *ctl_method_find(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}
