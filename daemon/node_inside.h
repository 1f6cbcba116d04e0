/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_inside: what the files of node share, and nobody else may see.
 */
#ifndef ELECTD_NODE_INSIDE_H
#define ELECTD_NODE_INSIDE_H

#include "core/host.h"
#include "ctl.h"
#include "log.h"
#include "net.h"
#include "node.h"
#include "node_names.h"
#include "store.h"

struct event;
struct event_base;

enum {
	NODE_LEAVE_MORE_US = 1000000, /* after yield_timeout, without EXIT: left anyway */
	NODE_PROBLEMS = 11,	      /* bits of elect_view.problems */
};

struct node {
	struct node_options options;
	struct conf conf;
	uint8_t key_id;
	uint64_t incarnation;
	struct host *host;
	struct event_base *base;
	struct net *net;
	struct store *store;
	struct ctl *ctl;
	struct event *timer, *stored, *watchdog, *leave;
	struct event *signals[3];
	int timer_fd;

	bool running; /* the core has had its START */
	bool leaving;
	bool discarded; /* the step just made threw away what had arrived */
	bool release_due;
	bool link_up, no_path_told, store_failed;
	uint64_t wake_us, armed_us;
	struct elect_view view;	  /* the last one shown */
	struct elect_view logged; /* the last one that had a line of its own */
	struct log_faults faults;
	struct node_names *names;
	const char *patterns[CONF_INTERFACES_MAX];
	int exit_status;
};

/* ---- node.c: time and steps ---------------------------------------------------------------- */

uint64_t node_now(void);
/* Feeds what is overdue. Whatever comes from outside calls this first. */
void node_catch_up(struct node *n);
/* Any event but START and MESSAGE; sets its time. */
void node_step(struct node *n, struct elect_event *event);
/* Acts on a step, and on what its actions answer. */
void node_finish(struct node *n, const struct elect_actions *actions);
/* Tells the core when the first carrier comes or the last one goes. */
void node_follow_carrier(struct node *n);

/* ---- node.c: what wakes the loop; `user` is the node -------------------------------------------
 */

extern const struct net_handler node_net_handler;
void node_on_timer(int fd, short what, void *user);
void node_on_stored(int fd, short what, void *user);
void node_on_watchdog(int fd, short what, void *user);
void node_on_leave(int fd, short what, void *user);
void node_on_signal(int signal_number, short what, void *user);

/* ---- node_open.c --------------------------------------------------------------------------- */

/* 0 and running, or -1 with exit_status set and the reason said; node_close() in any case. */
int node_open(struct node *n, uint8_t secret[TRUST_KEY_SIZE]);
void node_close(struct node *n);

/* ---- node_act.c: what the core wants done -------------------------------------------------- */

void node_act(struct node *n, uint64_t now_us, const struct elect_actions *actions);

/* ---- node_tell.c: what people and programs are told --------------------------------------------
 */

/* Which event of the control socket a change is; NULL: nothing changed. */
const char *node_event_name(const struct elect_view *old, const struct elect_view *view);
/* `last`: no other view of the same step follows. */
void node_tell(struct node *n, const struct elect_view *view, bool last);
/* For those who debug: one line an action, views have their own. */
void node_tell_action(struct node *n, const struct elect_action *action);
void node_tell_faults(struct node *n);
/* At the end: what was not told yet, and what is ordinary. */
void node_tell_last_faults(struct node *n);
/* For ctl_open(); `user` is the node. */
extern const struct ctl_source node_ctl_source;

/* ---- node_reload.c -----------------------------------------------------------------------------
 */

/*
 * What of `next` may be taken over while running is copied into conf; the rest waits for a
 * restart. Names of both go into the texts, separated by commas.
 */
void node_reload_merge(struct conf *conf, const struct conf *next, char *ret_taken,
	char *ret_waiting, size_t size);
void node_reload(struct node *n);

#endif
