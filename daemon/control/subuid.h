/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subuid: whose the subordinate uids are. With newuidmap(1) a user may act as each of some 65 536
 * uids that subuid(5) gives him: whatever is shared out by user has to count them as his.
 *
 * Reads local files only: no name service, which may be slow.
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

/* All zero: nothing was read. */
struct subuid {
	unsigned count, room;
	struct subuid_range *ranges; /* by `first` */
	struct stat read;	     /* of the file when it was read */
};

/*
 * Reads the ranges again if that file has changed; a file that cannot be read has none. Who is not
 * in `users` (passwd(5)) counts as the first uid of each of his ranges.
 */
void subuid_refresh(struct subuid *s, const char *ranges, const char *users);
/* The user whose subordinate uid that is, or that uid. */
uid_t subuid_user(const struct subuid *s, uid_t uid);
void subuid_free(struct subuid *s);

#endif
