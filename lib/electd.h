/* SPDX-License-Identifier: Apache-2.0 */
/*
 * electd: follow the leader that the electd of this host reports, and act only while this host
 * leads (electd(3)).
 *
 *	electd_process()	the next event
 *	electd_may_act()	before each act: may it begin?
 *	electd_released()	the work has ended, so the next leader may begin
 *
 * Nothing blocks but electd_close(). The library starts no thread, handles no signal and has no
 * global state. Different threads may use different handles. A handle belongs to one process: a
 * child that fork() made must not use it.
 *
 * Functions that return int return a negative errno when they fail.
 */
#ifndef ELECTD_H
#define ELECTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct electd electd;

/*
 * The order of holders in a hand-over: rank ADDRESS begins first and ends last. All other holders
 * begin when those of rank ADDRESS have called electd_promoted(), or after a second, and end before
 * them.
 */
enum electd_rank {
	ELECTD_RANK_HOOK,
	ELECTD_RANK_ADDRESS, /* for what moves the leader's addresses: root or user electd-address
			      */
};

enum {
	ELECTD_NAME_SIZE = 64,	  /* with the NUL, as all of these */
	ELECTD_ID_SIZE = 40,	  /* 32 hexadecimal digits */
	ELECTD_ADDRESS_SIZE = 64, /* IPv4, IPv6, or IPv6%INTERFACE */
	ELECTD_GROUP_SIZE = 96,	  /* COORDINATOR.COUNTER */
	ELECTD_WORD_SIZE = 32,
};

/* Set `size` to sizeof(struct electd_options) and what you do not need to 0. */
struct electd_options {
	size_t size;
	const char *socket;   /* path of the control socket; NULL: that of `instance` */
	const char *instance; /* NAME of electd@NAME; NULL: of electd */
	/*
	 * Makes the program a holder: leadership does not pass on while the program acts. The name
	 * is shown in logs: 1 to 63 printable ASCII characters. Needs root or the group
	 * electd-admin. NULL: the program only watches.
	 */
	const char *name;
	int rank; /* enum electd_rank; of a holder */
};

/*
 * Makes a handle. electd need not run: the library connects as soon as it does, and again whenever
 * the connection has ended. -EINVAL, -ENAMETOOLONG, -ENOMEM, -EMFILE and others.
 */
int electd_open(electd **ret, const struct electd_options *options);

/*
 * Frees the handle; NULL is allowed. For a holder, this says that all its work has ended. It then
 * waits for electd, but for at most one second.
 */
void electd_close(electd *e);

/*
 * Returns a descriptor that is readable when electd_process() has something to do. The same one for
 * the life of the handle. Do not read it; use it only in poll(2), epoll(7) and event loops.
 */
int electd_fd(const electd *e);

/* Returns after how many milliseconds electd_process() must be called at the latest; -1: none. */
int electd_timeout_ms(const electd *e);

enum electd_type {
	ELECTD_SNAPSHOT, /* the state: first, after a new connection, and after events left out */
	ELECTD_LEADER,	 /* this host leads; or leads with another token */
	ELECTD_FOLLOWER, /* another host leads */
	ELECTD_NONE,	 /* no leader is known */
	ELECTD_MEMBERS,	 /* hosts have come or gone */
	ELECTD_STATE,	 /* something else has changed */
	/* For holders. */
	ELECTD_RELEASE,	     /* end the work, then call electd_released() */
	ELECTD_RELEASE_OVER, /* electd does not wait for the release any more */
	ELECTD_SILENT,	     /* electd is silent: this host may have lost leadership */
	ELECTD_BACK,	     /* electd is heard again */
	/* The connection has ended: what was known does not count any more. See `error`. */
	ELECTD_LOST,
	/* A report was refused. See `error` and `words`. */
	ELECTD_REFUSED,
};

enum electd_role {
	ELECTD_ROLE_NONE,
	ELECTD_ROLE_FOLLOWER,
	ELECTD_ROLE_LEADER,
};

/* Set `size` to sizeof(struct electd_event) before electd_process(). Empty texts: not known. */
struct electd_event {
	size_t size;
	int type; /* enum electd_type; later versions may add types */
	int role; /* enum electd_role, of this host */
	/*
	 * LOST: ECONNRESET: electd has ended; EBADMSG, EMSGSIZE, EPROTO: what came was not
	 * electd's; EACCES, EBUSY, EREMOTE: electd sent an error. REFUSED: EACCES: needs root or
	 * the group electd-report; EINVAL: see `words`.
	 */
	int error;
	int yielding;		/* 1: this host leads, but hands over */
	uint64_t token;		/* grows with each new leader; 0: no leader is known */
	uint64_t until_boot_ms; /* CLOCK_BOOTTIME, at the time of the event; 0: does not lead */
	uint64_t ending_ms;	/* how long the work may take to end after until_boot_ms */
	char group[ELECTD_GROUP_SIZE];
	char leader[ELECTD_NAME_SIZE];
	char leader_id[ELECTD_ID_SIZE];
	char leader_address[ELECTD_ADDRESS_SIZE];
	char reason[ELECTD_WORD_SIZE];	/* of the last change of leader, as in electctl(1) */
	char purpose[ELECTD_WORD_SIZE]; /* RELEASE: yield, resign, stop or bar */
	char words[ELECTD_GROUP_SIZE];	/* LOST, REFUSED: a detail, for people */
};

/*
 * Does what is due, and returns the next event: 1. 0: there is none now. Never blocks.
 *
 * An error means that there is no connection. It is returned once, until the reason changes; the
 * library tries again by itself: -ENOENT, -ECONNREFUSED: electd does not run here; -EACCES: a
 * holder needs root or the group electd-admin; -EBUSY: too many programs use electd; -ECONNRESET,
 * -EREMOTE, -EBADMSG, -EPROTO, -EMSGSIZE: what listens is no electd. And with a connection: -EXDEV:
 * electd is in another time namespace, so electd_may_act() is never true.
 */
int electd_process(electd *e, struct electd_event *ret);

/*
 * Returns whether the program may act as the leader now. Ask before each act, and begin no act that
 * takes longer than ending_ms. Reads what electd has sent, and looks at the clock.
 *
 * True: this host leads with *ret_token, which may be NULL, and leadership does not pass on before
 * electd_released(). False: this host does not lead, has not been heard for too long, or was asked
 * to hand over; end the work and call electd_released(). Also false as long as the event with the
 * current token was not taken from electd_process().
 */
bool electd_may_act(electd *e, uint64_t *ret_token);

/*
 * Returns the time of CLOCK_BOOTTIME, in milliseconds, at which this host stops leading if electd
 * is not heard again; each sign of electd moves it. *ret_ending_ms, which may be NULL: after that,
 * how long the work may take to end before another host may begin. 0: not known.
 */
uint64_t electd_until_boot_ms(const electd *e, uint64_t *ret_ending_ms);

/*
 * All work has ended, so leadership may pass on. Without work, the library reports that by itself.
 * The next work begins with electd_may_act().
 */
int electd_released(electd *e);

/*
 * For rank ADDRESS: the addresses are here, so other holders may begin. Call it once for each token
 * of electd_may_act(), and again after ELECTD_SNAPSHOT. Without work it does nothing. -EINVAL:
 * another rank, or no holder; -ENOMEM.
 */
int electd_promoted(electd *e);

/* Set `size` to sizeof(struct electd_report) and what you do not need to 0. */
struct electd_report {
	size_t size;
	const char *name;  /* of what is judged: letters, digits, '.', '_', '-' */
	const char *words; /* why, for people; at most 200 bytes; NULL: none */
	bool well;
	bool leading;	   /* about work that runs only on the leader */
	unsigned fall;	   /* sick after so many bad reports in a row; 0: 1 */
	unsigned rise;	   /* well after so many good ones; 0: 1 */
	unsigned stale_ms; /* sick after so long without a report; 0: no limit */
};

/*
 * Reports the health of something that this host needs to lead (electd-health(7)). Queued;
 * electd_process() sends it, as soon as electd runs. A newer report replaces a queued one of its
 * name. -EAGAIN: the queue is full; -EINVAL: a value is not allowed.
 */
int electd_report(electd *e, const struct electd_report *report);

#ifdef __cplusplus
}
#endif
#endif
