/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link: the subscription to electd as a holder (electd(8)). It is connected again
 * whenever it ends.
 *
 * An event of a host that leads counts until the moment that it names, for another host may begin
 * to lead soon after. Any other event, and each one of an older electd, counts for dead_after from
 * when electd wrote it, not from when it was read: this process, too, may have stood still. In
 * another time namespace that moment counts as over. Everything that waits in the socket is read
 * before silence is judged. A reply that cannot be, or too much of them, ends the connection and is
 * told, once a minute at most. Decides nothing about leadership.
 */
#ifndef ELECTD_HOOKD_LINK_LINK_H
#define ELECTD_HOOKD_LINK_LINK_H

#include "event.h"

#include <systemd/sd-event.h>

enum {
	LINK_MESSAGE_MAX = 1 << 20,  /* bytes of one event */
	LINK_TURN_MAX = 4 << 20,     /* bytes read in one go: electd keeps less for a reader */
	LINK_AGAIN_US = 200000,	     /* between two attempts to connect */
	LINK_TOLD_US = 60000000,     /* between two lines about the same trouble */
	LINK_DEAD_AFTER_US = 600000, /* until electd says what it is */
	LINK_KEPT_MAX = 64,	     /* connections that have ended; the oldest makes room */
};

enum link_loss {
	LINK_GONE,   /* the connection has ended: electd did, or said nonsense */
	LINK_SILENT, /* it stands, but what was said last does not count any more */
};

struct link_ops {
	/* Each event, in order; what it leads to is to be done in settled(). */
	void (*heard)(void *user, const struct event *event);
	/* After heard(): what was heard does not count any more. May be told twice. */
	void (*lost)(void *user, enum link_loss loss);
	/* After LINK_SILENT: what was heard last counts again. */
	void (*back)(void *user);
	/* Whatever waited was read; not after link_catch_up(). */
	void (*settled)(void *user);
};

struct link;

/* 0 or -errno. It does not connect before link_begin(). */
int link_open(struct link **ret_link, sd_event *event, const char *path, const struct link_ops *ops,
	void *user);
/* Connects, now and whenever the connection has ended. electd need not be there. */
void link_begin(struct link *l);
void link_close(struct link *l);

/* Reads what waits, and judges: before something is begun that rests on what was heard. */
void link_catch_up(struct link *l);

/*
 * Connections that have ended are kept open until then: whoever has a copy of electd's end takes
 * that for a demotion that has not ended (electd-protocol(7), LAST WILL).
 */
void link_let_go(struct link *l);

/* The connection stands and is not silent. */
bool link_stands(const struct link *l);
/* The name that Release is called with; empty: none. */
const char *link_holder(const struct link *l);
const char *link_path(const struct link *l);

#endif
