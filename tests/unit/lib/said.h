/* SPDX-License-Identifier: Apache-2.0 */
/* said: messages of an electd, as texts. Each test program includes it once. */
#ifndef ELECTD_TEST_LIB_SAID_H
#define ELECTD_TEST_LIB_SAID_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/event.h"

#define UNUSED __attribute__((unused))

#define HOST_A "000000000000000000000000000000aa"
#define HOST_B "000000000000000000000000000000bb"

#define SAID_NODE   "{\"id\":\"" HOST_A "\",\"name\":\"alpha\",\"priority\":100}"
#define SAID_GROUP  "{\"coordinator\":\"" HOST_A "\",\"counter\":\"41\",\"id\":\"alpha.41\"}"
#define SAID_LEADER "{\"id\":\"" HOST_A "\",\"name\":\"alpha\",\"address\":null,\"self\":true}"
#define SAID_MEMBER_A                                                                              \
	"{\"id\":\"" HOST_A "\",\"name\":\"alpha\",\"address\":null,\"rank\":0,\"priority\":100,"  \
	"\"state\":\"alive\",\"last_heard_ms\":null}"
#define SAID_MEMBER_B                                                                              \
	"{\"id\":\"" HOST_B "\",\"name\":\"beta\",\"address\":\"2001:db8::7\",\"rank\":1,"         \
	"\"priority\":90,\"state\":\"silent\",\"last_heard_ms\":120}"
#define SAID_MEMBERS "[" SAID_MEMBER_A "," SAID_MEMBER_B "]"

#define SAID_STATUS(domain, role, token, node, group, leader, members, reason, definition)         \
	"{\"schema\":1,\"domain\":" domain ",\"role\":" role                                       \
	",\"state\":\"normal\",\"node\":" node ",\"leader\":" leader ",\"group\":" group           \
	",\"token\":" token ",\"members\":" members ",\"since\":null,\"reason\":" reason           \
	",\"health\":{\"ok\":true,\"problems\":[]},"                                               \
	"\"definition\":" definition "}"

#define SAID_LEADS                                                                                 \
	SAID_STATUS("\"default\"", "\"leader\"", "\"694389135\"", SAID_NODE, SAID_GROUP,           \
		SAID_LEADER, SAID_MEMBERS, "\"alone\"", "\"/run/electd/definition\"")

#define SAID_TIMES "\"dead_after_ms\":600,\"hooks\":{\"timeout_ms\":2000,\"on_failure\":\"resign\"}"

#define SAID(event, more)                                                                          \
	"{\"parameters\":{\"seq\":5,\"event\":\"" event "\",\"at\":null,\"boot_ms\":1000,"         \
	"\"reason\":\"alone\",\"cause\":null,\"token\":\"1\"," more "},\"continues\":true}"

#define SAID_HOOKS(timeout, on_failure)                                                            \
	SAID("alive", "\"hooks\":{\"timeout_ms\":" timeout ",\"on_failure\":\"" on_failure "\"}")

#define SAID_SNAPSHOT(status)                                                                      \
	SAID("snapshot", "\"holder\":\"0123abcd\"," SAID_TIMES ",\"status\":" status)

/* on the heap because of its size; said_forget() frees it */
UNUSED static struct event *said_event;

UNUSED static int said_parse(const char *text, const char **ret_wrong)
{
	if (!said_event)
		said_event = malloc(sizeof(*said_event));
	assert_non_null(said_event);
	return event_parse(text, strlen(text), said_event, ret_wrong);
}

UNUSED static void said_forget(void)
{
	free(said_event);
	said_event = NULL;
}

#endif
