/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link: the subscription to electd as a holder, in hookd's loop. How long an event counts is
 * decided by lib/holder.h. All waiting events are read before silence is judged. Trouble with a
 * connection is logged, once a minute at most. The module decides nothing about leadership.
 */
#ifndef ELECTD_HOOKD_LINK_LINK_H
#define ELECTD_HOOKD_LINK_LINK_H

#include "lib/event.h"

#include <systemd/sd-event.h>

enum { LINK_TOLD_US = 60000000 }; /* between two journal lines about the same trouble */

enum link_loss {
	LINK_GONE,   /* the connection has ended: electd did, or sent nonsense */
	LINK_SILENT, /* the connection is up, but its last event does not count any more */
};

struct link_ops {
	/* Each event, in order. The callee acts on it in settled(). */
	void (*heard)(void *user, const struct event *event);
	/* After heard(): the last event does not count any more. May be called twice. */
	void (*lost)(void *user, enum link_loss loss);
	/* After LINK_SILENT: the last event counts again. */
	void (*back)(void *user);
	/* Everything that waited was read. Not called after link_catch_up(). */
	void (*settled)(void *user);
};

struct link;

/* 0 or -errno. It does not connect before link_begin(). */
int link_open(struct link **ret_link, sd_event *event, const char *path, const struct link_ops *ops,
	void *user);
/* Connects now, and whenever the connection has ended. electd need not run yet. */
void link_begin(struct link *l);
void link_close(struct link *l);

/* Reads what waits, and judges silence. Called before an act that rests on the last event. */
void link_catch_up(struct link *l);

/*
 * Closes connections that have ended. They are kept until then, because a copy of electd that holds
 * the other end takes an open connection for an unfinished demotion (electd-protocol(7), LAST
 * WILL).
 */
void link_let_go(struct link *l);

/* Returns whether the connection is up and not silent. */
bool link_stands(const struct link *l);
/* Returns the name with which Release is called; empty: none. */
const char *link_holder(const struct link *l);

#endif
