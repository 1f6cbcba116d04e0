/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target: the units that follow leadership, by systemctl, and the file `leader`, which is there
 * exactly while the leader target may run: the target asserts it, so nobody starts it by hand on a
 * follower. Without systemd there are no units. Starts nothing itself.
 */
#ifndef ELECTD_HOOKD_RUN_TARGET_H
#define ELECTD_HOOKD_RUN_TARGET_H

#include <limits.h>
#include <stdbool.h>

enum {
	TARGET_WORDS_MAX = 8,
	TARGET_SHOW_WORDS = 8, /* before the units */
};

struct target {
	const char *leader, *online; /* NULL: none */
	const char *systemctl;	     /* absolute path */
	const char *dir;	     /* of the file */
	char file[PATH_MAX];
};

/* `leader` and `online` may be empty. 0 or -errno: the folder of the file cannot be made. */
int target_open(struct target *t, const char *dir, const char *leader, const char *online);
/* Before a start, its folder made again if it is gone; before a stop. 0 or -errno. */
int target_allow(const struct target *t);
int target_forbid(const struct target *t);
/* argv of systemctl; `wait` for the job. */
void target_words(const struct target *t, const char *unit, bool start, bool wait,
	const char *ret_words[TARGET_WORDS_MAX]);
/*
 * The beginning of argv of `systemctl show`; the units follow, and NULL. `value`: the output has no
 * names of properties. The number of words.
 */
unsigned target_show_words(const struct target *t, bool value, const char *properties,
	const char *ret_words[TARGET_SHOW_WORDS]);

#endif
