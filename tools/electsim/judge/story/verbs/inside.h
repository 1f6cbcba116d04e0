/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: one function per verb; verbs.c has the table. Each reads the words after its name and
 * returns 0, or -EINVAL: not understood.
 */
#ifndef ELECTSIM_JUDGE_STORY_VERBS_INSIDE_H
#define ELECTSIM_JUDGE_STORY_VERBS_INSIDE_H

#include "electsim/judge/story/story.h"

/* hosts.c */
int verbs_start(struct story *st, struct words *w);
int verbs_start_beside(struct story *st, struct words *w);
int verbs_crash(struct story *st, struct words *w);
int verbs_kill(struct story *st, struct words *w);
int verbs_stall(struct story *st, struct words *w);
int verbs_kernel(struct story *st, struct words *w);
int verbs_lose_state(struct story *st, struct words *w);
int verbs_copy_state(struct story *st, struct words *w);
int verbs_put_back_state(struct story *st, struct words *w);
int verbs_snapshot(struct story *st, struct words *w);
int verbs_put_back(struct story *st, struct words *w);
int verbs_clone(struct story *st, struct words *w);
int verbs_reserve(struct story *st, struct words *w);
int verbs_disk(struct story *st, struct words *w);
int verbs_clocks(struct story *st, struct words *w);
int verbs_stop(struct story *st, struct words *w);
int verbs_resign(struct story *st, struct words *w);
int verbs_hold(struct story *st, struct words *w);
int verbs_priority(struct story *st, struct words *w);
int verbs_define(struct story *st, struct words *w);

/* lan.c */
int verbs_condition(struct story *st, struct words *w);
int verbs_loss(struct story *st, struct words *w);
int verbs_hostile(struct story *st, struct words *w);
int verbs_former(struct story *st, struct words *w);
int verbs_record(struct story *st, struct words *w);
int verbs_split(struct story *st, struct words *w);
int verbs_heal(struct story *st, struct words *w);
int verbs_cut(struct story *st, struct words *w);
int verbs_join(struct story *st, struct words *w);
int verbs_link(struct story *st, struct words *w);
int verbs_flap(struct story *st, struct words *w);
int verbs_on(struct story *st, struct words *w);
int verbs_drop(struct story *st, struct words *w);
int verbs_delay(struct story *st, struct words *w);
int verbs_duplicate(struct story *st, struct words *w);
int verbs_clear(struct story *st, struct words *w);
int verbs_insider(struct story *st, struct words *w);
int verbs_forge(struct story *st, struct words *w);
int verbs_replay(struct story *st, struct words *w);

/* reach.c */
int verbs_gateway(struct story *st, struct words *w);
int verbs_noise(struct story *st, struct words *w);
int verbs_multicast(struct story *st, struct words *w);
int verbs_peers(struct story *st, struct words *w);
int verbs_port(struct story *st, struct words *w);
int verbs_subnet(struct story *st, struct words *w);
int verbs_routers(struct story *st, struct words *w);

/* keys.c */
int verbs_keys(struct story *st, struct words *w);
int verbs_poison(struct story *st, struct words *w);

/* lab.c */
int verbs_elect(struct story *st, struct words *w);
int verbs_alter(struct story *st, struct words *w);
/* Does the lab have that verb? */
bool verbs_of_lab(const char *name);

/* health.c */
int verbs_report(struct story *st, struct words *w);
int verbs_require(struct story *st, struct words *w);
int verbs_address(struct story *st, struct words *w);
int verbs_promotion(struct story *st, struct words *w);

#endif
