/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: what the files of the control socket share, and nobody else may see. Each calls only
 * those before it: holders.c (whom leadership waits for), client.c (one connection), watch.c (those
 * who are told of changes), serve.c (requests as they come in), places.c (who gets a place),
 * socket.c.
 */
#ifndef ELECTD_CONTROL_INSIDE_H
#define ELECTD_CONTROL_INSIDE_H

#include "call.h"
#include "subuid.h"

#include <sys/un.h>

struct event;
struct evbuffer;

struct client {
	struct ctl *ctl; /* NULL: the place is free */
	int fd;
	struct ctl_peer peer;
	uid_t user;	 /* whom its place counts for */
	uint64_t number; /* of all that came */
	struct event *readable, *writable;
	struct event *timer; /* idle; the end of a Wait */
	struct ctl_input input;
	struct evbuffer *output;
	bool subscribed;
	bool waiting; /* for `wait` to become true */
	struct ctl_wait wait;
	char holder[CTL_HOLDER_SIZE]; /* a subscriber with this name is a holder; empty: none */
	char name[CTL_NAME_MAX + 1];  /* what it calls itself; empty: nothing */
	bool asked;		      /* to release, and has not yet */
	bool alive_due;		      /* once its output is gone */
	bool missed;		      /* an event was not kept for it: a snapshot is due */
	bool ending;		      /* nothing more is read; closed once the output is gone */
};

/* A holder whose connection ended though it may be at work. */
struct gone {
	char holder[CTL_HOLDER_SIZE];
	char name[CTL_NAME_MAX + 1];
	uid_t uid;
};

struct ctl {
	struct event_base *base;
	struct ctl_source source;
	int fd;
	int lock_fd; /* of the runtime folder */
	struct event *acceptable;
	struct event *rested;	/* after the system had no room */
	struct event *alive;	/* every beacon, while there are holders */
	struct event *released; /* set off when the last holder has let go */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	dev_t device; /* of what was bound there, */
	ino_t inode;  /* which somebody may replace */
	struct ctl_group {
		bool exists;
		gid_t gid;
	} admins, reporters;
	struct subuid subuid;
	uint64_t came;	   /* clients so far */
	uint64_t sequence; /* of the last change published */
	uint64_t holders_changed;
	bool releasing;	  /* the source waits for released() */
	uint64_t release; /* the number of that release, or of the last one */
	enum elect_purpose purpose;
	bool leads;			/* as published last */
	struct gone gone[CTL_GONE_MAX]; /* while it leads */
	unsigned gone_count, gone_more; /* more: those without a row */
	struct client clients[CTL_PLACES];
};

/* ---- control/holders.c ----------------------------------------------------------------------- */

bool holder_is(const struct client *c);
/* Is there one whose connection stands? */
bool holders_any(const struct ctl *ctl);
/* Holders that are gone though their work on this role may go on: how many. */
unsigned holders_lost(const struct ctl *ctl);
/* How many a release still waits for, those that are gone among them. */
unsigned holders_asked(const struct ctl *ctl);
/* A client is about to be told that it is one. */
void holders_came(struct client *c);
/* The connection of a holder is about to be closed. */
void holders_leave(const struct client *c);
/* A client is a holder no more, if it was one: it was closed, or has left. */
void holders_gone(struct ctl *ctl, bool holder);
/* Records the published role. When the role ends, holders that are gone are forgotten. */
void holders_role(struct ctl *ctl, bool leads);
/* May this client, which calls itself `name`, hold too, as far as kept places go? */
bool holders_fit(const struct client *c, const char *name);
/* Is that holder, NULL: any, electd-hookd? */
bool holders_hookd(const struct ctl *ctl, const char *holder);
/* What Release asks for. */
enum ctl_error holders_release(
	struct ctl *ctl, const struct ctl_peer *peer, const char *holder, uint64_t number);

/* ---- control/client.c ------------------------------------------------------------------------ */

void client_close(struct client *c);
/* There are too many: told so, and closed. The second one had a place until now. */
void client_turn_away(int fd);
void client_displace(struct client *c);
/* Ten seconds for a request; as long as was asked for to wait; no end to a subscription. */
void client_set_timer(struct client *c);
/*
 * Sends a text and frees it; NULL: there was no memory for it. A client that cannot be told is cut
 * off, but a holder misses it. False: the client is gone.
 */
bool client_send(struct client *c, char *text, size_t size);
/*
 * The same, to one whose output is empty, and at once as far as that goes: not for what the LAN or
 * the copy of this process is to know first.
 */
bool client_send_now(struct client *c, char *text, size_t size);
/* A Wait is over: its answer, and then what else was asked. */
void client_answer(struct client *c, char *text, size_t size);

/* ---- control/watch.c ------------------------------------------------------------------------- */

int watch_open(struct ctl *ctl);
void watch_close(struct ctl *ctl);
/* A client has become a holder. */
void watch_holder_came(struct client *c);
/* A client has taken all of its output. A holder gets what is due. False: nothing more of it. */
bool watch_caught_up(struct client *c);

/* ---- control/serve.c ------------------------------------------------------------------------- */

/* Takes a connection into a free place. 0, or -ENOMEM and then to be closed. */
int serve_open(struct ctl *ctl, struct client *c, int fd, const struct ctl_peer *peer, uid_t user);

/* ---- control/places.c ------------------------------------------------------------------------ */

/* Whom that uid counts for: subordinate uids are their user's. */
uid_t place_user(struct ctl *ctl, uid_t uid);
/*
 * A free place, if need be another client's; NULL: there is none for this user. Sets `kept` of the
 * peer if the place is one of those.
 */
struct client *place_for(struct ctl *ctl, struct ctl_peer *peer, uid_t user);

#endif
