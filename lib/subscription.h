/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subscription: the connection on which electd sends its events. Connects again whenever the
 * connection has ended. An invalid reply, or a flood of replies, ends the connection. Decides
 * nothing about leadership.
 */
#ifndef ELECTD_LIB_SUBSCRIPTION_H
#define ELECTD_LIB_SUBSCRIPTION_H

#include "lib/event.h"
#include "lib/holder.h"

enum {
	SUBSCRIPTION_MESSAGE_MAX = 1 << 20, /* bytes of one event */
	SUBSCRIPTION_TURN_MAX =
		4 << 20,		/* bytes read in one turn; electd keeps less for a reader */
	SUBSCRIPTION_AGAIN_US = 200000, /* between two attempts to connect */
	SUBSCRIPTION_KEPT_MAX = 64, /* connections that have ended; the oldest is closed first */
};

enum subscription_news {
	SUBSCRIPTION_NOTHING,
	SUBSCRIPTION_EVENT,
	SUBSCRIPTION_SILENT, /* the last event does not count any more; see holder_judge() */
	SUBSCRIPTION_BACK,   /* the last event counts again */
	SUBSCRIPTION_GONE,   /* the connection has ended */
	SUBSCRIPTION_FAILED, /* there is no connection */
};

struct subscription;

/*
 * `name`: of the holder; NULL: the program only watches. `early`: it has rank address. 0 or -errno.
 * Does not connect before subscription_begin().
 */
int subscription_open(struct subscription **ret, const char *path, const char *name, bool early);
void subscription_begin(struct subscription *s);
/* NULL is allowed. */
void subscription_close(struct subscription *s);

/* False in a child that fork() made: the connection is its parent's. */
bool subscription_is_own(const struct subscription *s);

/* Returns a descriptor that is readable when subscription_next() has something to do. */
int subscription_fd(const struct subscription *s);
/* Returns the time on the boot clock at which it has something to do; UINT64_MAX: none. */
uint64_t subscription_due_us(const struct subscription *s);

/* Begins a turn: the caller is about to read what waits. A flood must not hold it for ever. */
void subscription_turn(struct subscription *s);

/*
 * Connects if that is due, reads, and judges silence. Never blocks. NOTHING: everything that waited
 * was read. The event is valid until the next call.
 */
enum subscription_news subscription_next(struct subscription *s, const struct event **ret_event);

/* Returns whether Subscribe was sent and electd has not answered yet. */
bool subscription_asks(const struct subscription *s);

/*
 * Returns why there is no connection, after GONE and FAILED. A positive errno: EACCES: electd does
 * not let this program subscribe; EBUSY: electd has no place; EREMOTE: electd sent another error;
 * EBADMSG: an invalid event; EPROTO: electd left out an event; EMSGSIZE: electd sent too much;
 * others: of the socket. ret_detail: the key that is wrong, or NULL.
 */
int subscription_error(const struct subscription *s, const char **ret_detail);

const struct holder *subscription_holder(const struct subscription *s);

/* Closes connections that have ended; see work.h. */
void subscription_let_go(struct subscription *s);

#endif
