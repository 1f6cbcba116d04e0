/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: one session of another host, and which of its datagrams are believed (trust.md 3, *A
 * session*).
 *
 * A session numbers its datagrams from 1 in two spaces, to one host and to all, and those of its
 * last will in a third one. A space to one and to all is in one of the states below. Only a
 * datagram in an open space is believed, and only one that its window has not seen. An answer to a
 * Challenge of ours reports the highest sequences that its session has used (`tops`), so no
 * datagram that was recorded before the answer is believed after it. No answer lowers a top: a
 * session that is known under a sequence that it has not used passes it over when it is told. Knows
 * neither keys nor tables: trust.c finds the session, and judges whether an answer was asked for.
 */
#ifndef ELECTD_CORE_TRUST_SESSION_H
#define ELECTD_CORE_TRUST_SESSION_H

#include "core/elect_msg.h"
#include "core/wire/wire.h"

enum {
	/* Links whose copies are told apart: four interfaces, each of both families. Further links
	   share their places. */
	TRUST_LINKS = 8,
	TRUST_OPEN_US = 5000000, /* how long a transaction may be echoed */
	/*
	 * A sequence may lie so far above the top of its window, and so much further for each
	 * second since that top was reached. A thousand membership lists of 32 parts to a thousand
	 * hosts stay below it.
	 */
	SESSION_LEAP = 1 << 16,
	SESSION_LEAP_PER_S = 100000,
	/* Datagrams to one host that may arrive later than an answer that was sent behind them: a
	   Challenge, answers to others. The answer itself is the first. */
	SESSION_RECENT = 5,
};

/* A sequence never lies further ahead, however long its session was silent. */
#define SESSION_LEAP_MAX (UINT64_C(1) << 32)

/* A datagram that lies further ahead is refused, and not passed over: it is never believed. */
#define SESSION_PASSED_AT_ONCE (UINT64_C(1) << 40)

/* A session that is to pass over higher sequences begins anew: so many are left to it. */
#define SESSION_PASSED_MAX (WIRE_WILL_FROM - SESSION_PASSED_AT_ONCE)

enum session_space { TRUST_TO_ONE, TRUST_TO_ALL, TRUST_WILL, TRUST_SPACES };

enum session_state {
	SESSION_UNVERIFIED, /* the session has not answered, or another one has replaced it */
	SESSION_VOUCHED,    /* a verified host lists it: datagrams may be sent to it */
	SESSION_SHUT,	    /* it is verified, and has not reported its top of this space */
	SESSION_OPEN,
	SESSION_ENDED, /* its last will was heard */
	SESSION_STATES
};

enum session_event {
	SESSION_ANSWERS, /* an answer in this space, or one that reports the tops of both */
	SESSION_LIVES,	 /* an answer in the other space */
	SESSION_IS_VOUCHED,
	SESSION_ENDS,	     /* its last will was heard */
	SESSION_IS_REPLACED, /* another session of its host is verified */
	SESSION_EVENTS
};

enum session_act {
	SESSION_BELIEVE,
	SESSION_ASK,	/* to be believed when a Challenge has been answered */
	SESSION_COPY,	/* the first copy of a believed datagram by this link */
	SESSION_REFUSE, /* seen, too old, or too far ahead */
};

struct session_window {
	enum session_state state;   /* unused in the space of the will */
	uint64_t top;		    /* highest sequence seen, 0: none */
	uint64_t refused;	    /* highest above the top that can be passed over, 0: none */
	uint64_t rose_us;	    /* when the top was reached or reported last, 0: never */
	uint64_t seen[TRUST_LINKS]; /* by that link; bit i: top - i was seen */
	uint64_t asked_us;	    /* when a refused datagram caused a Challenge last, 0: never */
	uint64_t passed_us;	    /* the other space rose first since this one did, 0: not yet */
	uint64_t below_gap;	    /* surely used, as far as was known before the last large gap */
	unsigned steps;		    /* rises of the top since that gap; see note_step() */
	bool leapt;		    /* by 64 or more since the last report: perhaps forged */
};

struct trust_session {
	uint64_t session; /* 0: none */
	uint64_t incarnation;
	uint64_t last_us;     /* last authentic datagram that was no copy */
	uint64_t proven_us;   /* when an answer verified it last */
	uint64_t answered_us; /* last answer */
	uint64_t will_us;     /* first datagram of its last will since then, 0: none */
	uint64_t told_us;     /* when its last answer caused one more Challenge, 0: none did */
	uint32_t will_words;  /* of last wills that were heard, forged ones too */
	bool withdrawn;	      /* an answer has shown that one was forged */
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

/* One event for both spaces. */
void session_apply(struct trust_session *s, enum session_event event);

/*
 * The judgement of a datagram of this session that came by `link`; changes nothing. Whether the
 * session was verified when the first datagram of its will came, the caller knows.
 */
enum session_act session_judge(
	const struct trust_session *s, uint64_t now_us, unsigned link, const struct wire_header *h);

/* Are the tops of this answer such as an honest session reports? */
bool session_tops_valid(const struct wire_header *h, const struct session_answer *answer);

/* A datagram that is believed, one of the will, or a copy was seen. */
void session_saw(
	struct trust_session *s, uint64_t now_us, unsigned link, const struct wire_header *h);

/*
 * The session is verified by that answer, whose tops are valid. True: it reports a lower top than
 * one that was heard before the question, and is to be told ret_heard by one more Challenge, now.
 */
bool session_answered(struct trust_session *s, uint64_t now_us, uint64_t beacon_us, unsigned link,
	const struct wire_header *h, const struct session_answer *answer,
	struct elect_heard *ret_heard);

/*
 * Is the session to be challenged because of this datagram? True if something above the top of
 * a window was refused; or if the top of the datagram's own space has leapt, or has neither risen
 * nor been reported for a beacon; and no such Challenge was sent for a beacon, or for a quarter of
 * one where a window was forged and the session answers. A longer pause would be one that an
 * insider leaves behind. ret_heard is what the Challenge tells.
 */
bool session_suspects(const struct trust_session *s, uint64_t now_us, uint64_t beacon_us,
	const struct wire_header *h, struct elect_heard *ret_heard);

/*
 * This authentic datagram was refused. If it lies above the top, nothing above that is believed
 * until its session has passed it over: a recording of it may come later.
 */
void session_refused(struct trust_session *s, const struct wire_header *h);

/* That Challenge is sent now. */
void session_asked(struct trust_session *s, uint64_t now_us, const struct wire_header *h);

/* Is such a Challenge open? */
bool session_awaits_answer(const struct trust_session *s, uint64_t now_us);

#endif
