/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: declarations that only the files of the control socket share. Each file calls only those
 * before it: holders.c (clients that leadership waits for), client.c (one connection), watch.c
 * (events), serve.c (incoming requests), places.c (which client is served), socket.c.
 */
#ifndef ELECTD_CONTROL_INSIDE_H
#define ELECTD_CONTROL_INSIDE_H

#include "call.h"
#include "core/ranks.h"
#include "subuid.h"

#include <sys/un.h>

struct event;
struct evbuffer;

struct client {
	struct ctl *ctl; /* NULL: the place is free */
	int fd;
	struct ctl_peer peer;
	uid_t user;	 /* the user that the place is charged to */
	uint64_t number; /* consecutive, over all clients so far */
	struct event *readable, *writable;
	struct event *timer; /* idle time, or the timeout of a Wait */
	struct ctl_input input;
	struct evbuffer *output;
	bool subscribed;
	bool waiting; /* until `wait` is true */
	struct ctl_wait wait;
	char holder[CTL_HOLDER_SIZE]; /* identifies a holder to Release; empty: no holder */
	char name[CTL_NAME_MAX + 1];  /* as a holder calls itself; may be empty */
	enum rank rank;		      /* of a holder */
	uint64_t promoted;	      /* token with which rank ADDRESS has begun; 0: it has not */
	bool owes;		      /* has not released what is to be released */
	bool alive_due;		      /* send `alive` once the output is empty */
	bool missed;		      /* this holder missed an event and must get a snapshot */
	bool ending;		      /* read nothing more; close when the output is empty */
};

/* A holder whose connection ended while its work may go on. */
struct gone {
	char holder[CTL_HOLDER_SIZE];
	char name[CTL_NAME_MAX + 1];
	uid_t uid;
	enum rank rank;
};

struct ctl {
	struct event_base *base;
	struct ctl_source source;
	int fd;
	int lock_fd; /* on the lock file in the runtime folder */
	struct event *acceptable;
	struct event *rested;	/* resumes accepting after an error of accept4() */
	struct event *alive;	/* fires every beacon interval while there are holders */
	struct event *released; /* activated when the last holder has released */
	struct event *ranked;	/* activated when something may change in `ranks`, ... */
	struct event *rank_due; /* ... and by time */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	dev_t device; /* device and inode of the bound socket, because the file can be replaced */
	ino_t inode;
	struct ctl_group {
		bool exists;
		gid_t gid;
	} admins, reporters;
	struct ctl_user {
		bool exists;
		uid_t uid;
	} addresses; /* the user electd-address */
	struct subuid subuid;
	uint64_t came;	   /* clients so far */
	uint64_t sequence; /* number of the last published change */
	uint64_t holders_changed;
	bool releasing;	  /* the source waits for released() */
	uint64_t release; /* number of the current release, or of the last one */
	enum elect_purpose purpose;
	struct ranks ranks;
	/* Sent already: with the last change; to the source; to holders of rank ADDRESS. */
	bool promotes_sent, late_sent, address_asked;
	bool leads;			/* as published last */
	uint64_t token;			/* of that role */
	struct gone gone[CTL_GONE_MAX]; /* kept while this host leads */
	unsigned gone_count, gone_more; /* gone_more: those that did not fit into the array */
	struct client clients[CTL_PLACES];
};

/* ---- control/holders.c ----------------------------------------------------------------------- */

bool holder_is(const struct client *c);
/* True if there is a holder that is connected. */
bool holders_any(const struct ctl *ctl);
/* Number of holders whose connection ended while their work for the current role may go on. */
unsigned holders_lost(const struct ctl *ctl);
/* Number of holders that a release still waits for, including those whose connection ended. */
unsigned holders_owing(const struct ctl *ctl);
/* True if the holder has not released, and its rank is asked to. */
bool holder_asked(const struct client *c);
/* Counts the holders that the ranks wait for, and applies that. */
void holders_look(struct ctl *ctl, uint64_t now_us);
/* Looks at the ranks from the event loop, because this may be inside one of its steps. */
void holders_look_soon(struct ctl *ctl);
/* Call it before the client gets the reply that makes it a holder. */
void holders_came(struct client *c);
/* Call it before the connection of a holder is closed. */
void holders_leave(const struct client *c);
/* A client was closed or has left. `holder`: it was a holder. */
void holders_gone(struct ctl *ctl, bool holder);
/* Records the published role. When the role ends, holders that are gone are forgotten. */
void holders_role(struct ctl *ctl, bool leads, uint64_t token);
/* Rank ADDRESS has begun with that token. False: the caller has no such holder. */
bool holders_promoted(
	struct ctl *ctl, const struct ctl_peer *peer, const char *holder, uint64_t token);
/* False: the client has a reserved place, and holders already have too many of those; or its user
   has too many holders of rank ADDRESS. */
bool holders_fit(const struct client *c, const char *name, enum rank rank);
/* True if that holder is electd-hookd; NULL: if any holder is. */
bool holders_hookd(const struct ctl *ctl, const char *holder);
/* True if that holder reports addresses; NULL: if any holder does. `peer` NULL: of any user. */
bool holders_address(const struct ctl *ctl, const struct ctl_peer *peer, const char *holder);
/* Carries out a Release. Returns CTL_OK or the error for the client. */
enum ctl_error holders_release(
	struct ctl *ctl, const struct ctl_peer *peer, const char *holder, uint64_t number);

/* ---- control/client.c ------------------------------------------------------------------------ */

void client_close(struct client *c);
/* Too many clients: send an error and close. client_displace() closes one that had a place. */
void client_turn_away(int fd);
void client_displace(struct client *c);
/* Sets CTL_IDLE_S for a request, the client's own timeout for a Wait, none for a subscription. */
void client_set_timer(struct client *c);
/*
 * Sends a text and frees it; NULL: there was no memory for it. If the text cannot be sent, the
 * client is cut off, but a holder only misses it. False: the client is gone.
 */
bool client_send(struct client *c, char *text, size_t size);
/*
 * The same for a client whose output is empty, with a direct send(). Do not use it for an event
 * that the LAN or the copy of this process must know first.
 */
bool client_send_now(struct client *c, char *text, size_t size);
/* Answers a Wait; then the next request is served. */
void client_answer(struct client *c, char *text, size_t size);

/* ---- control/watch.c ------------------------------------------------------------------------- */

int watch_open(struct ctl *ctl);
void watch_close(struct ctl *ctl);
void watch_holder_came(struct client *c);
/* The output is empty: sends a holder what is due. False: serve no request of this client now. */
bool watch_caught_up(struct client *c);

/* ---- control/serve.c ------------------------------------------------------------------------- */

/* Puts a connection into a free place. 0, or -ENOMEM: the caller must close the client. */
int serve_open(struct ctl *ctl, struct client *c, int fd, const struct ctl_peer *peer, uid_t user);

/* ---- control/places.c ------------------------------------------------------------------------ */

/* The user that a uid is charged to: a subordinate uid is charged to the user who owns it. */
uid_t place_user(struct ctl *ctl, uid_t uid);
/* A free place, or one taken from another client; NULL: none for this user. Sets peer->kept. */
struct client *place_for(struct ctl *ctl, struct ctl_peer *peer, uid_t user);

#endif
