/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subuid: finds the user who owns a subordinate uid. With newuidmap(1) a user may act as each of
 * some 65 536 uids that subuid(5) grants. A limit per user must charge all of them to that user.
 *
 * This module reads local files only, because a name service may be slow.
 */
#ifndef ELECTD_CONTROL_SUBUID_H
#define ELECTD_CONTROL_SUBUID_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define SUBUID_RANGES "/etc/subuid"
#define SUBUID_USERS  "/etc/passwd"

struct subuid_range {
	uid_t first, last, user;
	char name[33];
};

/* All zero: nothing read yet. */
struct subuid {
	unsigned count, room;
	struct subuid_range *ranges; /* sorted by `first` */
	struct stat read;	     /* status of the file when it was read */
};

/*
 * Reads the ranges again if that file has changed; a file that cannot be read counts as empty. If
 * the owner of a range is not in `users` (passwd(5)), the first uid of the range stands for the
 * owner.
 */
void subuid_refresh(struct subuid *s, const char *ranges, const char *users);
/* The user who owns the subordinate uid; `uid` itself if it is not subordinate. */
uid_t subuid_user(const struct subuid *s, uid_t uid);
void subuid_free(struct subuid *s);

#endif
