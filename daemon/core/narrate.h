/* SPDX-License-Identifier: Apache-2.0 */
/*
 * narrate: one line of text for an event, an action or a view. Debug logs, `electctl history` and
 * the traces of electsim show the same line. A host is named by `name_of`, or by the first 8
 * hexadecimal digits of its id. Each function cuts the line to `size` bytes with its NUL.
 */
#ifndef ELECTD_CORE_NARRATE_H
#define ELECTD_CORE_NARRATE_H

#include "elect.h"

enum { NARRATE_LINE_MAX = 512 };

/* Returns a name, or NULL if there is none. The function pointer may be NULL. */
typedef const char *narrate_name_fn(void *user, const struct elect_id *id);

struct narrate {
	narrate_name_fn *name_of;
	void *user;
};

/* "AYCoord from web2 group web2.17 list 4" */
void narrate_message(const struct narrate *n, const struct elect_msg *m, char *line, size_t size);
void narrate_event(const struct narrate *n, const struct elect_event *ev, char *line, size_t size);
void narrate_action(const struct narrate *n, const struct elect_action *a, char *line, size_t size);
/* "leader of web2.17, token 287..., 5 members: merged, caused by web1" */
void narrate_view(const struct narrate *n, const struct elect_view *v, char *line, size_t size);
/* "web2.17", "none" */
void narrate_group(const struct narrate *n, const struct elect_group *g, char *text, size_t size);

#endif
