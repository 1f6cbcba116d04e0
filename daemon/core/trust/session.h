/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: the state of one session of another host, which decides which of its datagrams are
 * believed (sessions.md, A session).
 *
 * A session numbers its datagrams from 1 in two spaces, to one host and to all, and those of its
 * last will in a third space. The first two spaces are each in one of the states below. A datagram
 * is believed only if its space is open and its window has not seen it. An answer to a Challenge of
 * ours reports the highest sequences that its session has used (`tops`), so no datagram that was
 * recorded before the answer is believed after it. No answer that reports tops lowers a top. If
 * this host has heard a sequence that the session has not used, it reports that to the session,
 * which then passes the sequence over.
 *
 * This module knows neither keys nor tables: trust.c finds the session, and decides whether an
 * answer was asked for. Times are microseconds.
 */
#ifndef ELECTD_CORE_TRUST_SESSION_H
#define ELECTD_CORE_TRUST_SESSION_H

#include "core/elect_msg.h"
#include "core/wire/wire.h"

enum {
	/* Links whose copies are distinguished: four interfaces, each with both address families.
	   Further links share these places. */
	TRUST_LINKS = 8,
	TRUST_OPEN_US = 5000000, /* time in which a transaction may be echoed */
	/*
	 * A sequence is believed up to SESSION_LEAP above the top of its window, and further by
	 * SESSION_LEAP_PER_S for each second since that top was reached or reported. The longest
	 * list, 32 parts, to each of a thousand hosts alone stays below it.
	 */
	SESSION_LEAP = 1 << 16,
	SESSION_LEAP_PER_S = 100000,
	/* The last sequences to one host that an answer leaves unseen: its own, and those of a
	   Challenge and of answers to others, which may arrive later. */
	SESSION_RECENT = 5,
};

/* The most that a sequence may lie ahead, however long its session was silent. */
#define SESSION_LEAP_MAX (UINT64_C(1) << 32)

/* A datagram further ahead than this is refused, never passed over, and never believed. */
#define SESSION_PASSED_AT_ONCE (UINT64_C(1) << 40)

/*
 * The highest sequence that a session passes over; above it, the session begins anew. This leaves
 * SESSION_PASSED_AT_ONCE sequences to the session.
 */
#define SESSION_PASSED_MAX (WIRE_WILL_FROM - SESSION_PASSED_AT_ONCE)

/* The spaces of sequences: to one host, to all, and of the last will. */
enum session_space { TRUST_TO_ONE, TRUST_TO_ALL, TRUST_WILL, TRUST_SPACES };

enum session_state {
	SESSION_UNVERIFIED, /* the session has not answered, or another one has replaced it */
	SESSION_VOUCHED,    /* a verified host lists the session: datagrams may be sent to it */
	SESSION_SHUT,	    /* the session is verified, and its top in this space is not reported */
	SESSION_OPEN,
	SESSION_ENDED, /* the last will of the session was heard */
	SESSION_STATES
};

enum session_event {
	SESSION_ANSWERS, /* an answer in this space, or one that reports the tops of both */
	SESSION_LIVES,	 /* an answer in the other space, without tops */
	SESSION_IS_VOUCHED,
	SESSION_ENDS,	     /* the last will of the session was heard */
	SESSION_IS_REPLACED, /* another session of the same host is verified */
	SESSION_EVENTS
};

enum session_act {
	SESSION_BELIEVE,
	SESSION_ASK,	/* a Challenge has to be answered before this is believed */
	SESSION_COPY,	/* the first copy of a believed datagram on this link */
	SESSION_REFUSE, /* seen, too old, or too far ahead */
};

struct session_window {
	enum session_state state;   /* unused in the space of the will */
	uint64_t top;		    /* highest sequence seen; 0: none */
	uint64_t refused;	    /* highest refused one that can be passed over; 0: none */
	uint64_t rose_us;	    /* when the top was reached or reported last; 0: never */
	uint64_t seen[TRUST_LINKS]; /* by link; bit i: top - i was seen */
	uint64_t asked_us;	    /* when a refused datagram last caused a Challenge; 0: never */
	uint64_t passed_us;	    /* first rise of the other space since rose_us; 0: none yet */
	uint64_t below_gap;	    /* highest surely used sequence before the last large gap */
	unsigned steps;		    /* rises of the top since that gap, up to 64 (note_step()) */
	bool leapt;		    /* leapt by 64 or more since the last report: may be forged */
};

struct trust_session {
	uint64_t session; /* 0: none */
	uint64_t incarnation;
	uint64_t last_us;     /* last authentic datagram that was no copy */
	uint64_t proven_us;   /* when an answer verified it last */
	uint64_t answered_us; /* last answer */
	uint64_t will_us;     /* first datagram of its last will since then; 0: none */
	uint64_t told_us;     /* when its last answer caused one more Challenge; 0: never */
	uint32_t will_words;  /* number of messages of wills heard, forged ones too */
	bool withdrawn;	      /* an answer has shown that a will was forged */
	bool reports;	      /* an answer has reported tops; hosts of 0.1 do not */
	struct session_window windows[TRUST_SPACES];
};

/* An answer to a request of ours. */
struct session_answer {
	uint64_t asked_us;	       /* when the request was sent */
	bool alone;		       /* the request was a Challenge to one host */
	const struct elect_tops *tops; /* reported by its sender; to_one 0: not reported */
};

enum session_space session_space(const struct wire_header *h);

/* The session has answered, and its last will was not heard since. */
bool session_verified(const struct trust_session *s);

static inline bool session_vouched(const struct trust_session *s)
{
	return s->windows[TRUST_TO_ONE].state == SESSION_VOUCHED;
}

/* Applies one event to both spaces. */
void session_apply(struct trust_session *s, enum session_event event);

/*
 * Judges a datagram of this session that came by `link`; changes nothing. A message of a will is
 * believed only if the session was verified when the first one came; the caller has to know that.
 */
enum session_act session_judge(
	const struct trust_session *s, uint64_t now_us, unsigned link, const struct wire_header *h);

/* Would an honest session report the tops of this answer? */
bool session_tops_valid(const struct wire_header *h, const struct session_answer *answer);

/* Notes a datagram that was believed, is a message of a will, or is a copy. */
void session_saw(
	struct trust_session *s, uint64_t now_us, unsigned link, const struct wire_header *h);

/*
 * Notes an answer whose tops are valid; it verifies the session. Returns true if the answer reports
 * a lower top than one that was seen before the question, or than a refused sequence: one more
 * Challenge then has to report ret_heard to the session, now.
 */
bool session_answered(struct trust_session *s, uint64_t now_us, uint64_t beacon_us, unsigned link,
	const struct wire_header *h, const struct session_answer *answer,
	struct elect_heard *ret_heard);

/*
 * Is the session to be challenged because of this refused datagram? Yes, if a sequence above the
 * top of a window was refused, or if the top of the datagram's space has leapt, or was neither
 * raised nor reported for a beacon. There is one such Challenge a beacon; but four if a window may
 * be forged and the session answers, because an insider's forgery works until then. ret_heard is
 * what the Challenge reports to the session.
 */
bool session_suspects(const struct trust_session *s, uint64_t now_us, uint64_t beacon_us,
	const struct wire_header *h, struct elect_heard *ret_heard);

/*
 * Notes an authentic datagram that was refused. If it lies above the top, nothing above the top is
 * believed until the session has passed it over, because a recording of it may come later.
 */
void session_refused(struct trust_session *s, const struct wire_header *h);

/* Notes that the Challenge which session_suspects() asks for is sent now. */
void session_asked(struct trust_session *s, uint64_t now_us, const struct wire_header *h);

/* Is such a Challenge, or one that session_answered() has asked for, open? */
bool session_awaits_answer(const struct trust_session *s, uint64_t now_us);

#endif
