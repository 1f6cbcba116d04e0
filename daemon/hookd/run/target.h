/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target: the systemctl commands for the units that follow leadership, and the file `leader`, which
 * exists exactly while the leader target may run. The target asserts that file, so that nobody can
 * start the target by hand on a follower. It starts nothing. Without systemd there are no units.
 */
#ifndef ELECTD_HOOKD_RUN_TARGET_H
#define ELECTD_HOOKD_RUN_TARGET_H

#include <limits.h>
#include <stdbool.h>

enum {
	TARGET_WORDS_MAX = 8,
	TARGET_SHOW_WORDS = 8, /* words before the units */
};

struct target {
	const char *leader, *online; /* NULL: none */
	const char *systemctl;	     /* absolute path */
	const char *dir;	     /* the folder of `file` */
	char file[PATH_MAX];
};

/* `leader` and `online` may be empty. Removes the file. 0, or -errno: its folder cannot be made. */
int target_open(struct target *t, const char *dir, const char *leader, const char *online);
/* Makes the file and its folder before a start; removes the file before a stop. 0 or -errno. */
int target_allow(const struct target *t);
int target_forbid(const struct target *t);
/* Composes argv of systemctl. `wait`: until the job has ended. */
void target_words(const struct target *t, const char *unit, bool start, bool wait,
	const char *ret_words[TARGET_WORDS_MAX]);
/*
 * Composes the beginning of argv of `systemctl show`; the caller adds units and NULL. `value`: the
 * output has no names of properties. Returns the number of words.
 */
unsigned target_show_words(const struct target *t, bool value, const char *properties,
	const char *ret_words[TARGET_SHOW_WORDS]);

#endif
