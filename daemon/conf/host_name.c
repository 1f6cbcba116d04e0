/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_name: see host_name.h.
 */
#include "host_name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Is the character allowed in a name, after the first one? */
static bool fits_in_name(char c)
{
	return elect_name_valid((char[]){ 'x', c, '\0' });
}

bool host_name_get(char ret_name[ELECT_NAME_MAX + 1])
{
	/* A host name may be one byte longer than a node.name; gethostname() cuts nothing. */
	char host[HOST_NAME_MAX + 1], fit[sizeof(host)];
	size_t begin;

	if (gethostname(host, sizeof(host)) < 0)
		host[0] = '\0';
	snprintf(fit, sizeof(fit), "%s", host);
	for (char *p = fit; *p; p++)
		if (!fits_in_name(*p))
			*p = '-';
	begin = strspn(fit, ".-");
	memset(ret_name, 0, ELECT_NAME_MAX + 1); /* a reload compares all bytes */
	snprintf(ret_name, ELECT_NAME_MAX + 1, "%s", fit[begin] ? fit + begin : "host");
	return strcmp(ret_name, host) == 0;
}
