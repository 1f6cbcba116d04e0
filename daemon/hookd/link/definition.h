/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition: a copy of the file with the group's definition, for scripts. electd writes the
 * original, and says where it is; a root's script must neither be sent to any other file, nor find
 * one that changes or blocks while it reads. Judges no content.
 */
#ifndef ELECTD_HOOKD_LINK_DEFINITION_H
#define ELECTD_HOOKD_LINK_DEFINITION_H

#include <limits.h>
#include <stdbool.h>

#define DEFINITION_FILE_NAME "definition"

struct definition {
	const char *runtime_dir; /* of electd: the file is there, or in daemon/ below it */
	const char *own_dir;	 /* the copy is there; made if it is missing */
	bool told;		 /* that there is something wrong with it */
};

/*
 * Makes the copy what electd's file is now. `said`: its path by electd, empty: there is none.
 * ret_path is the copy; empty: there is none, and what was there is removed.
 */
void definition_follow(struct definition *d, const char *said, char ret_path[PATH_MAX]);

#endif
