/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include <stdio.h>

#include "field.h"

const char *explain_name(const json_t *host, char ret_text[9])
{
	const char *name = field_text(host, "name", NULL), *id = field_text(host, "id", NULL);

	if (*name)
		return name;
	snprintf(ret_text, 9, "%.8s", *id ? id : "?");
	return ret_text;
}

const char *explain_reason(const json_t *status)
{
	const char *why = field_text(status, "why", NULL);

	if (!*why)
		why = field_text(status, "reason", NULL);
	return *why ? why : "electd does not say";
}
