/* SPDX-License-Identifier: Apache-2.0 */
/* text: helpers for tests that parse configuration texts. */
#ifndef ELECTD_TEST_CONF_TEXT_H
#define ELECTD_TEST_CONF_TEXT_H

#include "conf/conf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct conf_error error; /* of the last text */

__attribute__((unused)) static struct conf parsed(const char *text)
{
	struct conf conf;
	int r = conf_parse("test.conf", text, strlen(text), &conf, &error);

	if (r < 0)
		fail_msg("%s: %d: %s", text, r, error.text);
	return conf;
}

/* Returns the error text. A refused text must not change the struct. */
__attribute__((unused)) static const char *refused(const char *text)
{
	static struct conf conf, before;
	int r;

	memset(&conf, 0x5a, sizeof(conf));
	before = conf;
	r = conf_parse("test.conf", text, strlen(text), &conf, &error);
	if (r != -EINVAL)
		fail_msg("%s: %d, not refused", text, r);
	assert_memory_equal(&conf, &before, sizeof(conf));
	return error.text;
}

#define assert_has(text, part)                                                                     \
	do {                                                                                       \
		if (!strstr(text, part))                                                           \
			fail_msg("\"%s\" lacks \"%s\"", text, part);                               \
	} while (0)

/* "network.port" and "1" → "network: { port = 1; };" */
__attribute__((unused)) static const char *setting(const char *path, const char *value)
{
	static char text[512];
	const char *dot = strchr(path, '.');

	if (dot)
		snprintf(text, sizeof(text), "%.*s: { %s = %s; };\n", (int)(dot - path), path,
			dot + 1, value);
	else
		snprintf(text, sizeof(text), "%s = %s;\n", path, value);
	return text;
}

#endif
